//! Does a problem agree with its answer: `status` with the HTTP status, `instance` with the path?

use percent_encoding::percent_decode_str;

use super::{AnsweredExchange, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::equal::as_integer;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const VERIFIES: &[&str] = &["errors.status-agrees", "errors.instance-is-path"];

pub(super) fn judge(
    answered: &AnsweredExchange<'_>,
    context: &ImplicitContext,
) -> Vec<ImplicitJudgement> {
    let Some(problem) = answered.problem() else { return Vec::new() };
    let mut findings = Vec::new();
    // A member of another type is a requirement of its own.
    if let Some(status) = problem.get("status").and_then(|s| as_integer(s.as_number()?)) {
        findings.push(found("errors.status-agrees", status_agrees(status, answered.status())));
    }
    if let Some(instance) = problem.get("instance").and_then(|instance| instance.as_str()) {
        findings
            .push(found("errors.instance-is-path", instance_is_path(instance, answered, context)));
    }
    findings
}

fn status_agrees(status: i128, http_status: u16) -> Judgement {
    if status == i128::from(http_status) {
        return Judgement::Holds;
    }
    Judgement::fails(
        MismatchKind::Value,
        format!("the answer has status {http_status}, and its problem says {status}"),
        http_status.to_string(),
        status.to_string(),
    )
    .at("/status")
}

/// With or without the path of the base address (`instance_prefix`); the query is ignored.
fn instance_is_path(
    instance: &str,
    answered: &AnsweredExchange<'_>,
    context: &ImplicitContext,
) -> Judgement {
    let actual = decoded(instance.split(['?', '#']).next().unwrap_or(instance));
    let path = answered.path();
    let bases = ["", context.base_path.as_str(), path_of(answered.base())];
    if bases.iter().any(|base| decoded(&format!("{base}{path}")) == actual) {
        return Judgement::Holds;
    }
    let expected = format!("{}{path}, with or without the base path", path_of(answered.base()));
    let message = format!("the problem's `instance` is `{instance}`, not the path of the request");
    Judgement::fails(MismatchKind::Value, message, expected, instance).at("/instance")
}

fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// The path of an address, without a slash at its end: empty where it has none.
fn path_of(address: &str) -> &str {
    let after = address.split_once("://").map_or("", |(_, rest)| rest);
    after.find('/').map_or("", |at| &after[at..]).trim_end_matches('/')
}
