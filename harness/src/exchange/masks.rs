//! The secrets of a run. Every text is masked when it is made, and every finished file is scanned.

mod map_texts;
mod needles;
mod secrets;

pub(crate) use map_texts::map_texts;
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
        let list = self.0.read();
        let masked = list
            .needles
            .replaced(text.as_bytes(), |number| format!("[{}]", list.secrets[number].1));
        String::from_utf8_lossy(&masked).into_owned()
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
