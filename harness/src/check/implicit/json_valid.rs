//! Does a body that is sent as JSON parse, as UTF-8, with no member twice (RFC 8259 §2, §4, §8.1)?

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

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
        Some(body) if is_sent_as_json && !seen.is_limit() => found("json.valid", judged(body)),
        _ => Vec::new(),
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
