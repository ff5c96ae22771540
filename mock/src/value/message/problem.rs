//! Refusals of the API: problem details of §7, and failures of the token endpoint.
//!
//! A problem is a response of the API, not an error of the mock. Each condition has a constructor in this
//! file. Each `detail` names the mistake and the remedy.

use std::borrow::Cow;

use http::StatusCode;
use http::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use moot_fixtures::contract::{Answers, Operation, ProblemType, RateLimitBody, Scope};
use moot_fixtures::journal::RuleGroup;

use crate::value::message::rule::Rule;

/// A refusal.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// HTTP status: 4xx, 503 of the rate limit by the answers, or 500 for a fault of the mock.
    pub(crate) status: u16,
    /// `type` of §7, or `error` of a token failure.
    pub(crate) problem_type: Cow<'static, str>,
    /// `title` of §7.
    pub(crate) title: Cow<'static, str>,
    /// `detail`, or `error_description`.
    pub(crate) detail: String,
    /// The group of rules with the broken rule.
    pub(crate) rule_group: RuleGroup,
    /// The broken rule of the operation, if it has an id.
    pub(crate) rule: Option<Rule>,
    pub(crate) form: ProblemForm,
    /// An additional header.
    pub(crate) header: Option<Box<(HeaderName, HeaderValue)>>,
}

/// The form of a refusal's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemForm {
    /// Problem details (RFC 9457).
    Problem,
    /// `{error, error_description}` (RFC 6749 §5.2).
    TokenFailure,
    /// The detail as plain text.
    Text,
    /// No body.
    Empty,
}

impl Problem {
    fn new(problem_type: ProblemType, rule_group: RuleGroup, detail: impl Into<String>) -> Self {
        let (status, form) = (problem_type.status(), ProblemForm::Problem);
        let (name, title) = (problem_type.as_str(), problem_type.title());
        Self { rule_group, ..Self::other(status, name, title, detail, form) }
    }

    fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// The problem with the broken rule.
    pub(crate) fn breaking(self, rule: Rule) -> Self {
        Self { rule: Some(rule), ..self }
    }

    fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        Self { header: Some(Box::new((name, value))), ..self }
    }

    /// 400: the call can't be read, or a required part is missing.
    pub(crate) fn parameter_missing(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::ParameterMissing, RuleGroup::Body, detail)
    }

    /// 401: no `Authorization` header. The challenge has no error code (RFC 6750 §3).
    pub(crate) fn token_missing() -> Self {
        Self::new(
            ProblemType::InvalidToken,
            RuleGroup::Token,
            "No access token was sent: add the header `Authorization: Bearer <ACCESS_TOKEN>`.",
        )
        .with_header(WWW_AUTHENTICATE, HeaderValue::from_static(r#"Bearer realm="legal requests""#))
    }

    /// 401: an `Authorization` header without a token of this service.
    pub(crate) fn token_invalid(detail: &'static str) -> Self {
        Self::bearer(ProblemType::InvalidToken, detail)
    }

    /// 401: older than 7200 seconds.
    pub(crate) fn token_expired() -> Self {
        let detail = "The access token expired: a token works for 7200 seconds. Ask the token endpoint for a new one.";
        Self::bearer(ProblemType::TokenExpired, detail)
    }

    /// 401: revoked.
    pub(crate) fn token_revoked() -> Self {
        let detail = "The access token was revoked. Ask the token endpoint for a new one.";
        Self::bearer(ProblemType::TokenRevoked, detail)
    }

    fn bearer(problem_type: ProblemType, detail: &'static str) -> Self {
        Self::new(problem_type, RuleGroup::Token, detail).with_header(
            WWW_AUTHENTICATE,
            HeaderValue::from_static(r#"Bearer realm="legal requests", error="invalid_token""#),
        )
    }

    /// 403: the token lacks a scope.
    pub(crate) fn insufficient_scope(needed: Scope) -> Self {
        let challenge = match needed {
            Scope::Read => {
                r#"Bearer realm="legal requests", error="insufficient_scope", scope="read""#
            }
            Scope::Write => {
                r#"Bearer realm="legal requests", error="insufficient_scope", scope="write""#
            }
        };
        let detail = format!("This call needs a token with scope `{}`.", needed.as_str());
        Self::new(ProblemType::InsufficientScope, RuleGroup::Scope, detail)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    }

    /// 404: no object has the id in the path (§7, question `not_found_type`).
    pub(crate) fn no_object(answers: &Answers, operation: Operation, id: &str) -> Self {
        match object(operation) {
            REQUEST => {
                let detail = format!("There is no request with the id `{}`.", shown(id));
                Self::new(ProblemType::RequestNotFound, RuleGroup::Existence, detail)
            }
            what => Self::not_found(answers, what, id),
        }
    }

    /// 404: no other object (workflow, document, webhook) has this id (question `not_found_type`).
    pub(crate) fn not_found(answers: &Answers, what: &str, id: &str) -> Self {
        let detail = format!("There is no {what} with the id `{}`.", shown(id));
        Self {
            problem_type: answers.not_found_type.problem_type.clone().into(),
            title: answers.not_found_type.title.clone().into(),
            ..Self::new(ProblemType::RequestNotFound, RuleGroup::Existence, detail)
        }
    }

    /// 403: it belongs to another company (question `other_company`).
    pub(crate) fn other_company(operation: Operation) -> Self {
        let what = object(operation);
        let detail =
            format!("This {what} belongs to another company than the token's application.");
        Self::new(ProblemType::Forbidden, RuleGroup::Existence, detail)
    }

    /// An unknown path (question `other_errors`).
    pub(crate) fn unknown_path(answers: &Answers) -> Self {
        let detail = "No operation has this path; resource endpoints are under `/v1`.";
        Self::new(ProblemType::RequestNotFound, RuleGroup::Route, detail)
            .by_answer(answers.other_errors.unknown_path)
    }

    /// A method that the path of this operation does not take (question `other_errors`). A 405 lists the allowed ones.
    pub(crate) fn wrong_method(answers: &Answers, operation: Operation, allowed: &str) -> Self {
        let status = answers.other_errors.wrong_method;
        let detail = format!("This path takes {allowed}.");
        let problem = match operation {
            Operation::CreateAccessToken | Operation::RevokeToken => Self {
                rule_group: RuleGroup::Route,
                ..Self::token_failure(status, "invalid_request", detail)
            },
            _ => Self::new(ProblemType::MethodNotAllowed, RuleGroup::Route, detail)
                .with_status(status),
        };
        match HeaderValue::from_str(allowed) {
            Ok(allowed) if status == 405 => problem.with_header(ALLOW, allowed),
            Ok(_) | Err(_) => problem,
        }
    }

    /// A media type that the operation does not take (question `other_errors`).
    pub(crate) fn wrong_media_type(answers: &Answers, wanted: &str) -> Self {
        let detail = format!("The body of this call must be `{wanted}`.");
        Self::new(ProblemType::UnsupportedMediaType, RuleGroup::Body, detail)
            .with_status(answers.other_errors.wrong_media_type)
    }

    /// A body beyond the operation's limits (question `other_errors`).
    pub(crate) fn too_large(answers: &Answers, detail: impl Into<String>) -> Self {
        Self::new(ProblemType::ContentTooLarge, RuleGroup::Body, detail)
            .with_status(answers.other_errors.too_large)
    }

    /// 413: a document beyond `upload_size_max`.
    pub(crate) fn document_too_large(answers: &Answers) -> Self {
        let detail = format!("A document has at most {} bytes.", answers.upload_size_max);
        Self::new(ProblemType::ContentTooLarge, RuleGroup::Rule, detail)
            .breaking(Rule::DocumentSize)
    }

    /// 422: a document that can't be processed.
    pub(crate) fn document_creation(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::RepositoryDocumentCreationError, RuleGroup::Rule, detail)
    }

    /// 422: a request that can't be processed.
    pub(crate) fn request_creation(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::RequestCreationError, RuleGroup::Rule, detail)
    }

    /// 422: a webhook that can't be registered.
    pub(crate) fn webhook_creation(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::WebhookCreationError, RuleGroup::Rule, detail)
    }

    /// The refusal with the status of an answer to an open question. If the status differs, the refusal gets the
    /// type that §7 has for this status. §7 has none for a 403 of a token with the scope.
    pub(crate) fn by_answer(self, status: u16) -> Self {
        if status == self.status {
            return self;
        }
        let problem_type = match status {
            400 => ProblemType::ParameterMissing,
            403 => ProblemType::Forbidden,
            404 => ProblemType::RequestNotFound,
            413 => ProblemType::ContentTooLarge,
            415 => ProblemType::UnsupportedMediaType,
            422 => ProblemType::RepositoryDocumentCreationError,
            _ => return self.named_after(status),
        };
        Self { rule: self.rule, ..Self::new(problem_type, self.rule_group, self.detail) }
    }

    /// The refusal with this status, and with its name as type and title.
    fn named_after(self, status: u16) -> Self {
        let known = StatusCode::from_u16(status).ok();
        let title = known.and_then(|status| status.canonical_reason()).unwrap_or("Refused");
        let problem_type = title.to_ascii_lowercase().replace(' ', "_").into();
        Self { status, problem_type, title: title.into(), ..self }
    }

    /// Beyond the rate limit (question `rate_limit_response`).
    pub(crate) fn rate_limited(
        answers: &Answers,
        calls_max: u32,
        retry_after_seconds: i64,
        is_frozen: bool,
    ) -> Self {
        let hint =
            if is_frozen { "the clock of this mock is frozen, so move it forward" } else { "wait" };
        let detail = format!(
            "More than {calls_max} calls a minute came from this address; {hint} for {retry_after_seconds} s."
        );
        let problem = Self {
            status: answers.rate_limit_response.status,
            form: match answers.rate_limit_response.body {
                RateLimitBody::Problem => ProblemForm::Problem,
                RateLimitBody::Text => ProblemForm::Text,
                RateLimitBody::Empty => ProblemForm::Empty,
            },
            ..Self::new(ProblemType::RateLimitExceeded, RuleGroup::Limit, detail)
        };
        if answers.rate_limit_response.retry_after {
            problem.with_header(RETRY_AFTER, HeaderValue::from(retry_after_seconds))
        } else {
            problem
        }
    }

    /// A failure that the control plane requested.
    pub(crate) fn injected(
        operation: Option<Operation>,
        status: StatusCode,
        problem: &str,
    ) -> Self {
        let is_token_failure =
            operation == Some(Operation::CreateAccessToken) && status.is_client_error();
        let detail = "This failure was requested at the control plane of the mock.";
        let form = if is_token_failure { ProblemForm::TokenFailure } else { ProblemForm::Problem };
        let title = status.canonical_reason().unwrap_or("Error");
        Self::other(status.as_u16(), problem.to_owned(), title, detail, form)
    }

    /// 500: a fault of the mock. The specification does not mention it.
    pub(crate) fn state_not_kept(operation: Operation, why: &str) -> Self {
        let detail = format!("The mock cannot store its state: {why}.");
        if matches!(operation, Operation::CreateAccessToken | Operation::RevokeToken) {
            return Self::token_failure(500, "server_error", detail);
        }
        let form = ProblemForm::Problem;
        Self::other(500, "state_not_kept", "Internal Server Error", detail, form)
    }

    /// A failure of the token endpoint (§4.1, §7).
    pub(crate) fn token_failure(
        status: u16,
        error: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        let form = ProblemForm::TokenFailure;
        Self { rule_group: RuleGroup::Body, ..Self::other(status, error, "", detail, form) }
    }

    /// A problem that is not in the table of the contract.
    fn other(
        status: u16,
        problem_type: impl Into<Cow<'static, str>>,
        title: &'static str,
        detail: impl Into<String>,
        form: ProblemForm,
    ) -> Self {
        Self {
            status,
            problem_type: problem_type.into(),
            title: title.into(),
            detail: detail.into(),
            rule_group: RuleGroup::Rule,
            rule: None,
            form,
            header: None,
        }
    }

    /// `invalid_client`. A 401 has a challenge (RFC 6749 §5.2).
    pub(crate) fn invalid_client(answers: &Answers, detail: &'static str) -> Self {
        let status = answers.token_failure_status.invalid_client;
        let failure = Self {
            rule_group: RuleGroup::Token,
            ..Self::token_failure(status, "invalid_client", detail)
        };
        if status == 401 {
            let challenge = HeaderValue::from_static(r#"Basic realm="legal requests""#);
            failure.with_header(WWW_AUTHENTICATE, challenge)
        } else {
            failure
        }
    }
}

const REQUEST: &str = "request";

/// The kind of the object with the id in the path of an operation, in words.
const fn object(operation: Operation) -> &'static str {
    match operation {
        Operation::GetLegalRequest | Operation::GetLegalRequestActivity => REQUEST,
        Operation::GetWorkflow | Operation::GetWorkflowSchema => "workflow",
        Operation::GetRepositoryDocument => "repository document",
        Operation::DeleteWebhook => "webhook",
        _ => "document",
    }
}

/// The beginning of a text that a caller sent, for a detail.
pub(crate) fn shown(text: &str) -> &str {
    const SHOWN_BYTES_MAX: usize = 80;
    &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)]
}
