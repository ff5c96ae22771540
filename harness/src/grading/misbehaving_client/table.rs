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
    /// The situation that reveals it: a drill of `moot drill`, one with the id `own` for this misbehaviour alone, or
    /// the calm run.
    pub fn situation(&self) -> Drill {
        if !self.orders.is_empty() {
            return Drill { id: "own".to_owned(), orders: self.orders.clone(), ..Drill::default() };
        }
        self.drill.as_deref().and_then(table::get).unwrap_or_else(table::calm).clone()
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

#[cfg(test)]
mod tests {
    use super::{misbehaviours, table};

    #[test]
    fn each_misbehaviour_names_a_drill_that_there_is() {
        for it in misbehaviours() {
            assert!(it.drill.as_deref().is_none_or(|id| table::get(id).is_some()), "{it:?}");
        }
    }
}
