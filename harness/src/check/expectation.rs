//! An expectation: places and what must hold there, all of it.

use serde_json::Value;

use super::shown::shown;
use super::{Document, Judgement, matcher, place, schema};
use crate::scenario::model::{Claim, Expectation, Matcher, Place};
use crate::scenario::names::Names;

/// Whether every claim holds. What fails comes before what was empty, which comes before what
/// holds: nothing passes by being empty.
pub fn judge(expectation: &Expectation, document: &Document, names: &Names) -> Judgement {
    expectation
        .claims
        .iter()
        .fold(Judgement::Holds, |judged, claim| judged.and(|| judge_claim(claim, document, names)))
}

fn judge_claim(claim: &Claim, document: &Document, names: &Names) -> Judgement {
    match &claim.place {
        Place::Schema => return judge_schema(&claim.matcher, document, names),
        Place::Problem if !place::is_sent_as_problem(document) => {
            let media_type = document.header("content-type").map(Value::String);
            return Judgement::fails(
                "the answer is not sent as a problem",
                "a body of application/problem+json",
                shown(media_type.as_ref()),
            );
        }
        Place::Status
        | Place::Problem
        | Place::Body
        | Place::Endpoint
        | Place::Header(_)
        | Place::Pointer(_)
        | Place::Path(_) => {}
    }
    let found = match place::find(&claim.place, document, names) {
        Ok(found) => found,
        Err(error) => return Judgement::empty(error.to_string()),
    };
    placed(matcher::judge(&claim.matcher, &found, names), claim, document, names)
}

/// A failure with the place in its message, and the pointer from the whole body.
fn placed(judgement: Judgement, claim: &Claim, document: &Document, names: &Names) -> Judgement {
    let described = || place::described(&claim.place, names);
    match judgement {
        Judgement::Holds => Judgement::Holds,
        Judgement::Empty { reason } => Judgement::empty(format!("{}: {reason}", described())),
        Judgement::Fails { message, expected, actual, pointer, is_tolerable } => {
            let tail = pointer.unwrap_or_default();
            Judgement::Fails {
                message: format!("{} {message}", described()),
                expected,
                actual,
                pointer: place::pointer(&claim.place, &tail, document, names),
                is_tolerable,
            }
        }
    }
}

/// `schema: NAME`, or `schema: true` for the schema that the operation documents for the status.
fn judge_schema(matcher: &Matcher, document: &Document, names: &Names) -> Judgement {
    let named = match matcher {
        Matcher::Equal(json) => match json.render(names) {
            Ok(value) => value,
            Err(unknown) => return Judgement::empty(unknown.to_string()),
        },
        Matcher::OneOf(_) | Matcher::All(_) => Value::Null,
    };
    let name = match &named {
        Value::String(name) => Some(name.as_str()),
        Value::Bool(true) => documented(document),
        _ => None,
    };
    match name {
        Some(name) => schema::judge(name, document.json.as_deref()),
        None => Judgement::empty("no schema is documented for this answer"),
    }
}

/// The schema that the contract documents for this operation and status.
fn documented(document: &Document) -> Option<&'static str> {
    let rows = document.operation?.responses();
    let exact = rows.iter().find(|row| Some(row.status) == document.status);
    // Some success statuses are open: any 2xx has the body of the documented one.
    let success = || rows.iter().find(|row| row.status < 300);
    let row = match document.status {
        Some(200..=299) => exact.or_else(success),
        _ => exact,
    };
    row?.schema
}
