//! Has a problem its six members, each of its type (§7)?

use serde_json::{Map, Value};

use super::{Finding, Implicit, ImplicitContext, Seen};
use crate::check::Judgement;
use crate::check::equal::as_integer;
use crate::check::shown::{shortened, shown};

pub(super) const ROW: Implicit = Implicit {
    name: "problem members",
    verifies: &[
        "errors.member-type",
        "errors.member-status",
        "errors.member-title",
        "errors.member-detail",
        "errors.member-instance",
        "errors.member-request-id",
    ],
    judge,
};

/// A member, its requirement, and what it has to be.
struct Member {
    requirement: &'static str,
    name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    NonEmptyText,
    Integer,
}

const MEMBERS: [Member; 6] = [
    Member { requirement: "errors.member-type", name: "type", kind: Kind::NonEmptyText },
    Member { requirement: "errors.member-status", name: "status", kind: Kind::Integer },
    Member { requirement: "errors.member-title", name: "title", kind: Kind::Text },
    Member { requirement: "errors.member-detail", name: "detail", kind: Kind::Text },
    Member { requirement: "errors.member-instance", name: "instance", kind: Kind::Text },
    Member {
        requirement: "errors.member-request-id",
        name: "request_id",
        kind: Kind::NonEmptyText,
    },
];

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if !seen.is_problem_due() {
        return Vec::new();
    }
    let Some(problem) = seen.problem() else { return without_problem(seen) };
    MEMBERS
        .iter()
        .map(|member| Finding {
            requirement: member.requirement,
            judgement: judged(problem, member.name, member.kind),
        })
        .collect()
}

/// One cause, one failure: the first member fails, the others had nothing to be looked for in.
fn without_problem(seen: &Seen<'_>) -> Vec<Finding> {
    let body = shortened(&String::from_utf8_lossy(&seen.response.body));
    let actual = if body.is_empty() { "an empty body".to_owned() } else { body };
    let failed = Judgement::fails("an error has no problem as its body", "a JSON object", actual);
    let empty = Judgement::empty("the body is no problem, `errors.member-type` says so");
    let judgements = std::iter::once(failed).chain(std::iter::repeat(empty));
    MEMBERS
        .iter()
        .zip(judgements)
        .map(|(member, judgement)| Finding { requirement: member.requirement, judgement })
        .collect()
}

fn judged(problem: &Map<String, Value>, name: &str, kind: Kind) -> Judgement {
    let value = problem.get(name);
    let (holds, expected) = match (kind, value) {
        (Kind::Text, value) => (value.is_some_and(Value::is_string), "a string"),
        (Kind::NonEmptyText, value) => (
            value.and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
            "a string that is not empty",
        ),
        (Kind::Integer, value) => (
            value.and_then(Value::as_number).is_some_and(|n| as_integer(n).is_some()),
            "an integer",
        ),
    };
    if holds {
        return Judgement::Holds;
    }
    let what = if value.is_some() { "is of the wrong kind" } else { "is missing" };
    Judgement::fails(format!("the problem's member `{name}` {what}"), expected, shown(value))
        .at(format!("/{name}"))
}
