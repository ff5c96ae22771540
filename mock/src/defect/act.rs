//! What a defect does, as its YAML file says it. Only data: `hook` carries it out.

use moot_fixtures::contract::Operation;
use serde::Deserialize;

use super::access_defect::{LooseId, LooseToken};
use super::call_edit::CallEdit;
use super::condition::CallCondition;
use super::edit::ResponseEdit;
use super::effect_defect::EffectDefect;
use super::list_defect::ListDefect;
use super::rule_pattern::RulePattern;

/// One thing that a defect does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DefectAct {
    /// Edits responses.
    Edit(Box<ResponseEdit>),
    /// Answers a call as if it were another one.
    Substitute(CallSubstitution),
    /// Carries out a call that a rule refuses.
    Accept(RefusedCall),
    /// Carries out a call that a rule refuses, and still sends the refusal.
    RefuseLate(RefusedCall),
    /// Refuses a call that no rule refuses.
    Refuse(CallSelection),
    /// Answers successfully, and changes nothing.
    StoreNothing(Operation),
    /// Finds a resource whichever company it belongs to.
    FindAnywhere(Operation),
    /// Admits a call that is refused at admission.
    Admit(RefusedAdmission),
    /// Accepts this many calls per minute and client address.
    Limit(u32),
    /// Issues a token to a known client.
    IssueToken(IssuedToken),
    /// Refuses a token request.
    RefuseToken(TokenRefusal),
    /// Makes a list wrong as a whole.
    List(ListDefect),
    /// Changes something else than the call should.
    Effect(EffectDefect),
    /// Admits a call with a token that is not quite right.
    LooseToken(LooseToken),
    /// Finds a resource by an id that is not quite right.
    LooseId(LooseId),
    /// Calls the function of this defect in `code`.
    Code,
}

/// Calls that are answered as if another call had been sent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallSubstitution {
    pub(super) of: Vec<Operation>,
    /// All must hold.
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
    pub(super) instead: CallEdit,
}

/// Calls that a rule of their operation refuses.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedCall {
    pub(super) of: Operation,
    pub(super) rule: RulePattern,
    /// All must hold.
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
}

/// Calls of one operation that have something in common.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallSelection {
    pub(super) of: Operation,
    /// All must hold.
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
}

/// Calls that are refused at admission, although their token names an application.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedAdmission {
    /// The `type` of the problem.
    pub(super) problem: String,
    /// Only of these operations; empty: of all.
    #[serde(default)]
    pub(super) of: Vec<Operation>,
}

/// A token that a known client gets.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IssuedToken {
    pub(super) scopes: String,
    /// All must hold.
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
}

/// A token request that is refused.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenRefusal {
    pub(super) status: u16,
    pub(super) error: String,
    /// All must hold.
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
}
