//! What a defect does, as its YAML file says it. Only data: `hook` carries it out.

use moot_fixtures::contract::{LegalRequestStatus, Operation};
use serde::Deserialize;

use super::access_defect::TokenAct;
use super::call_edit::CallEdit;
use super::condition::CallCondition;
use super::edit::ResponseEdit;
use super::effect_defect::EffectAct;
use super::likeness::Likeness;
use super::list_defect::ListAct;
use super::rule_pattern::RulePattern;
use super::transition_defect::TransitionAct;

/// One thing that a defect does. All conditions of a `when` must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum DefectAct {
    /// Edits responses.
    Edit(Box<ResponseEdit>),
    /// Answers a call as if another one had been sent.
    Substitute {
        of: Vec<Operation>,
        #[serde(default)]
        when: Vec<CallCondition>,
        instead: CallEdit,
    },
    /// Carries out a call that a rule refuses.
    Accept(RefusedCall),
    /// Carries out a call that a rule refuses, and still sends the refusal.
    RefuseLate(RefusedCall),
    /// Refuses a call that no rule refuses.
    Refuse {
        of: Operation,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Answers successfully, and changes nothing.
    StoreNothing(Operation),
    /// Finds a resource whichever company it belongs to.
    FindAnywhere(Operation),
    /// Admits a call that is refused at admission, although its token names an application.
    Admit {
        /// The `type` of the problem.
        problem: String,
        /// Only of these operations; empty: of all.
        #[serde(default)]
        of: Vec<Operation>,
    },
    /// Accepts this many calls per minute and client address.
    Limit(u32),
    /// Issues a token to a known client.
    IssueToken {
        scopes: String,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Refuses a token request.
    RefuseToken {
        status: u16,
        error: String,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Makes the lists of these operations wrong as a whole.
    List { of: Vec<Operation>, act: ListAct },
    /// Changes something else than the call should.
    Effect { of: Operation, act: EffectAct },
    /// Carries out a status change wrongly.
    Transition {
        /// Only changes to this status.
        #[serde(default)]
        to: Option<LegalRequestStatus>,
        act: TransitionAct,
    },
    /// Admits a call with a token that is not quite right.
    LooseToken {
        /// Only of these operations; empty: of all.
        #[serde(default)]
        of: Vec<Operation>,
        act: TokenAct,
    },
    /// Finds a resource by an id that is not quite right.
    LooseId {
        /// Only of these operations; empty: of all.
        #[serde(default)]
        of: Vec<Operation>,
        like: Likeness,
    },
    /// Calls the function of this defect in `code`.
    Code,
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
