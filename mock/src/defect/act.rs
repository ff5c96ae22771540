//! The acts of defects, as in the YAML files. They are data: `hook` executes them.

use moot_fixtures::contract::{LegalRequestStatus, Operation, ProblemType};
use serde::Deserialize;

use super::access_defect::TokenAct;
use super::call_edit::CallEdit;
use super::code::DefectCode;
use super::condition::CallCondition;
use super::edit::ResponseEdit;
use super::effect_defect::EffectAct;
use super::likeness::Likeness;
use super::list_defect::ListAct;
use super::transition_defect::TransitionAct;
use crate::value::message::rule::Rule;

/// One act of a defect. It applies if all conditions of `when` hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum DefectAct {
    /// Edits responses.
    Edit(Box<ResponseEdit>),
    /// Answers another call instead of the one that was sent.
    Substitute {
        of: Vec<Operation>,
        #[serde(default)]
        when: Vec<CallCondition>,
        instead: CallEdit,
    },
    /// Executes a call that a rule refuses.
    Accept(RefusedCall),
    /// Executes a call that a rule refuses, and still sends the refusal.
    RefuseLate(RefusedCall),
    /// Refuses a valid call.
    Refuse {
        of: Operation,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Sends the normal response, and stores nothing.
    StoreNothing(Operation),
    /// Finds the resources of every company.
    FindAnywhere(Operation),
    /// Admits a call that is refused at admission with this problem type. Its token must name an application. An
    /// empty `of` stands for all operations.
    Admit {
        problem: ProblemType,
        #[serde(default)]
        of: Vec<Operation>,
    },
    /// The number of calls that one client address may make per minute.
    Limit(u32),
    /// Issues a token with these scopes to a known client.
    IssueToken {
        scopes: String,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Refuses a token request with this error code.
    RefuseToken {
        status: u16,
        error: String,
        #[serde(default)]
        when: Vec<CallCondition>,
    },
    /// Changes a whole list.
    List { of: Vec<Operation>, act: ListAct },
    /// Replaces the changes of a successful call.
    Effect {
        of: Operation,
        #[serde(default)]
        when: Vec<CallCondition>,
        act: EffectAct,
    },
    /// Executes a status change wrongly.
    Transition {
        /// Only changes to this status.
        #[serde(default)]
        to: Option<LegalRequestStatus>,
        act: TransitionAct,
    },
    /// Admits a call although its token is not exactly an issued one. An empty `of` stands for all operations.
    LooseToken {
        #[serde(default)]
        of: Vec<Operation>,
        act: TokenAct,
    },
    /// Finds a resource although the id is not exactly its id. An empty `of` stands for all operations.
    LooseId {
        #[serde(default)]
        of: Vec<Operation>,
        like: Likeness,
    },
    /// Calls the function of the defect. The catalogue fills it in, because a file cannot have it.
    Code(#[serde(skip)] Option<DefectCode>),
}

/// The calls of one operation that a rule refuses.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedCall {
    pub(super) of: Operation,
    pub(super) rule: Rule,
    #[serde(default)]
    pub(super) when: Vec<CallCondition>,
}
