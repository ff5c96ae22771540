//! Judges a document by an expectation of a scenario.

use moot_fixtures::documents;
use serde_json::Value;

use super::wording::wording;
use super::{
    Document, Judgement, Mismatch, MismatchKind, PlaceValue, ResponsePart, matcher, place,
    problem_body, schema, sentence, sound_json,
};
use crate::scenario::model::{Claim, MatcherRule, Place};
use crate::scenario::names::Names;

/// Judges whether every claim holds. The most severe judgement counts.
pub fn judge(expectation: &[Claim], document: &Document, names: &Names) -> Judgement {
    expectation
        .iter()
        .fold(Judgement::Holds, |judged, claim| judged.and(|| judge_claim(claim, document, names)))
}

/// Whether a successful status can satisfy a claim about the status.
pub fn asks_success(expectation: &[Claim], names: &Names) -> bool {
    let statuses = [200, 201, 202, 204];
    let mut claims = expectation.iter().filter(|claim| matches!(claim.place, Place::Status));
    claims.any(|claim| statuses.into_iter().any(|status| accepts(&claim.matcher, status, names)))
}

/// Whether a claim is about the status, and no successful status can satisfy it.
pub fn asks_refusal(expectation: &[Claim], names: &Names) -> bool {
    expectation.iter().any(|claim| matches!(claim.place, Place::Status))
        && !asks_success(expectation, names)
}

fn accepts(matcher: &[MatcherRule], status: u16, names: &Names) -> bool {
    let value = PlaceValue::One(Some(Value::from(status)));
    matcher::judge(matcher, &value, names) == Judgement::Holds
}

fn judge_claim(claim: &Claim, document: &Document, names: &Names) -> Judgement {
    if matches!(claim.place, Place::Schema) {
        return judge_schema(&claim.matcher, document, names);
    }
    if matches!(claim.place, Place::Problem)
        && let Some(fails) = problem_body::mislabelled(document)
    {
        return fails;
    }
    let value = match place::find(&claim.place, document, names) {
        Ok(value) => value,
        Err(reason) => return Judgement::not_applicable(reason),
    };
    match matcher::judge(&claim.matcher, &value, names) {
        Judgement::Holds => Judgement::Holds,
        Judgement::NotApplicable { reason } => {
            let place = place::in_words(&claim.place, names);
            Judgement::not_applicable(format!("{place}: {reason}"))
        }
        Judgement::Fails(mismatch) => match unreadable(&claim.place, document) {
            Some(fails) => fails,
            None => Judgement::Fails(match absent_member(&value, &claim.place, document, names) {
                Some(pointer) => absence(mismatch, pointer, document),
                None => with_place(mismatch, claim, document, names),
            }),
        },
    }
}

/// The failure of the body itself, if the place is in a body that is sent as JSON and cannot be read.
fn unreadable(place: &Place, document: &Document) -> Option<Judgement> {
    let is_in_json = matches!(place, Place::Problem | Place::Pointer(_) | Place::Path(_));
    sound_json::unreadable(document).filter(|_| is_in_json)
}

fn absent_member(
    value: &PlaceValue,
    place: &Place,
    document: &Document,
    names: &Names,
) -> Option<String> {
    let is_nothing = matches!(value, PlaceValue::Many(values) if values.is_empty());
    place::absent_member(place, document, names).filter(|_| is_nothing)
}

/// A JSONPath that finds nothing because a member is absent.
fn absence(mismatch: Mismatch, pointer: String, document: &Document) -> Mismatch {
    let (kind, actual) = (MismatchKind::Absent, "absent".to_owned());
    let mismatch = Mismatch { kind, actual, part: ResponsePart::Body, ..mismatch };
    let message = sentence::of_value(&format!("`{pointer}`"), &mismatch, document);
    Mismatch { message, pointer: Some(pointer), ..mismatch }
}

/// Adds the sentence, and the pointer from the root of the body, to a mismatch.
fn with_place(mismatch: Mismatch, claim: &Claim, document: &Document, names: &Names) -> Mismatch {
    let tail = mismatch.pointer.as_deref().unwrap_or_default();
    let pointer = place::pointer(&claim.place, tail, document, names);
    let (part, message) = match &claim.place {
        Place::Status => {
            let expected = wording(&claim.matcher, names);
            let accepts = |status| accepts(&claim.matcher, status, names);
            (ResponsePart::Status, sentence::of_status(&expected, accepts, document))
        }
        Place::Header(name) => {
            let place = format!("the header `{name}`");
            let message = sentence::of_value(&place, &mismatch, document);
            (ResponsePart::Header(name.clone()), message)
        }
        Place::Digest => {
            let is_expected = |bytes: &[u8]| {
                let digest = PlaceValue::One(Some(place::digest_of(bytes)));
                matcher::judge(&claim.matcher, &digest, names) == Judgement::Holds
            };
            let sample = documents::ALL.iter().find(|sample| is_expected(sample.bytes));
            (ResponsePart::Body, sentence::of_bytes(sample, document))
        }
        place => {
            let at_pointer = pointer.as_ref().map(|pointer| format!("`{pointer}`"));
            let place = at_pointer.unwrap_or_else(|| place::in_words(place, names));
            (ResponsePart::Body, sentence::of_value(&place, &mismatch, document))
        }
    };
    Mismatch { part, message, pointer, ..mismatch }
}

/// Judges `schema: NAME`, or `schema: true` for the schema that the operation documents for the status.
fn judge_schema(matcher: &[MatcherRule], document: &Document, names: &Names) -> Judgement {
    let named = match matcher {
        [MatcherRule::Equals(json)] => match json.render(names) {
            Ok(value) => value,
            Err(unknown) => return Judgement::not_applicable(unknown.to_string()),
        },
        _ => Value::Null,
    };
    let name = match &named {
        Value::String(name) => Some(name.as_str()),
        Value::Bool(true) => documented_schema(document),
        _ => None,
    };
    match name {
        Some(name) => schema::judge(name, document),
        None => Judgement::not_applicable("no schema is documented for this response"),
    }
}

/// The schema that the contract documents for this operation and status.
fn documented_schema(document: &Document) -> Option<&'static str> {
    let rows = document.operation?.responses();
    let exact = rows.iter().find(|row| Some(row.status) == document.status);
    // Some success statuses are open. Any 2xx has the body of the documented success.
    let success = || rows.iter().find(|row| row.status < 300);
    let row = match document.status {
        Some(200..=299) => exact.or_else(success),
        _ => exact,
    };
    row?.schema
}
