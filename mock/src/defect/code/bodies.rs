//! Defects that the body or the parameters of a call trigger: malformed bodies and hostile values.

use std::collections::BTreeSet;

use http::StatusCode;
use moot_fixtures::contract::Operation;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::DefectCode::{self, Answer};
use crate::defect::call::{DefectCall, part_text};
use crate::defect::record;
use crate::value::message::call::{Body, BodyFault};
use crate::value::message::problem::Problem;
use crate::value::message::rule::Rule;
use crate::world::Outcome;

/// Length of the longest identifier or parameter that `hostile.long-word-is-500` serves, in bytes.
const WORD_BYTES_MAX: usize = 90;

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("http.wrong-media-type-taken", Answer(wrong_media_type_taken)),
    ("malformed.taken", Answer(malformed_taken)),
    ("create.empty-body-is-422", Answer(empty_body_is_422)),
    ("create.first-variable-suffices", Answer(first_variable_suffices)),
    ("hostile.parameter-twice-is-500", Answer(parameter_twice_is_500)),
    ("hostile.field-twice-is-500", Answer(field_twice_is_500)),
    ("hostile.long-word-is-500", Answer(long_word_is_500)),
    ("hostile.unicode-is-500", Answer(unicode_is_500)),
];

fn wrong_media_type_taken(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    match call.call.body {
        Body::Broken(BodyFault::NoBoundary | BodyFault::WrongMediaType) => {
            record::unchecked(call, outcome)
        }
        _ => outcome,
    }
}

fn malformed_taken(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    match call.call.body {
        Body::Broken(BodyFault::Malformed(_) | BodyFault::Truncated) => {
            record::unchecked(call, outcome)
        }
        _ => outcome,
    }
}

fn empty_body_is_422(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    match call.is(Operation::CreateLegalRequest) && call.parts().is_empty() {
        true => record::refusal(call),
        false => outcome,
    }
}

/// Creates a request that has the first required variable of its workflow, whatever else is missing.
fn first_variable_suffices(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let field = |name| call.field(name).unwrap_or_default();
    let refused = outcome.response.refused.as_ref().and_then(|it| it.rule.as_ref());
    let workflow = call.world.seed_data().workflow_of(&field("workflow_id")).map(|found| found.1);
    let mut variables = workflow.into_iter().flat_map(|workflow| &workflow.seed.variables);
    let first = variables.find(|(_, variable)| variable.required).map(|(name, _)| name);
    let sent: Value = serde_json::from_str(&field("variables")).unwrap_or_default();
    let has_first = first.is_some_and(|first| sent.get(first).is_some());
    match refused == Some(&Rule::VariableRequired) && has_first {
        true => record::unchecked(call, outcome),
        false => outcome,
    }
}

fn parameter_twice_is_500(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let names = parameters(call).into_iter().map(|(name, _)| name);
    fail_if(has_duplicates(names), call, outcome)
}

/// A field whose name ends with `[]` is a list and may be repeated.
fn field_twice_is_500(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let single = call.field_names().into_iter().filter(|name| !name.ends_with("[]"));
    fail_if(has_duplicates(single), call, outcome)
}

fn long_word_is_500(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    fail_if(words(call).iter().any(|word| word.len() > WORD_BYTES_MAX), call, outcome)
}

fn unicode_is_500(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let texts = call.parts().iter().filter(|part| part.file_name.is_none()).filter_map(part_text);
    let files = call.parts().iter().filter_map(|part| part.file_name.as_ref());
    let is_beyond_ascii = words(call).iter().any(|word| !word.is_ascii())
        || texts.into_iter().any(|text| !text.is_ascii())
        || files.into_iter().any(|name| !name.is_ascii());
    fail_if(is_beyond_ascii, call, outcome)
}

/// Refuses a hostile call with 500. Nothing is stored.
fn fail_if(is_hostile: bool, call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    if !is_hostile {
        return outcome;
    }
    let operation = call.call.admitted.operation;
    let problem =
        Problem::injected(Some(operation), StatusCode::INTERNAL_SERVER_ERROR, "internal_error");
    call.refuse(&problem)
}

/// The identifier in the path and the values of the parameters, decoded.
fn words(call: &DefectCall<'_>) -> Vec<String> {
    let decoded = |text: &String| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let id = call.call.admitted.id.as_ref().map(decoded);
    parameters(call).into_iter().map(|(_, value)| value).chain(id).collect()
}

fn parameters(call: &DefectCall<'_>) -> Vec<(String, String)> {
    let query = call.call.head.query.unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

fn has_duplicates<T: Ord>(names: impl IntoIterator<Item = T>) -> bool {
    let mut known = BTreeSet::new();
    names.into_iter().any(|name| !known.insert(name))
}
