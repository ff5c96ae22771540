//! Keys that derive from a seed. Values that must not be guessed are keyed hashes instead of random
//! numbers.
//!
//! This does not protect a real service: with the seed, every value can be computed.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;
use siphasher::sip128::{Hasher128, SipHasher24};

/// A 128-bit key for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeedKey(u64, u64);

/// Separates the derivation of keys from their use.
const DERIVATION: u64 = 0x6d6f_6f74_2073_6565;

impl SeedKey {
    /// The key of `seed` for `purpose`. Different purposes give unrelated keys.
    pub(crate) fn derive(seed: u64, purpose: &str) -> Self {
        let mut hasher = SipHasher24::new_with_keys(seed, DERIVATION);
        hasher.write(purpose.as_bytes());
        let hash = hasher.finish128();
        Self(hash.h1, hash.h2)
    }

    /// The authentication code of `message`.
    pub(crate) fn code(self, message: &[u8]) -> [u8; 16] {
        SipHasher24::new_with_keys(self.0, self.1).hash(message).as_bytes()
    }

    /// 64 pseudo-random bits for `input`.
    pub(crate) fn scramble(self, input: u64) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.0, self.1);
        hasher.write_u64(input);
        hasher.finish()
    }
}
