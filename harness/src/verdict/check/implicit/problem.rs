//! Does a problem belong to this call: `status`, `instance`, `detail` and `request_id`?

use percent_encoding::percent_decode_str;

use super::AnsweredExchange;
use crate::verdict::check::equal::as_integer;
use crate::verdict::check::value_text::shortened;
use crate::verdict::check::{Judgement, MismatchKind};

/// The requirements of [`agreement`].
pub(super) const AGREEMENT: &[&str] = &["errors.status-agrees", "errors.instance-is-path"];

/// Does `status` agree with the HTTP status, and `instance` with the path?
pub(super) fn agreement(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let Some(problem) = answered.problem() else { return Vec::new() };
    let mut findings = Vec::new();
    // Another check judges the types of the members.
    if let Some(status) = problem.get("status").and_then(|s| as_integer(s.as_number()?)) {
        findings.push(("errors.status-agrees", status_agrees(status, answered.status())));
    }
    if let Some(instance) = problem.get("instance").and_then(|instance| instance.as_str()) {
        findings.push(("errors.instance-is-path", instance_is_path(instance, answered)));
    }
    findings
}

/// Does `detail` explain this error, and not any error (RFC 9457 §3.1.4)?
pub(super) fn detail(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let problem = answered.problem()?;
    let detail = problem.get("detail")?.as_str().filter(|detail| !detail.is_empty())?;
    let problem_type = problem.get("type")?.as_str()?;
    // Both refuse a field (`request_field_invalid`).
    let own_status = if answered.status() == 422 { 400 } else { answered.status() };
    let own = (own_status, problem_type.to_owned());
    let (status, first) = answered.context.details.or_remember(answered.base(), detail, own);
    // Types with one status may have one explanation: that there is no such object, or that the token is not valid.
    if status == own_status || first == problem_type {
        return Some(Judgement::Holds);
    }
    let fails = Judgement::fails(
        MismatchKind::Duplicate,
        format!("the `detail` of a `{problem_type}` is the same as that of a `{first}`"),
        "an explanation of this error",
        shortened(detail),
    );
    Some(fails.at("/detail"))
}

/// Is the `request_id` of a failed call unique in this run?
pub(super) fn request_id(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let id = answered.problem()?.get("request_id")?.as_str().filter(|id| !id.is_empty())?;
    let number = answered.exchange.number;
    let first = answered.context.request_ids.or_remember(answered.base(), id, number);
    if first == number {
        return Some(Judgement::Holds);
    }
    let fails = Judgement::fails(
        MismatchKind::Duplicate,
        format!("the `request_id` is the same as in call {first} of this run"),
        "an id that no other response has",
        id,
    );
    Some(fails.at("/request_id"))
}

fn status_agrees(status: i128, http_status: u16) -> Judgement {
    if status == i128::from(http_status) {
        return Judgement::Holds;
    }
    Judgement::fails(
        MismatchKind::Value,
        format!("the response has status {http_status}, and its problem says {status}"),
        http_status.to_string(),
        status.to_string(),
    )
    .at("/status")
}

/// The path may include the path of the base address (`instance_prefix`). The query is ignored, and so are empty
/// segments, tabs and line breaks: routers and parsers of addresses remove them before a service sees the path.
fn instance_is_path(instance: &str, answered: &AnsweredExchange<'_>) -> Judgement {
    let actual = normal_path(instance.split(['?', '#']).next().unwrap_or(instance));
    let path = answered.path();
    let bases = ["", answered.context.base_path.as_str(), path_of(answered.base())];
    if bases.iter().any(|base| normal_path(&format!("{base}{path}")) == actual) {
        return Judgement::Holds;
    }
    let expected = format!("{}{path}, with or without the base path", path_of(answered.base()));
    let message = format!("the problem's `instance` is `{instance}`, not the path of the request");
    Judgement::fails(MismatchKind::Value, message, expected, instance).at("/instance")
}

/// The path without percent-encoding, empty segments, tabs and line breaks. A relative path stays one.
fn normal_path(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy().replace(['\t', '\r', '\n'], "");
    let segments: Vec<&str> = decoded.split('/').filter(|segment| !segment.is_empty()).collect();
    let root = if decoded.starts_with('/') { "/" } else { "" };
    format!("{root}{}", segments.join("/"))
}

/// The path of an address without a slash at its end. Empty if it has none.
fn path_of(address: &str) -> &str {
    let after = address.split_once("://").map_or("", |(_, rest)| rest);
    after.find('/').map_or("", |at| &after[at..]).trim_end_matches('/')
}
