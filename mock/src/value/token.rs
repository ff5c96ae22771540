//! Access tokens (§5). They contain their grant, so that no token is stored.
//!
//! A token is its grant with an authentication code under the world's key, in base64url.
//! [`crate::world::authorise`] checks whether it has expired or was revoked.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use moot_fixtures::contract::{Scopes, TOKEN_LIFETIME_SECONDS};
use serde::Serialize;

use crate::value::key::SeedKey;

const GRANT_BYTES: usize = 21;
const CODE_BYTES: usize = 16;
const SEALED_BYTES: usize = GRANT_BYTES + CODE_BYTES;
/// Letters of a token.
pub(crate) const TEXT_LENGTH: usize = SEALED_BYTES.div_ceil(3) * 4 - (3 - SEALED_BYTES % 3) % 3;

/// The content of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Index of the application.
    pub(crate) application: u32,
    pub(crate) scopes: Scopes,
    /// Unix seconds.
    pub(crate) issued_at: i64,
    /// Number of the call that issued it, unique in its world.
    pub(crate) serial: u64,
}

impl Grant {
    /// Whether it has expired. At exactly 7200 seconds it has (§5.3).
    pub(crate) fn is_expired(&self, now: Timestamp) -> bool {
        now.as_second().saturating_sub(self.issued_at) >= TOKEN_LIFETIME_SECONDS
    }

    /// The response that hands out `token`.
    pub(crate) fn response<'a>(&self, token: &'a str) -> TokenResponse<'a> {
        TokenResponse {
            access_token: token,
            token_type: "Bearer",
            expires_in: TOKEN_LIFETIME_SECONDS,
            scope: self.scopes.as_str(),
            created_at: self.issued_at,
        }
    }
}

/// The token response (§2.8).
#[derive(Debug, Serialize)]
pub(crate) struct TokenResponse<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    scope: &'static str,
    created_at: i64,
}

/// Seals and opens the tokens of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealer(SeedKey);

impl Sealer {
    /// The sealer of a world. The key depends on the id of the sandbox, so that a token is not valid in
    /// another sandbox with the same seed. It does not depend on the address, because a stored world may
    /// get another port.
    pub(crate) fn new(seed: u64, sandbox: Option<&str>) -> Self {
        let world = sandbox.unwrap_or("main");
        Self(SeedKey::derive(seed, &format!("tokens of {world}")))
    }

    pub(crate) fn seal(self, grant: &Grant) -> String {
        let mut sealed = [0; SEALED_BYTES];
        sealed[..GRANT_BYTES].copy_from_slice(&grant_bytes(grant));
        let code = self.0.code(&sealed[..GRANT_BYTES]);
        sealed[GRANT_BYTES..].copy_from_slice(&code);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// The grant of a token; `None` for a text that is not a token of this world.
    pub(crate) fn open(self, token: &str) -> Option<Grant> {
        if token.len() != TEXT_LENGTH {
            return None;
        }
        let mut sealed = [0; SEALED_BYTES];
        URL_SAFE_NO_PAD.decode_slice(token, &mut sealed).ok()?;
        let (grant, code) = sealed.split_at(GRANT_BYTES);
        (self.0.code(grant) == code).then(|| grant_of(grant)).flatten()
    }
}

fn grant_bytes(grant: &Grant) -> [u8; GRANT_BYTES] {
    let mut bytes = [0; GRANT_BYTES];
    bytes[..4].copy_from_slice(&grant.application.to_be_bytes());
    bytes[4] = u8::from(grant.scopes.read) | (u8::from(grant.scopes.write) << 1);
    bytes[5..13].copy_from_slice(&grant.issued_at.to_be_bytes());
    bytes[13..].copy_from_slice(&grant.serial.to_be_bytes());
    bytes
}

fn grant_of(bytes: &[u8]) -> Option<Grant> {
    let (application, rest) = bytes.split_first_chunk::<4>()?;
    let (&[scopes], rest) = rest.split_first_chunk::<1>()?;
    let (issued_at, rest) = rest.split_first_chunk::<8>()?;
    let (serial, _) = rest.split_first_chunk::<8>()?;
    Some(Grant {
        application: u32::from_be_bytes(*application),
        scopes: Scopes { read: scopes & 1 != 0, write: scopes & 2 != 0 },
        issued_at: i64::from_be_bytes(*issued_at),
        serial: u64::from_be_bytes(*serial),
    })
}
