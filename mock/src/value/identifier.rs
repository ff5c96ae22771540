//! Identifiers: short hash strings (§2).
//!
//! An id is a keyed bijection of the row's number, in eight characters of `0-9A-Za-z`. So two rows of a kind never
//! have the same id.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::value::key::SeedKey;

/// The document id in the id of a download. Neither may exist.
pub(crate) fn document_id_of(download_id: &str) -> Option<&str> {
    download_id.len().checked_sub(CODE_LENGTH + 1).and_then(|end| download_id.get(..end))
}

/// The kind of an id. Ids of different kinds are unrelated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
pub(crate) enum IdKind {
    /// §2.1.
    #[strum(serialize = "request id")]
    LegalRequest,
    /// §2.2.
    #[strum(serialize = "document id")]
    RepositoryDocument,
    /// §2.3.
    #[strum(serialize = "workflow id")]
    Workflow,
    /// §2.5.
    #[strum(serialize = "activity id")]
    Activity,
    /// §2.6.
    #[strum(serialize = "webhook id")]
    Webhook,
    /// `request_id` of §7.
    #[strum(serialize = "call id")]
    Call,
}

/// Letters and digits of an id.
const LENGTH: usize = 8;
const HALF_BITS: u32 = 23;
const HALF_MASK: u64 = (1 << HALF_BITS) - 1;
const ROUNDS: u64 = 4;
/// Bits of an activity's number for the place in its log. The other bits are the row.
const ENTRY_BITS: u32 = 20;
const ENTRY_MASK: u64 = (1 << ENTRY_BITS) - 1;
/// Letters of the code in the id of a download.
const CODE_LENGTH: usize = 22;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Only numbers below this one have an id.
pub(crate) const NUMBER_END: u64 = 1 << (2 * HALF_BITS);

/// The ids of one seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identifiers {
    seed: u64,
}

impl Identifiers {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn key(self, kind: IdKind) -> SeedKey {
        SeedKey::derive(self.seed, kind.into())
    }

    /// The id of a number. From [`NUMBER_END`] on, the ids repeat.
    pub(crate) fn id(&self, kind: IdKind, number: u64) -> String {
        let key = self.key(kind);
        let number = number % NUMBER_END;
        let (mut left, mut right) = (number >> HALF_BITS, number & HALF_MASK);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ mix(key, round, right));
        }
        digits((left << HALF_BITS) | right)
    }

    /// The id of the entry with number `entry` in the log of the request in this row.
    pub(crate) fn activity_id(&self, row: u32, entry: u64) -> String {
        self.id(IdKind::Activity, (u64::from(row) << ENTRY_BITS) | (entry & ENTRY_MASK))
    }

    /// The id of a document's download: the id of the document, and a code that can't be guessed.
    pub(crate) fn download_id(&self, document_id: &str) -> String {
        let downloads = SeedKey::derive(self.seed, "download id");
        let code = downloads.code(document_id.as_bytes());
        format!("{document_id}-{}", URL_SAFE_NO_PAD.encode(code))
    }
}

fn mix(key: SeedKey, round: u64, half: u64) -> u64 {
    key.scramble((round << 32) | half) & HALF_MASK
}

fn digits(mut value: u64) -> String {
    let mut text = ['0'; LENGTH];
    for place in text.iter_mut().rev() {
        *place = char::from(DIGITS[(value % 62) as usize]);
        value /= 62;
    }
    text.iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{IdKind, Identifiers, NUMBER_END};

    #[test]
    fn ids_have_eight_letters_and_never_repeat() {
        let identifiers = Identifiers::new(7);
        let numbers = (0..10_000).chain([NUMBER_END - 1]);
        let ids: Vec<String> =
            numbers.map(|number| identifiers.id(IdKind::LegalRequest, number)).collect();
        assert!(ids.iter().all(|id| id.len() == 8));
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    }

    #[test]
    fn kinds_are_unrelated() {
        let identifiers = Identifiers::new(7);
        let id = |kind| identifiers.id(kind, 5);
        assert_ne!(id(IdKind::LegalRequest), id(IdKind::Webhook));
    }
}
