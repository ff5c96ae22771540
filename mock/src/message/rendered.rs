//! The JSON of a row, rendered once per change and copied into every answer.
//!
//! It does not know the base address, so that worlds under different addresses share it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

const BEFORE: &[u8] = br#"{"data":"#;
const AFTER: &[u8] = b"}";
/// The last occurrence is the member itself: whatever a caller supplied stands before it.
const ADDRESS_MEMBER: &[u8] = br#""agreement_url":""#;

/// A resource as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rendered {
    /// `{"data":…}`.
    #[serde(with = "json_text")]
    single: Bytes,
    /// Where the base address belongs in it.
    base_at: Option<usize>,
}

impl Rendered {
    /// Renders a resource without addresses of ours.
    pub(crate) fn plain(resource: &impl Serialize) -> Self {
        Self { single: wrapped(resource), base_at: None }
    }

    /// Takes `{"data":…}` without addresses of ours.
    pub(crate) fn of_single(single: Vec<u8>) -> Self {
        // Of exactly this size: a row is kept for long, and there are many.
        Self { single: single.into_boxed_slice().into(), base_at: None }
    }

    /// Renders a resource whose last `agreement_url` is a path below the base address.
    pub(crate) fn with_address(resource: &impl Serialize) -> Self {
        let single = wrapped(resource);
        let start = single.windows(ADDRESS_MEMBER.len()).rposition(|at| at == ADDRESS_MEMBER);
        Self { single, base_at: start.map(|start| start + ADDRESS_MEMBER.len()) }
    }

    /// The body of a single-resource answer; copied only where it holds an address.
    pub(crate) fn single(&self, base_url: &str) -> Bytes {
        let Some(base_at) = self.base_at else { return self.single.clone() };
        let mut body = Vec::with_capacity(self.single.len() + base_url.len());
        body.extend_from_slice(&self.single[..base_at]);
        body.extend_from_slice(base_url.as_bytes());
        body.extend_from_slice(&self.single[base_at..]);
        body.into()
    }

    /// Appends the member of a list.
    pub(crate) fn append_member(&self, base_url: &str, body: &mut Vec<u8>) {
        let end = self.single.len() - AFTER.len();
        let Some(base_at) = self.base_at else {
            body.extend_from_slice(&self.single[BEFORE.len()..end]);
            return;
        };
        body.extend_from_slice(&self.single[BEFORE.len()..base_at]);
        body.extend_from_slice(base_url.as_bytes());
        body.extend_from_slice(&self.single[base_at..end]);
    }

    /// Bytes that [`Self::append_member`] appends at most.
    pub(crate) fn member_length_max(&self, base_url: &str) -> usize {
        self.single.len() + base_url.len()
    }
}

fn wrapped(resource: &impl Serialize) -> Bytes {
    let resource = json_bytes(resource);
    // Of exactly this size: a row is kept for long, and there are many.
    let mut json = Vec::with_capacity(BEFORE.len() + resource.len() + AFTER.len());
    json.extend_from_slice(BEFORE);
    json.extend_from_slice(&resource);
    json.extend_from_slice(AFTER);
    json.into()
}

/// JSON of a value of ours.
pub(crate) fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("our records have text keys only, and writing to memory works")
}

/// Appends a text as JSON.
pub(crate) fn append_text(text: &str, json: &mut Vec<u8>) {
    // Nothing in most texts needs an escape (RFC 8259 section 7).
    if !text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        json.push(b'"');
        json.extend_from_slice(text.as_bytes());
        json.push(b'"');
        return;
    }
    serde_json::to_writer(json, text).expect("writing text to memory works");
}

/// Appends a whole number as JSON; formatting it would take thrice as long.
pub(crate) fn append_number(number: i64, json: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let (mut first, mut rest) = (digits.len(), number.unsigned_abs());
    while rest > 0 || first == digits.len() {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if number < 0 {
        json.push(b'-');
    }
    json.extend_from_slice(&digits[first..]);
}

/// JSON of ours inside the JSON of a record, as text.
pub(crate) mod json_text {
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer, ser};

    /// Writes it.
    pub(crate) fn serialize<S: Serializer>(json: &Bytes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(std::str::from_utf8(json).map_err(ser::Error::custom)?)
    }

    /// Reads it back.
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        String::deserialize(from).map(Bytes::from)
    }
}

#[cfg(test)]
mod tests {
    use super::{append_number, append_text};

    #[test]
    fn texts_are_written_as_serde_writes_them() {
        for text in ["", "plain", "ü — €", "a\"b", "a\\b", "line\nline", "\u{1f}", "\u{7f}", "/"]
        {
            let mut json = Vec::new();
            append_text(text, &mut json);
            assert_eq!(json, serde_json::to_vec(text).expect("writing to memory works"), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_are_formatted() {
        for number in [0, 7, -1, 10, 7200, 1_772_720_000, i64::MAX, i64::MIN] {
            let mut json = Vec::new();
            append_number(number, &mut json);
            assert_eq!(json, number.to_string().into_bytes());
        }
    }
}
