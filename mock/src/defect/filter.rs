//! The selection of the responses that a defect edits.

use moot_fixtures::contract::{Operation, ProblemType};
use serde::Deserialize;

use super::call_edit::QueryParameter;
use crate::value::message::response::Response;
use crate::value::message::rule::Rule;

/// The call that a response answers.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// `None` if no operation has this path and method.
    pub operation: Option<Operation>,
    /// Below the base address, with its leading `/`, without the query.
    pub path: &'a str,
    /// As sent.
    pub query: Option<&'a str>,
}

/// Selects responses. An empty filter selects the successes of every operation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ResponseFilter {
    /// An empty list stands for all operations.
    pub(super) of: Vec<Operation>,
    pub(super) kind: ResponseKind,
    /// Only if the query has this parameter.
    pub(super) parameter: Option<QueryParameter>,
    /// Only if the path begins with this.
    pub(super) path: Option<String>,
}

/// A kind of response.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResponseKind {
    /// A status 2xx.
    #[default]
    Success,
    /// A refusal.
    Refusal,
    /// A refusal by another endpoint than the token endpoints.
    Problem,
    /// A refusal by a token endpoint.
    TokenFailure,
    /// A 404 for a path that no operation has.
    UnknownPath,
    /// Every response.
    Any,
    /// This status.
    Status(u16),
    /// A refusal with this problem type.
    ProblemType(ProblemType),
    /// A refusal by this rule.
    Rule(Rule),
}

impl ResponseFilter {
    /// Whether the filter selects a response.
    pub(super) fn holds(&self, context: &ReplyContext<'_>, response: &Response) -> bool {
        let is_of = |operation| self.of.contains(&operation);
        (self.of.is_empty() || context.operation.is_some_and(is_of))
            && self.kind.holds(context, response)
            && self.parameter.as_ref().is_none_or(|it| it.is_in(context.query))
            && self.path.as_ref().is_none_or(|start| context.path.starts_with(start))
    }
}

impl ResponseKind {
    fn holds(&self, context: &ReplyContext<'_>, response: &Response) -> bool {
        let is_token = matches!(
            context.operation,
            Some(Operation::CreateAccessToken | Operation::RevokeToken)
        );
        let refused = response.refused.as_deref();
        match self {
            Self::Success => response.status.is_success(),
            Self::Refusal => refused.is_some(),
            Self::Problem => refused.is_some() && !is_token,
            Self::TokenFailure => refused.is_some() && is_token,
            Self::UnknownPath => response.status == 404 && context.operation.is_none(),
            Self::Any => true,
            Self::Status(status) => response.status == *status,
            Self::ProblemType(problem) => refused.is_some_and(|it| it.problem == problem.as_str()),
            Self::Rule(rule) => {
                refused.and_then(|it| it.rule.as_ref()).is_some_and(|broken| rule.covers(broken))
            }
        }
    }
}
