//! Does a body that is sent as JSON parse, as UTF-8, with no member twice (RFC 8259 §2, §4, §8.1)?

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;
use crate::check::document::is_json;
use crate::check::shown::shortened;

pub(super) const ROW: Implicit = Implicit { name: "valid JSON", verifies: &["json.valid"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    let is_sent_as_json = seen.media_type().is_some_and(|media_type| is_json(&media_type));
    // Without a body (204, HEAD) nothing was sent as JSON; the limiter's body is free.
    let body = seen.whole_body().filter(|body| !body.is_empty());
    match body {
        Some(body) if is_sent_as_json && !seen.is_limit() => {
            let is_sound = seen.is_sound();
            found("json.valid", if is_sound { Judgement::Holds } else { judged(body) })
        }
        _ => Vec::new(),
    }
}

/// Whether `json`, which was read from `body`, has as many members as were written: then none was there
/// twice, and it need not be read again to know.
pub(super) fn is_sound(body: &[u8], json: &Value) -> bool {
    members_written(body) == members_of(json)
}

/// Colons outside of texts, of a body that is JSON.
fn members_written(body: &[u8]) -> usize {
    let (mut members, mut is_in_text) = (0, false);
    let mut bytes = body.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_in_text = !is_in_text,
            // What is escaped ends no text.
            b'\\' if is_in_text => {
                bytes.next();
            }
            b':' if !is_in_text => members += 1,
            _ => {}
        }
    }
    members
}

fn members_of(json: &Value) -> usize {
    match json {
        Value::Object(members) => members.len() + members.values().map(members_of).sum::<usize>(),
        Value::Array(items) => items.iter().map(members_of).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn judged(body: &[u8]) -> Judgement {
    let expected = "JSON in UTF-8 without duplicate members";
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let place = format!("byte {}", error.valid_up_to());
            return Judgement::fails("the body is not UTF-8", expected, place);
        }
    };
    match serde_json::from_str::<Sound>(text) {
        Ok(Sound) => Judgement::Holds,
        Err(error) if error.to_string().contains("recursion limit") => {
            Judgement::empty("the body is nested deeper than is read")
        }
        Err(error) => Judgement::fails(
            format!("the body is no valid JSON: {error}"),
            expected,
            shortened(text),
        ),
    }
}

/// Any JSON value in which no object has a member twice.
struct Sound;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SoundVisitor)
    }
}

struct SoundVisitor;

impl<'de> Visitor<'de> for SoundVisitor {
    type Value = Sound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Sound, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Sound>()?;
            if names.contains(&name) {
                return Err(A::Error::custom(format_args!("the member `{name}` is there twice")));
            }
            names.insert(name);
        }
        Ok(Sound)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Sound, A::Error> {
        while items.next_element::<Sound>()?.is_some() {}
        Ok(Sound)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_str<E>(self, _: &str) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_unit<E>(self) -> Result<Sound, E> {
        Ok(Sound)
    }
}

#[cfg(test)]
mod tests {
    use super::is_sound;

    #[track_caller]
    fn check(body: &str, expected: bool) {
        let json = serde_json::from_str(body).expect("a parser takes it");
        assert_eq!(is_sound(body.as_bytes(), &json), expected, "{body}");
    }

    #[test]
    fn members_that_are_there_twice_are_missed_in_what_was_read() {
        check(r#"{"a": 1, "b": {"a": [{"a": ":"}, ":", {"a\":": null}]}}"#, true);
        check(r#"{"a\\": {"b": 1}, "a": "\\\":"}"#, true);
        check("7", true);
        check(r#"{"a": 1, "a": 1}"#, false);
        check(r#"[{"x": {"a": 1, "\u0061": {"b": 2}}}]"#, false);
    }
}
