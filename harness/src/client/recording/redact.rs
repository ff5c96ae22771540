//! Replaces the secrets of a run by placeholders. A secret always has the same placeholder. If it is
//! long enough, the placeholder has the same length. So checks still compare equal values.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::exchange::Trouble;
use crate::exchange::masks::{Masks, Needles, forms_of};

/// The beginning of a placeholder.
const STEM: &str = "redacted-";

/// Replaces secrets, and collects the placeholders.
pub(crate) struct Redactor {
    needles: Needles,
    /// Placeholder and label of each secret.
    rows: Vec<(String, String)>,
    used: BTreeMap<String, String>,
}

impl Redactor {
    /// Redacts the secrets that are known at this time.
    pub(crate) fn new(masks: &Masks) -> Self {
        Self::replacing(masks, |at, secret, _| placeholder(at, secret.len()))
    }

    /// Replaces each secret by its label in brackets, as reports show it.
    pub(crate) fn with_labels(masks: &Masks) -> Self {
        Self::replacing(masks, |_, _, label| format!("[{label}]"))
    }

    fn replacing(masks: &Masks, by: impl Fn(usize, &str, &str) -> String) -> Self {
        let secrets = masks.labelled();
        let rows = secrets.iter().enumerate();
        let rows = rows.map(|(at, (secret, label))| (by(at, secret, label), label.clone()));
        // Plain secrets come first: an encoded form may equal another secret.
        let plain = secrets.iter().enumerate().map(|(at, (secret, _))| (secret.clone(), at));
        let forms = secrets
            .iter()
            .enumerate()
            .flat_map(|(at, (secret, _))| forms_of(secret).into_iter().map(move |form| (form, at)));
        let needles = Needles::of(plain.chain(forms));
        let rows = rows.collect();
        Self { needles, rows, used: BTreeMap::new() }
    }

    /// These bytes without secrets.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for found in self.needles.find(bytes) {
            let (placeholder, label) = &self.rows[found.number];
            out.extend_from_slice(&bytes[from..found.start]);
            out.extend_from_slice(placeholder.as_bytes());
            self.used.insert(placeholder.clone(), label.clone());
            from = found.end;
        }
        out.extend_from_slice(&bytes[from..]);
        out
    }

    /// This text without secrets.
    pub(crate) fn text(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// This value without secrets, also in names of members.
    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (self.text(name), self.value(member))).collect()
            }
            other => other.clone(),
        }
    }

    /// This trouble without secrets.
    pub(super) fn trouble(&mut self, trouble: &Trouble) -> Trouble {
        trouble.clone().map_details(|text| self.text(text))
    }

    /// The placeholders so far, each with the label of its secret.
    pub(crate) fn used(self) -> BTreeMap<String, String> {
        self.used
    }
}

fn placeholder(at: usize, length: usize) -> String {
    let stem = format!("{STEM}{at:05}-");
    let padding = "x".repeat(length.saturating_sub(stem.len()));
    stem + &padding
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Redactor;
    use crate::exchange::masks::Masks;

    #[test]
    fn a_secret_is_replaced_in_every_form_in_which_it_is_looked_for() {
        let masks = Masks::default();
        masks.hide("a-token~of+a/run=", "A");
        let mut redactor = Redactor::new(&masks);
        let text = redactor.text("token=a-token%7Eof%2Ba%2Frun%3D&x=1 a-token~of+a/run=");
        assert_eq!(text, "token=redacted-00000-xx&x=1 redacted-00000-xx");
        assert!(!crate::exchange::masks::Secrets::of(&masks).is_in(&text));
    }

    #[test]
    fn the_same_secret_is_the_same_placeholder_everywhere_and_another_is_another() {
        let masks = Masks::default();
        masks.hide("first-secret-of-a-run", "A");
        masks.hide("first-secret-of-a", "B");
        let mut redactor = Redactor::new(&masks);
        let value = redactor.value(&json!({
            "a": "Bearer first-secret-of-a-run", "b": ["first-secret-of-a-run", 1],
            "c": "first-secret-of-a"
        }));
        let (one, two) = ("redacted-00000-xxxxxx", "redacted-00001-xx");
        assert_eq!(value, json!({ "a": format!("Bearer {one}"), "b": [one, 1], "c": two }));
        let used: Vec<_> = redactor.used().into_iter().collect();
        assert_eq!(used, [(one.to_owned(), "A".to_owned()), (two.to_owned(), "B".to_owned())]);
    }
}
