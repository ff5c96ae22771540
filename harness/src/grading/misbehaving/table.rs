//! Which rules the client can break, and in which situation each one shows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::grading::drill::table::{self, Drill, DrillOrder};

static TABLE: LazyLock<MisbehaviourFile> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("misbehaviours.yaml")).expect("a test reads the table")
});

/// `misbehaviours.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MisbehaviourFile {
    misbehaviours: Vec<Misbehaviour>,
    not_shown: BTreeMap<String, String>,
}

/// A rule that the client can break. Without a drill and without orders it shows in a calm run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Misbehaviour {
    /// The id of the rule.
    pub rule: String,
    /// The drill in which it shows.
    #[serde(default)]
    drill: Option<String>,
    /// What is done to the mock, where no drill provokes it soon.
    #[serde(default)]
    orders: Vec<DrillOrder>,
}

/// Where a misbehaviour shows.
#[derive(Debug)]
pub enum TrialSituation {
    /// In any calls.
    Calm,
    /// In a drill of `moot drill`.
    Drill(&'static Drill),
    /// In a situation that is made for it.
    Made(Box<Drill>),
}

impl Misbehaviour {
    /// Where it shows.
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

    /// Whether it names a drill that there is.
    pub fn is_sound(&self) -> bool {
        self.drill.as_deref().is_none_or(|drill| table::get(drill).is_some())
    }
}

impl TrialSituation {
    /// The orders to the mock; `None` if there are none.
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

/// Every rule that the client can break, in the order of the register.
pub fn misbehaviours() -> &'static [Misbehaviour] {
    &TABLE.misbehaviours
}

/// The rules that no run on this machine can show, each with the reason.
pub fn not_shown() -> &'static BTreeMap<String, String> {
    &TABLE.not_shown
}
