//! An expectation: places and what must hold there, all of it.

use serde_json::Value;

use super::sentence::WantedStatus;
use super::shown::shown;
use super::wording::wording;
use super::{
    AnswerPart, Document, Judgement, Mismatch, MismatchKind, PlaceValue, matcher, place, schema,
    sentence, sound_json,
};
use crate::scenario::model::{Claim, Expectation, Matcher, Place};
use crate::scenario::names::Names;

/// Whether every claim holds. A failure comes before an empty judgement, which comes before one that
/// holds: nothing passes by being empty.
pub fn judge(expectation: &Expectation, document: &Document, names: &Names) -> Judgement {
    expectation
        .claims
        .iter()
        .fold(Judgement::Holds, |judged, claim| judged.and(|| judge_claim(claim, document, names)))
}

/// Whether it asks for a successful status.
pub fn asks_success(expectation: &Expectation, names: &Names) -> bool {
    let is_met = |claim: &Claim, status: u16| {
        let value = PlaceValue::One(Some(Value::from(status)));
        matcher::judge(&claim.matcher, &value, names) == Judgement::Holds
    };
    expectation
        .claims
        .iter()
        .filter(|claim| matches!(claim.place, Place::Status))
        .any(|claim| [200, 201, 202, 204].into_iter().any(|status| is_met(claim, status)))
}

fn judge_claim(claim: &Claim, document: &Document, names: &Names) -> Judgement {
    match &claim.place {
        Place::Schema => return judge_schema(&claim.matcher, document, names),
        Place::Problem if !place::is_sent_as_problem(document) => {
            let media_type = document.header("content-type").map(Value::String);
            let status = document.status.map(|status| format!(" ({status})")).unwrap_or_default();
            return Judgement::fails(
                MismatchKind::MediaType,
                format!("{}the body is not a problem{status}", sentence::in_answer(document)),
                "a body of application/problem+json",
                shown(media_type.as_ref()),
            );
        }
        Place::Status
        | Place::Problem
        | Place::Body
        | Place::Digest
        | Place::Endpoint
        | Place::Header(_)
        | Place::Pointer(_)
        | Place::Path(_) => {}
    }
    let value = match place::find(&claim.place, document, names) {
        Ok(value) => value,
        Err(reason) => return Judgement::empty(reason),
    };
    match matcher::judge(&claim.matcher, &value, names) {
        Judgement::Holds => Judgement::Holds,
        Judgement::Empty { reason } => {
            let place = place::described(&claim.place, names);
            Judgement::empty(format!("{place}: {reason}"))
        }
        Judgement::Fails(mismatch) => match unreadable(&claim.place, document) {
            Some(fails) => fails,
            None => Judgement::Fails(with_place(mismatch, claim, document, names)),
        },
    }
}

/// What is wrong with a body that is sent as JSON and cannot be read: nothing in it can be judged.
fn unreadable(place: &Place, document: &Document) -> Option<Judgement> {
    match place {
        Place::Problem | Place::Pointer(_) | Place::Path(_) => sound_json::unreadable(document),
        Place::Status
        | Place::Schema
        | Place::Body
        | Place::Endpoint
        | Place::Digest
        | Place::Header(_) => None,
    }
}

/// The mismatch with its sentence, and with the pointer from the root of the body.
fn with_place(mismatch: Mismatch, claim: &Claim, document: &Document, names: &Names) -> Mismatch {
    let tail = mismatch.pointer.as_deref().unwrap_or_default();
    let pointer = place::pointer(&claim.place, tail, document, names);
    let (part, message) = match &claim.place {
        Place::Status => {
            let expected = wording(&claim.matcher, names);
            let wanted = wanted_status(&claim.matcher, names);
            (AnswerPart::Status, sentence::of_status(&expected, wanted, document))
        }
        Place::Header(name) => {
            let place = format!("the header `{name}`");
            let message = sentence::of_value(&place, &mismatch, document);
            (AnswerPart::Header(name.clone()), message)
        }
        place => {
            let at_pointer = pointer.as_ref().map(|pointer| format!("`{pointer}`"));
            let place = at_pointer.unwrap_or_else(|| place::described(place, names));
            (AnswerPart::Body, sentence::of_value(&place, &mismatch, document))
        }
    };
    Mismatch { part, message, pointer, ..mismatch }
}

/// The classes of statuses that satisfy the matcher.
fn wanted_status(matcher: &Matcher, names: &Names) -> WantedStatus {
    let is_wanted = |status: u16| {
        let value = PlaceValue::One(Some(Value::from(status)));
        matcher::judge(matcher, &value, names) == Judgement::Holds
    };
    WantedStatus { success: (200..300).any(is_wanted), refusal: (400..500).any(is_wanted) }
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
        Some(name) => schema::judge(name, document),
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
