//! Secrets of a run replaced by placeholders: the same secret by the same one, of the same length
//! where it is long enough, so that what a check compares stays comparable.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;

use crate::exchange::Masks;

/// What a placeholder begins with.
const STEM: &str = "redacted-";

/// Replaces, and remembers which placeholders it used.
pub(super) struct Redactor {
    automaton: Option<AhoCorasick>,
    /// Placeholder and label of each secret.
    rows: Vec<(String, String)>,
    used: BTreeMap<String, String>,
}

impl Redactor {
    /// For the secrets that are known now.
    ///
    /// # Errors
    /// Where there are more than can be looked for at once.
    pub(super) fn new(masks: &Masks) -> Result<Self, String> {
        let secrets = masks.labelled();
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(secrets.iter().map(|(secret, _)| secret));
        let automaton = match secrets.is_empty() {
            true => None,
            false => Some(built.map_err(|error| error.to_string())?),
        };
        let rows = secrets.into_iter().enumerate();
        let rows = rows.map(|(at, (secret, label))| (placeholder(at, secret.len()), label));
        Ok(Self { automaton, rows: rows.collect(), used: BTreeMap::new() })
    }

    /// Bytes without secrets.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(automaton) = &self.automaton else { return bytes.to_vec() };
        let mut out = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for found in automaton.find_iter(bytes) {
            let (placeholder, label) = &self.rows[found.pattern()];
            out.extend_from_slice(&bytes[from..found.start()]);
            out.extend_from_slice(placeholder.as_bytes());
            self.used.insert(placeholder.clone(), label.clone());
            from = found.end();
        }
        out.extend_from_slice(&bytes[from..]);
        out
    }

    /// A text without secrets.
    pub(super) fn text(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// A value without secrets, names of members among it.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (self.text(name), self.value(member))).collect()
            }
            other => other.clone(),
        }
    }

    /// Every placeholder that was used, with what the secret was.
    pub(super) fn used(self) -> BTreeMap<String, String> {
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
    use crate::exchange::Masks;

    #[test]
    fn the_same_secret_is_the_same_placeholder_everywhere_and_another_is_another() {
        let masks = Masks::default();
        masks.hide("first-secret-of-a-run", "A");
        masks.hide("first-secret-of-a", "B");
        let mut redactor = Redactor::new(&masks).expect("two secrets");
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
