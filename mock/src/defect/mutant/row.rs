//! The families, places and equivalences of mutants.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::Mutant;
use crate::defect::act::DefectAct;
use crate::defect::catalogue::Defect;

/// A family of operators.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OperatorFamily {
    /// A value is damaged.
    Values,
    /// A call has a wrong effect.
    Effects,
    /// A whole list is wrong.
    Lists,
    /// The wrong caller is served, or the right one is refused.
    Access,
    /// One object is mistaken for another.
    Identity,
    /// A time is wrong.
    Time,
    /// A refusal is wrong.
    Errors,
    /// The HTTP message is wrong.
    Http,
}

/// A kind of place.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PlaceKind {
    /// A member of the responses of one operation.
    AnswerMember,
    /// A member of a resource, in every response that shows it.
    StoredMember,
    /// A member of a refusal of one operation.
    RefusalMember,
    /// The status of the responses of one operation.
    Status,
    /// A header of the responses of one operation.
    Header,
    /// A list.
    List,
    /// A field of the form of one operation.
    FormField,
    /// A rule of one operation.
    Rule,
    /// The token of the calls of one operation.
    Token,
    /// The effect of one operation.
    Effect,
    /// The change of a legal request to one status.
    Transition,
    /// The form of the requests of one operation.
    Request,
    /// The HTTP message of one operation.
    Message,
}

/// The reason why no outside observer can notice a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Equivalence {
    /// The service itself chooses the value, and every response agrees on it.
    ChosenByService,
    /// The specification permits it, or the changed value is an allowed value of an open question.
    Permitted,
}

impl Equivalence {
    /// The reason as a sentence.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::ChosenByService => {
                "The service itself chooses this value, it may choose the changed value too, and all \
                 responses agree on it."
            }
            Self::Permitted => {
                "The specification does not promise the opposite, or the allowed values of an open question \
                 include it."
            }
        }
    }
}

/// The mutant of an operator at a place. `what` is a sentence that describes the wrong behaviour.
pub(super) fn mutant(
    section: &str,
    (kind, place): (PlaceKind, &str),
    (family, operator): (OperatorFamily, &str),
    what: String,
    does: Vec<DefectAct>,
) -> Mutant {
    Mutant {
        defect: Defect {
            id: format!("mutant:{place}/{operator}"),
            section: section.to_owned(),
            breaks: Vec::new(),
            also: Vec::new(),
            what,
            heavy: false,
            does,
        },
        operator: operator.to_owned(),
        family,
        place: place.to_owned(),
        kind,
        equivalent: None,
    }
}
