//! The secrets of a run in every form that they could have in a file. They are replaced when a file is built, and
//! finished files are scanned for them.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::{Masks, Needles, map_texts};

/// Shorter forms are replaced, but files are not scanned for them: our own words could contain them by chance.
const SCANNED_BYTES_MIN: usize = 8;

/// The beginning of a placeholder.
const STEM: &str = "redacted-";

/// All forms of all secrets, and the replacement of each secret.
pub struct Secrets {
    forms: Needles,
    /// The replacement of each secret, and its label.
    rows: Vec<(String, String)>,
    /// Numbers of the rows that were replaced.
    used: Mutex<BTreeSet<usize>>,
}

impl Secrets {
    /// Replaces the current secrets by their labels in brackets.
    pub fn of(masks: &Masks) -> Self {
        Self::replacing(masks, |_, _, label| format!("[{label}]"))
    }

    /// Replaces the current secrets by placeholders. A secret always has the same placeholder, with the same length
    /// if it is long enough. So checks can still compare values.
    pub(crate) fn with_placeholders(masks: &Masks) -> Self {
        Self::replacing(masks, |number, secret, _| placeholder(number, secret.len()))
    }

    fn replacing(masks: &Masks, replacement: impl Fn(usize, &str, &str) -> String) -> Self {
        let secrets = masks.labelled();
        let numbered = || secrets.iter().enumerate();
        // Plain secrets come first: an encoded form may equal another secret.
        let plain = numbered().map(|(number, (secret, _))| (secret.clone(), number));
        let forms = numbered().flat_map(|(number, (secret, _))| {
            forms_of(secret).into_iter().map(move |form| (form, number))
        });
        let rows = numbered()
            .map(|(number, (secret, label))| (replacement(number, secret, label), label.clone()));
        Self {
            forms: Needles::of(plain.chain(forms)),
            rows: rows.collect(),
            used: Mutex::default(),
        }
    }

    /// `text` with every form of every secret replaced.
    pub fn mask(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.mask_bytes(text.as_bytes())).into_owned()
    }

    /// As [`Secrets::mask`], for bytes.
    pub(crate) fn mask_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.forms.replaced(bytes, |number| {
            self.used.lock().insert(number);
            self.rows[number].0.clone()
        })
    }

    /// As [`Secrets::mask`], for all texts of a value, and names of members.
    pub(crate) fn mask_value(&self, value: &Value) -> Value {
        map_texts(value, &|text| self.mask(text))
    }

    /// The replacements that were used so far, each with the label of its secret.
    pub(crate) fn used(&self) -> BTreeMap<String, String> {
        let used = self.used.lock();
        used.iter().map(|number| self.rows[*number].clone()).collect()
    }

    /// Whether `artefact` contains a secret in any form.
    pub fn is_in(&self, artefact: &str) -> bool {
        self.forms.matches(artefact.as_bytes()).any(|(_, place)| place.len() >= SCANNED_BYTES_MIN)
    }
}

fn placeholder(number: usize, length: usize) -> String {
    let stem = format!("{STEM}{number:05}-");
    let padding = "x".repeat(length.saturating_sub(stem.len()));
    stem + &padding
}

/// The forms of a secret: unchanged, percent-encoded (upper and lower case), as a form field, JSON-escaped,
/// HTML-escaped, and inside a base64 text at each of the three alignments.
fn forms_of(secret: &str) -> Vec<String> {
    let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let json = serde_json::Value::from(secret).to_string();
    let html = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    let mut forms = vec![
        secret.to_owned(),
        lower_hex(&percent),
        percent,
        form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
        json.trim_matches('"').to_owned(),
        html.replace('\'', "&#x27;"),
        html.replace('\'', "&#39;"),
    ];
    for offset in 0..3 {
        forms.extend(base64_inside(secret, offset));
    }
    forms.sort();
    forms.dedup();
    forms
}

fn lower_hex(percent: &str) -> String {
    let mut out = String::with_capacity(percent.len());
    let mut hex_left = 0;
    for c in percent.chars() {
        out.push(if hex_left > 0 { c.to_ascii_lowercase() } else { c });
        hex_left = if c == '%' { 2 } else { usize::saturating_sub(hex_left, 1) };
    }
    out
}

/// The base64 characters that depend on `secret` alone if it begins `offset` bytes after a multiple of three. A
/// text that is too short to scan for is left out.
fn base64_inside(secret: &str, offset: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(secret.bytes()).collect();
    // The first and the last characters also depend on the bytes before and after.
    let first = [0, 2, 3][offset];
    let shared_last = usize::from(!bytes.len().is_multiple_of(3));
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .into_iter()
        .filter_map(|text| text.get(first..text.len() - shared_last).map(str::to_owned))
        .filter(|text| text.len() >= SCANNED_BYTES_MIN)
        .collect()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::Secrets;
    use crate::exchange::masks::Masks;

    const SECRET: &str = "s3cr3t/+\"<&>' ü~x";

    fn secrets() -> Secrets {
        let masks = Masks::default();
        masks.hide(SECRET, "main.client_secret");
        Secrets::of(&masks)
    }

    #[track_caller]
    fn check(text: &str, is_found: bool) {
        assert_eq!(secrets().is_in(text), is_found, "{text}");
        let masked = secrets().mask(text);
        assert!(!secrets().is_in(&masked), "{masked}");
        assert_eq!(masked.contains("[main.client_secret]"), is_found, "{masked}");
    }

    #[test]
    fn every_form_is_found_and_masked() {
        check("nothing here", false);
        check(&format!("x{SECRET}y"), true);
        check("s3cr3t%2F%2B%22%3C%26%3E%27%20%C3%BC%7Ex", true);
        check("s3cr3t%2f%2b%22%3c%26%3e%27%20%c3%bc%7ex", true);
        check("client_secret=s3cr3t%2F%2B%22%3C%26%3E%27+%C3%BC%7Ex", true);
        check(&serde_json::json!({ "a": SECRET }).to_string(), true);
        check("s3cr3t/+&quot;&lt;&amp;&gt;&#x27; ü~x", true);
    }

    #[test]
    fn base64_is_found_at_every_alignment() {
        for before in ["", "a", "ab", "abc", "client:"] {
            check(&STANDARD.encode(format!("{before}{SECRET}")), true);
            check(&STANDARD.encode(format!("{before}{SECRET}:after")), true);
        }
        check(&STANDARD.encode("client:another secret"), false);
    }

    #[test]
    fn a_short_secret_is_masked_but_not_scanned_for() {
        let masks = Masks::default();
        masks.hide("seven77", "short");
        masks.hide("eight888", "long");
        let secrets = Secrets::of(&masks);
        assert_eq!(secrets.mask("seven77 eight888"), "[short] [long]");
        assert!(!secrets.is_in("seven77"));
        assert!(secrets.is_in("eight888"));
    }

    #[test]
    fn every_form_of_a_secret_has_its_placeholder() {
        let masks = Masks::default();
        masks.hide("a-token~of+a/run=", "A");
        let secrets = Secrets::with_placeholders(&masks);
        let text = secrets.mask("token=a-token%7Eof%2Ba%2Frun%3D&x=1 a-token~of+a/run=");
        assert_eq!(text, "token=redacted-00000-xx&x=1 redacted-00000-xx");
        assert!(!secrets.is_in(&text));
    }

    #[test]
    fn equal_secrets_have_the_same_placeholder_and_different_ones_have_different_placeholders() {
        let masks = Masks::default();
        masks.hide("first-secret-of-a-run", "A");
        masks.hide("first-secret-of-a", "B");
        masks.hide("an-unused-secret", "C");
        let secrets = Secrets::with_placeholders(&masks);
        let value = secrets.mask_value(&json!({
            "a": "Bearer first-secret-of-a-run", "b": ["first-secret-of-a-run", 1],
            "c": "first-secret-of-a"
        }));
        let (one, two) = ("redacted-00000-xxxxxx", "redacted-00001-xx");
        assert_eq!(value, json!({ "a": format!("Bearer {one}"), "b": [one, 1], "c": two }));
        let used: Vec<_> = secrets.used().into_iter().collect();
        assert_eq!(used, [(one.to_owned(), "A".to_owned()), (two.to_owned(), "B".to_owned())]);
    }
}
