//! The shared tokens of a stage: one per application and set of scopes, renewed before they expire.
//! Only remembers; asking for a token is the stage's business.

use std::collections::BTreeMap;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use tokio::time::Instant;

/// A token is renewed so long before it expires.
const RENEWED_BEFORE_EXPIRY: Duration = Duration::from_secs(300);

/// What is known of the shared tokens. Two live tokens of one application are never relied on:
/// once a newer one was seen to revoke an older one, each application keeps one.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    slots: BTreeMap<(String, &'static str), Slot>,
    newer_revokes_older: bool,
}

#[derive(Debug)]
struct Slot {
    token: String,
    scopes: Scopes,
    renew_at: Instant,
}

impl Tokens {
    /// The token of this application with exactly these scopes, where one is fresh.
    pub(crate) fn fresh(&self, application: &str, scopes: Scopes) -> Option<String> {
        let slot = self.slots.get(&(application.to_owned(), scopes.as_str()))?;
        (slot.renew_at > Instant::now()).then(|| slot.token.clone())
    }

    /// Keeps a token that was just issued.
    pub(crate) fn keep(
        &mut self,
        application: &str,
        scopes: Scopes,
        token: String,
        lifetime: Duration,
    ) {
        if self.newer_revokes_older {
            self.drop_all_of(application);
        }
        let renew_at = Instant::now() + lifetime.saturating_sub(RENEWED_BEFORE_EXPIRY);
        self.slots
            .insert((application.to_owned(), scopes.as_str()), Slot { token, scopes, renew_at });
    }

    /// Whose shared token this is.
    pub(crate) fn owner(&self, token: &str) -> Option<(String, Scopes)> {
        self.slots
            .iter()
            .find(|(_, slot)| slot.token == token)
            .map(|((application, _), slot)| (application.clone(), slot.scopes))
    }

    /// A shared token was answered `token_revoked`: from now on an application has one at a time.
    pub(crate) fn note_revoked(&mut self, application: &str) {
        self.newer_revokes_older = true;
        self.drop_all_of(application);
    }

    /// The service's clock went on by so long.
    pub(crate) fn age(&mut self, by: Duration) {
        self.slots.retain(|_, slot| match slot.renew_at.checked_sub(by) {
            Some(renew_at) => {
                slot.renew_at = renew_at;
                true
            }
            None => false,
        });
    }

    /// Forgets all: the service's clock was set, or its world was reset.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    fn drop_all_of(&mut self, application: &str) {
        self.slots.retain(|(owner, _), _| owner != application);
    }
}
