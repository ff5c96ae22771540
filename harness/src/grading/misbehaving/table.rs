//! The rules that the client can break, each with the situation that reveals it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use moot_fixtures::yaml;
use serde::Deserialize;

use crate::grading::drill::table::{self, Drill, DrillOrder};

static TABLE: LazyLock<MisbehaviourFile> =
    LazyLock::new(|| yaml::embedded(include_str!("misbehaviours.yaml")));

/// `misbehaviours.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MisbehaviourFile {
    misbehaviours: Vec<Misbehaviour>,
    not_shown: BTreeMap<String, String>,
}

/// A rule that the client can break. A calm run reveals it, unless it has a drill or orders.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Misbehaviour {
    /// The id of the rule.
    pub rule: String,
    /// The drill that reveals it.
    #[serde(default)]
    drill: Option<String>,
    /// Orders to the mock, if no drill reveals the rule in a short time.
    #[serde(default)]
    orders: Vec<DrillOrder>,
}

impl Misbehaviour {
    /// The situation that reveals it: a drill of `moot drill`, or one with the id `own` for this misbehaviour alone.
    /// `None` is a calm run.
    pub fn situation(&self) -> Option<Drill> {
        let own =
            || Drill { id: "own".to_owned(), orders: self.orders.clone(), ..Drill::default() };
        let drill = self.drill.as_deref().and_then(table::get).cloned();
        drill.or_else(|| (!self.orders.is_empty()).then(own))
    }

    /// Whether its drill exists.
    pub fn is_sound(&self) -> bool {
        self.drill.as_deref().is_none_or(|drill| table::get(drill).is_some())
    }
}

/// The rules that the client can break, in the order of the register.
pub fn misbehaviours() -> &'static [Misbehaviour] {
    &TABLE.misbehaviours
}

/// The rules that no run of the client reveals, each with the reason.
pub fn not_shown() -> &'static BTreeMap<String, String> {
    &TABLE.not_shown
}
