//! Does a problem have its six members, each of its type (§7)?

use serde_json::{Map, Value};

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

/// Without `type` and in all so many members, the body has another form: it is no problem.
const ABSENT_MIN: usize = 3;

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    if !answered.is_problem_due() {
        return Vec::new();
    }
    let Some(problem) = answered.problem() else { return one_failure(body_failure(answered)) };
    if let Some(failed) = other_form(answered, problem) {
        return one_failure(failed);
    }
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
fn one_failure(failed: Judgement) -> Vec<(&'static str, Judgement)> {
    let empty = Judgement::not_applicable("the body is not a problem: see `errors.member-type`");
    let judgements = std::iter::once(failed).chain(std::iter::repeat(empty));
    VERIFIES.iter().copied().zip(judgements).collect()
}

/// The failure of a body that is no JSON object.
fn body_failure(answered: &AnsweredExchange<'_>) -> Judgement {
    let document = answered.document();
    sound_json::unreadable(&document)
        .or_else(|| problem_body::mislabelled(&document))
        .unwrap_or_else(|| no_problem(answered, "", "type", &[]))
}

/// The failure of an error in a form of its own, such as `{"message": "Not found"}`.
fn other_form(answered: &AnsweredExchange<'_>, problem: &Map<String, Value>) -> Option<Judgement> {
    let names = MEMBERS.iter().map(|(name, ..)| *name);
    let absent: Vec<&str> = names.filter(|name| !problem.contains_key(*name)).collect();
    if absent.len() < ABSENT_MIN || !absent.contains(&"type") {
        return None;
    }
    let lack = format!(": it has no `{}`", absent.join("`, `"));
    Some(no_problem(answered, &lack, "required", &absent))
}

/// `keyword` is the one of JSON Schema that the body breaks; the fault explains other failures in the body.
fn no_problem(
    answered: &AnsweredExchange<'_>,
    why: &str,
    keyword: &str,
    members: &[&str],
) -> Judgement {
    let members = members.iter().map(|name| (*name).to_owned()).collect();
    let mismatch = MismatchKind::Schema { keyword: keyword.to_owned(), members };
    let message =
        format!("the body of the error (status {}) is not a problem{why}", answered.status());
    let expected =
        "a JSON object with `type`, `status`, `title`, `detail`, `instance`, `request_id`";
    Judgement::fails(mismatch, message, expected, body_of(answered)).at("")
}

fn body_of(answered: &AnsweredExchange<'_>) -> String {
    let body = shortened(&String::from_utf8_lossy(&answered.response.body));
    if body.is_empty() { "an empty body".to_owned() } else { body }
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
