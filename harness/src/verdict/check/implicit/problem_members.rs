//! Does a problem have its six members, each of its type (§7)?

use serde_json::Value;

use super::AnsweredExchange;
use crate::verdict::check::equal::as_integer;
use crate::verdict::check::value_text::{shortened, value_text};
use crate::verdict::check::{Judgement, MismatchKind, problem_body, sound_json};

pub(super) const VERIFIES: &[&str] = &[
    "errors.member-type",
    "errors.member-status",
    "errors.member-title",
    "errors.member-detail",
    "errors.member-instance",
    "errors.member-request-id",
];

/// A member: its name, whether a value is right, and the type in words.
type MemberRow = (&'static str, fn(&Value) -> bool, &'static str);

/// The members, in the order of [`VERIFIES`].
const MEMBERS: [MemberRow; 6] = [
    ("type", is_non_empty_text, NON_EMPTY_TEXT),
    ("status", is_integer, "an integer"),
    ("title", is_non_empty_text, NON_EMPTY_TEXT),
    ("detail", is_non_empty_text, NON_EMPTY_TEXT),
    ("instance", Value::is_string, "a string"),
    ("request_id", is_non_empty_text, NON_EMPTY_TEXT),
];

const NON_EMPTY_TEXT: &str = "a string that is not empty";

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    if !answered.is_problem_due() {
        return Vec::new();
    }
    let Some(problem) = answered.problem() else { return without_problem(answered) };
    VERIFIES
        .iter()
        .copied()
        .zip(MEMBERS)
        .map(|(requirement, (name, is_right, expected))| {
            (requirement, judge_member(problem.get(name), name, is_right, expected))
        })
        .collect()
}

/// One cause, one finding: the first member fails, and the others are not judged.
fn without_problem(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let body = shortened(&String::from_utf8_lossy(&answered.response.body));
    let actual = if body.is_empty() { "an empty body".to_owned() } else { body };
    let document = answered.document();
    let failed = sound_json::unreadable(&document)
        .or_else(|| problem_body::mislabelled(&document))
        .unwrap_or_else(|| {
            let status = answered.status();
            let message = format!("the body of the error (status {status}) is not a problem");
            Judgement::fails(MismatchKind::Type, message, "a JSON object", actual)
        });
    let empty = Judgement::empty("the body is not a problem: see `errors.member-type`");
    let judgements = std::iter::once(failed).chain(std::iter::repeat(empty));
    VERIFIES.iter().copied().zip(judgements).collect()
}

fn judge_member(
    value: Option<&Value>,
    name: &str,
    is_right: fn(&Value) -> bool,
    expected: &str,
) -> Judgement {
    let (mismatch, what) = match value {
        Some(value) if is_right(value) => return Judgement::Holds,
        Some(value) => {
            (MismatchKind::Type, format!("is {}; expected {expected}", value_text(Some(value))))
        }
        None => (MismatchKind::Absent, "is absent".to_owned()),
    };
    let message = format!("the problem's member `{name}` {what}");
    Judgement::fails(mismatch, message, expected, value_text(value)).at(format!("/{name}"))
}

fn is_non_empty_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_integer(value: &Value) -> bool {
    value.as_number().is_some_and(|number| as_integer(number).is_some())
}
