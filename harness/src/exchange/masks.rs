//! The secrets of a run. Every text is masked when it is made, and every finished file is scanned.

mod needles;
mod secrets;

pub(crate) use needles::Needles;
pub use secrets::Secrets;
pub(crate) use secrets::forms_of;

/// The secrets of a run with their labels. Copies are cheap. Tokens are added when they are issued.
#[derive(Debug, Default)]
pub struct Masks(parking_lot::RwLock<SecretList>);

#[derive(Debug, Default)]
struct SecretList {
    /// Each secret with its label in brackets, in the order of their addition.
    secrets: Vec<(String, String)>,
    needles: Needles,
}

impl SecretList {
    fn add(&mut self, secret: &str, label: String) {
        if self.needles.add(secret, self.secrets.len()) {
            self.secrets.push((secret.to_owned(), label));
        }
    }
}

impl Masks {
    /// Hides `secret` as `[label]` from now on. Texts under 4 bytes are not hidden.
    pub fn hide(&self, secret: &str, label: &str) {
        self.0.write().add(secret, format!("[{label}]"));
    }

    /// `text` with every known secret replaced by its label.
    pub fn mask(&self, text: &str) -> String {
        let known = self.0.read();
        known.needles.replaced(text, |number| &known.secrets[number].1)
    }

    /// Only the secrets that occur in `text`. A run knows thousands, a request has a few.
    pub fn within(&self, text: &str) -> Self {
        let known = self.0.read();
        let mut here = SecretList::default();
        for number in known.needles.within(text.as_bytes()) {
            let (secret, label) = &known.secrets[number];
            here.add(secret, label.clone());
        }
        Self(parking_lot::RwLock::new(here))
    }

    /// Each secret with its label, longest first.
    pub fn labelled(&self) -> Vec<(String, String)> {
        let bare = |label: &str| label.trim_matches(['[', ']']).to_owned();
        let known = self.0.read();
        let mut all: Vec<(String, String)> =
            known.secrets.iter().map(|(secret, label)| (secret.clone(), bare(label))).collect();
        all.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all
    }

    /// The current secrets, for scanning finished files.
    pub fn secrets(&self) -> Vec<String> {
        self.0.read().secrets.iter().map(|(secret, _)| secret.clone()).collect()
    }
}
