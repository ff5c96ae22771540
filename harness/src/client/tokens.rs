//! The shared tokens of a destination: one for each application and set of scopes, replaced before
//! they expire. Asking for tokens is in `access_tokens`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use tokio::time::Instant;

use crate::exchange::Exchange;

/// A token is replaced this long before it expires.
const RENEWED_BEFORE_EXPIRY: Duration = Duration::from_secs(300);

/// A token of a scenario is lent to others for this long.
const LENT_FOR: Duration = Duration::from_secs(1800);

/// The shared tokens. A service may revoke an older token when a newer one is issued (§5). Once that
/// happened, only one token per application is kept.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    slots: BTreeMap<(String, &'static str), Slot>,
    newer_revokes_older: bool,
    /// Tokens of scenarios that others may use, by the request that they were the answer to.
    lent: BTreeMap<String, LentToken>,
}

/// The answer to a token request of a scenario, which may stand for that of a later one.
#[derive(Debug)]
struct LentToken {
    application: String,
    token: String,
    scopes: Scopes,
    until: Instant,
    exchange: Arc<Exchange>,
}

#[derive(Debug)]
struct Slot {
    token: String,
    scopes: Scopes,
    renew_at: Instant,
}

impl Tokens {
    /// The token of this application with exactly these scopes, unless it expires soon.
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
        let shared = self.slots.iter().find(|(_, slot)| slot.token == token);
        let lent = || self.lent.values().find(|lent| lent.token == token);
        shared
            .map(|((application, _), slot)| (application.clone(), slot.scopes))
            .or_else(|| lent().map(|lent| (lent.application.clone(), lent.scopes)))
    }

    /// Lends the answer to this token request to later scenarios.
    pub(crate) fn lend(&mut self, request: String, application: &str, exchange: &Arc<Exchange>) {
        let Ok(response) = &exchange.outcome else { return };
        let text = |name: &str| response.json.as_ref()?.get(name)?.as_str();
        let (200..=299, Some(token), Some(scope)) =
            (response.status, text("access_token"), text("scope"))
        else {
            return;
        };
        let lent = LentToken {
            application: application.to_owned(),
            token: token.to_owned(),
            scopes: Scopes::among(scope),
            until: Instant::now() + LENT_FOR,
            exchange: Arc::clone(exchange),
        };
        self.lent.insert(request, lent);
    }

    /// The answer to the same token request of an earlier scenario; `None` where newer tokens end older ones.
    pub(crate) fn lent(&self, request: &str) -> Option<Arc<Exchange>> {
        let lent = self.lent.get(request).filter(|lent| lent.until > Instant::now())?;
        (!self.newer_revokes_older).then(|| Arc::clone(&lent.exchange))
    }

    /// A shared token was answered `token_revoked`. From now on each application has one at a time.
    pub(crate) fn note_revoked(&mut self, application: &str) {
        self.newer_revokes_older = true;
        self.drop_all_of(application);
    }

    /// The service's clock advanced.
    pub(crate) fn age(&mut self, by: Duration) {
        self.lent.clear();
        self.slots.retain(|_, slot| match slot.renew_at.checked_sub(by) {
            Some(renew_at) => {
                slot.renew_at = renew_at;
                true
            }
            None => false,
        });
    }

    /// Forgets all tokens, because the service's clock was set or its world was reset.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.lent.clear();
    }

    fn drop_all_of(&mut self, application: &str) {
        self.slots.retain(|(owner, _), _| owner != application);
        self.lent.retain(|_, lent| lent.application != application);
    }
}
