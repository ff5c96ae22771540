//! Tokens that were opened lately: most calls carry one that came before, and opening it is a quarter of what
//! is done for a call while the world is locked.
//!
//! What a token grants follows from its text alone. Never here: whether it is still good, see
//! [`crate::authorise`].

use parking_lot::Mutex;

use crate::limits::RECENT_TOKENS_MAX;
use crate::token::{Grant, Sealer, TEXT_LENGTH};

/// The tokens of one world, each in the place that its text leads to. Nothing is held before the first.
#[derive(Debug, Default)]
pub(crate) struct RecentTokens(Mutex<Vec<Option<Opened>>>);

#[derive(Debug, Clone, Copy)]
struct Opened {
    token: [u8; TEXT_LENGTH],
    grant: Grant,
}

impl RecentTokens {
    /// What a token grants; `None` for a text that is no token of this world.
    pub(crate) fn open(&self, sealer: Sealer, token: &str) -> Option<Grant> {
        let text: [u8; TEXT_LENGTH] = token.as_bytes().try_into().ok()?;
        let place = place(&text);
        let held = self.0.lock();
        match held.get(place).copied().flatten() {
            Some(opened) if opened.token == text => return Some(opened.grant),
            Some(_) | None => drop(held),
        }
        let grant = sealer.open(token)?;
        let mut held = self.0.lock();
        held.resize(RECENT_TOKENS_MAX, None);
        held[place] = Some(Opened { token: text, grant });
        Some(grant)
    }
}

/// By letters of its code, which look random.
fn place(text: &[u8; TEXT_LENGTH]) -> usize {
    let [.., one, other, _] = *text;
    (usize::from(one) * 31 + usize::from(other)) % RECENT_TOKENS_MAX
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Scopes;

    use super::RecentTokens;
    use crate::limits::RECENT_TOKENS_MAX;
    use crate::token::{Grant, Sealer};

    #[test]
    fn what_is_found_is_what_opening_gives() {
        let (sealer, foreign) = (Sealer::new(1, "http://a"), Sealer::new(2, "http://a"));
        let recent = RecentTokens::default();
        let tokens = (0..4 * RECENT_TOKENS_MAX as u64).map(|serial| {
            sealer.seal(&Grant { application: 0, scopes: Scopes::READ, issued_at: 7, serial })
        });
        let tokens: Vec<String> = tokens.collect();
        for token in tokens.iter().chain(&tokens) {
            assert_eq!(recent.open(sealer, token), sealer.open(token));
            let mut forged = token.clone().into_bytes();
            forged[3] ^= 1;
            let forged = String::from_utf8(forged).expect("ASCII letters");
            assert_eq!(recent.open(sealer, &forged), sealer.open(&forged), "{forged}");
        }
        let other =
            foreign.seal(&Grant { application: 0, scopes: Scopes::READ, issued_at: 7, serial: 1 });
        assert_eq!((recent.open(sealer, &other), recent.open(sealer, "short")), (None, None));
    }
}
