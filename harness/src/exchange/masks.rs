//! The secrets of a run. Every text is masked when it is made, and every finished file is scanned.

mod needles;
mod secrets;

use serde_json::Value;

use needles::Needles;
pub use secrets::Secrets;

/// The secrets of a run with their labels. Tokens are added when they are issued.
#[derive(Debug, Default)]
pub struct Masks(parking_lot::RwLock<SecretList>);

#[derive(Debug, Default)]
struct SecretList {
    /// Each secret with its label, in the order of their addition.
    secrets: Vec<(String, String)>,
    needles: Needles,
}

impl SecretList {
    fn add(&mut self, secret: &str, label: &str) {
        if self.needles.add(secret, self.secrets.len()) {
            self.secrets.push((secret.to_owned(), label.to_owned()));
        }
    }
}

impl Masks {
    /// Replaces `secret` by `[label]` from now on. A secret under 4 bytes is not replaced.
    pub fn hide(&self, secret: &str, label: &str) {
        self.0.write().add(secret, label);
    }

    /// Replaces every secret in `text` by its label in brackets.
    pub fn mask(&self, text: &str) -> String {
        self.rewritten(text, str::to_owned, |label| format!("[{label}]"))
    }

    /// `text` with each secret rewritten by its label, and with each text between two secrets rewritten.
    pub(crate) fn rewritten(
        &self,
        text: &str,
        between: impl Fn(&str) -> String,
        secret: impl Fn(&str) -> String,
    ) -> String {
        let list = self.0.read();
        let (mut out, mut from) = (String::new(), 0);
        for (number, place) in list.needles.find(text.as_bytes()) {
            out.push_str(&between(&text[from..place.start]));
            out.push_str(&secret(&list.secrets[number].1));
            from = place.end;
        }
        out + &between(&text[from..])
    }

    /// Only the secrets that occur in `text`. A run has thousands, a request contains a few.
    pub fn within(&self, text: &str) -> Self {
        let list = self.0.read();
        let mut found = SecretList::default();
        for number in list.needles.within(text.as_bytes()) {
            let (secret, label) = &list.secrets[number];
            found.add(secret, label);
        }
        Self(parking_lot::RwLock::new(found))
    }

    /// Each secret with its label, longest first.
    pub fn labelled(&self) -> Vec<(String, String)> {
        let mut all = self.0.read().secrets.clone();
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all
    }
}

/// The value with each of its texts replaced, also the names of members.
pub(crate) fn map_texts(value: &Value, map: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(map(text)),
        Value::Array(items) => items.iter().map(|item| map_texts(item, map)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (map(name), map_texts(member, map))).collect()
        }
        other => other.clone(),
    }
}
