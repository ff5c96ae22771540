//! Has a problem its six members, each of its type (§7)?

use serde_json::{Map, Value};

use super::{AnsweredExchange, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::equal::as_integer;
use crate::verdict::check::shown::{shortened, shown};
use crate::verdict::check::{Judgement, MismatchKind, sound_json};

pub(super) const VERIFIES: &[&str] = &[
    "errors.member-type",
    "errors.member-status",
    "errors.member-title",
    "errors.member-detail",
    "errors.member-instance",
    "errors.member-request-id",
];

/// The members that these are about, and what each has to be.
const MEMBERS: [(&str, MemberType); 6] = [
    ("type", MemberType::NonEmptyText),
    ("status", MemberType::Integer),
    ("title", MemberType::NonEmptyText),
    ("detail", MemberType::NonEmptyText),
    ("instance", MemberType::Text),
    ("request_id", MemberType::NonEmptyText),
];

#[derive(Clone, Copy)]
enum MemberType {
    Text,
    NonEmptyText,
    Integer,
}

pub(super) fn judge(
    answered: &AnsweredExchange<'_>,
    _: &ImplicitContext,
) -> Vec<ImplicitJudgement> {
    if !answered.is_problem_due() {
        return Vec::new();
    }
    let Some(problem) = answered.problem() else { return without_problem(answered) };
    let judged = MEMBERS.map(|(name, kind)| judged(problem, name, kind));
    VERIFIES
        .iter()
        .zip(judged)
        .map(|(requirement, judgement)| found(requirement, judgement))
        .collect()
}

/// One cause, one failure: the first member fails, the others had nothing to be looked for in.
fn without_problem(answered: &AnsweredExchange<'_>) -> Vec<ImplicitJudgement> {
    let body = shortened(&String::from_utf8_lossy(&answered.response.body));
    let actual = if body.is_empty() { "an empty body".to_owned() } else { body };
    let failed = sound_json::unreadable(&answered.document()).unwrap_or_else(|| {
        let status = answered.status();
        let message = format!("the body of the error (status {status}) is not a problem");
        Judgement::fails(MismatchKind::Type, message, "a JSON object", actual)
    });
    let empty = Judgement::empty("the body is not a problem: see `errors.member-type`");
    let judgements = std::iter::once(failed).chain(std::iter::repeat(empty));
    VERIFIES
        .iter()
        .zip(judgements)
        .map(|(requirement, judgement)| found(requirement, judgement))
        .collect()
}

fn judged(problem: &Map<String, Value>, name: &str, kind: MemberType) -> Judgement {
    let value = problem.get(name);
    let (holds, expected) = match (kind, value) {
        (MemberType::Text, value) => (value.is_some_and(Value::is_string), "a string"),
        (MemberType::NonEmptyText, value) => (
            value.and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
            "a string that is not empty",
        ),
        (MemberType::Integer, value) => (
            value.and_then(Value::as_number).is_some_and(|n| as_integer(n).is_some()),
            "an integer",
        ),
    };
    if holds {
        return Judgement::Holds;
    }
    let (mismatch, what) = match value {
        Some(value) => {
            (MismatchKind::Type, format!("is {}; expected {expected}", shown(Some(value))))
        }
        None => (MismatchKind::Absent, "is absent".to_owned()),
    };
    let message = format!("the problem's member `{name}` {what}");
    Judgement::fails(mismatch, message, expected, shown(value)).at(format!("/{name}"))
}
