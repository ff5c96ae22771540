//! The rules that the client can break, each with the situation that reveals it.

use std::borrow::Cow;
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

/// The situation that reveals a misbehaviour.
#[derive(Debug)]
pub enum TrialSituation {
    /// A calm run.
    Calm,
    /// A drill of `moot drill`.
    Drill(&'static Drill),
    /// A situation for this misbehaviour alone.
    Made(Box<Drill>),
}

impl Misbehaviour {
    /// The situation that reveals it.
    pub fn situation(&self) -> TrialSituation {
        match (self.drill.as_deref().and_then(table::get), self.orders.is_empty()) {
            (Some(drill), _) => TrialSituation::Drill(drill),
            (None, true) => TrialSituation::Calm,
            (None, false) => TrialSituation::Made(Box::new(Drill {
                id: format!("made-for-{}", self.rule),
                orders: self.orders.clone(),
                ..Drill::default()
            })),
        }
    }

    /// Whether its drill exists.
    pub fn is_sound(&self) -> bool {
        self.drill.as_deref().is_none_or(|drill| table::get(drill).is_some())
    }
}

impl TrialSituation {
    /// The drill, with its orders; `None` for a calm run.
    pub fn drill(&self) -> Option<&Drill> {
        match self {
            Self::Calm => None,
            Self::Drill(drill) => Some(drill),
            Self::Made(drill) => Some(drill),
        }
    }

    /// Its name: `calm`, the id of the drill, or `own`.
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Self::Calm => "calm".into(),
            Self::Drill(drill) => drill.id.as_str().into(),
            Self::Made(_) => "own".into(),
        }
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
