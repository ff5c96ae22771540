//! Does a problem agree with its answer: `status` with the HTTP status, `instance` with the path?

use percent_encoding::percent_decode_str;

use super::{Finding, Implicit, ImplicitContext, Seen};
use crate::check::Judgement;
use crate::check::equal::as_integer;

pub(super) const ROW: Implicit = Implicit {
    name: "problem agreement",
    verifies: &["errors.status-agrees", "errors.instance-is-path"],
    judge,
};

fn judge(seen: &Seen<'_>, context: &ImplicitContext) -> Vec<Finding> {
    let Some(problem) = seen.problem() else { return Vec::new() };
    let mut findings = Vec::new();
    // A member of another type is a requirement of its own.
    if let Some(status) = problem.get("status").and_then(|s| as_integer(s.as_number()?)) {
        findings.push(Finding {
            requirement: "errors.status-agrees",
            judgement: status_agrees(status, seen.status()),
        });
    }
    if let Some(instance) = problem.get("instance").and_then(|instance| instance.as_str()) {
        findings.push(Finding {
            requirement: "errors.instance-is-path",
            judgement: instance_is_path(instance, seen, context),
        });
    }
    findings
}

fn status_agrees(status: i128, http_status: u16) -> Judgement {
    if status == i128::from(http_status) {
        return Judgement::Holds;
    }
    Judgement::fails(
        "the problem's `status` is not that of the answer",
        http_status.to_string(),
        status.to_string(),
    )
    .at("/status")
}

/// With or without the path of the base address (`instance_prefix`); the query is ignored.
fn instance_is_path(instance: &str, seen: &Seen<'_>, context: &ImplicitContext) -> Judgement {
    let actual = decoded(instance.split(['?', '#']).next().unwrap_or(instance));
    let path = seen.path();
    let bases = ["", context.base_path.as_str(), path_of(seen.base())];
    if bases.iter().any(|base| decoded(&format!("{base}{path}")) == actual) {
        return Judgement::Holds;
    }
    let expected = format!("{}{path}, with or without the base path", path_of(seen.base()));
    Judgement::fails("the problem's `instance` is not the path of the request", expected, instance)
        .at("/instance")
}

fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// The path of an address, without a slash at its end: empty where it has none.
fn path_of(address: &str) -> &str {
    let after = address.split_once("://").map_or("", |(_, rest)| rest);
    after.find('/').map_or("", |at| &after[at..]).trim_end_matches('/')
}
