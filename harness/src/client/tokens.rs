//! The shared tokens of a destination: one for each application and set of scopes, replaced before they expire.
//! `access_tokens` requests them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use tokio::time::Instant;

use crate::exchange::Exchange;

/// A token is not kept longer than this: `expires_in` can be larger than an `Instant` can hold.
const LIFETIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A token is replaced this long before it expires.
const RENEWED_BEFORE_EXPIRY: Duration = Duration::from_secs(300);

/// Other scenarios may use the token of a scenario for this time.
const RESPONSE_CACHED_FOR: Duration = Duration::from_secs(1800);

/// The shared tokens. A service may revoke an older token when it issues a newer one (§5). After that has happened,
/// each application has only one token.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// By application and scopes.
    tokens: BTreeMap<(String, Scopes), CachedToken>,
    newer_revokes_older: bool,
    /// Responses to token requests that later scenarios may use, by request.
    responses: BTreeMap<String, CachedResponse>,
}

/// The response to a token request. It also serves equal requests of later scenarios.
#[derive(Debug)]
struct CachedResponse {
    application: String,
    token: String,
    scopes: Scopes,
    until: Instant,
    exchange: Arc<Exchange>,
}

#[derive(Debug)]
struct CachedToken {
    token: String,
    renew_at: Instant,
}

impl Tokens {
    /// The token of this application with exactly these scopes, unless it expires soon.
    pub(crate) fn fresh(&self, application: &str, scopes: Scopes) -> Option<String> {
        let cached = self.tokens.get(&(application.to_owned(), scopes))?;
        (cached.renew_at > Instant::now()).then(|| cached.token.clone())
    }

    /// Stores a token that was just issued.
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
        let lifetime = lifetime.min(LIFETIME_MAX).saturating_sub(RENEWED_BEFORE_EXPIRY);
        let renew_at = Instant::now() + lifetime;
        self.tokens.insert((application.to_owned(), scopes), CachedToken { token, renew_at });
    }

    /// Whether each application has only one token.
    pub(crate) fn newer_revokes_older(&self) -> bool {
        self.newer_revokes_older
    }

    /// The application and the scopes of a shared token.
    pub(crate) fn owner(&self, token: &str) -> Option<(String, Scopes)> {
        let shared = self.tokens.iter().find(|(_, cached)| cached.token == token);
        let cached = || self.responses.values().find(|cached| cached.token == token);
        shared
            .map(|(owner, _)| owner.clone())
            .or_else(|| cached().map(|cached| (cached.application.clone(), cached.scopes)))
    }

    /// Lets later scenarios use the response to this token request.
    pub(crate) fn keep_response(
        &mut self,
        request: String,
        application: &str,
        exchange: &Arc<Exchange>,
    ) {
        let Ok(response) = &exchange.outcome else { return };
        let (200..=299, Some(token), Some(scope)) =
            (response.status, response.text("access_token"), response.text("scope"))
        else {
            return;
        };
        let cached = CachedResponse {
            application: application.to_owned(),
            token: token.to_owned(),
            scopes: Scopes::among(scope),
            until: Instant::now() + RESPONSE_CACHED_FOR,
            exchange: Arc::clone(exchange),
        };
        self.responses.insert(request, cached);
    }

    /// The response to the same token request of an earlier scenario. `None` if newer tokens revoke older ones.
    pub(crate) fn response(&self, request: &str) -> Option<Arc<Exchange>> {
        let cached = self.responses.get(request).filter(|cached| cached.until > Instant::now())?;
        (!self.newer_revokes_older).then(|| Arc::clone(&cached.exchange))
    }

    /// Records that a shared token was refused as `token_revoked`. From now on each application has only one token.
    pub(crate) fn note_revoked(&mut self, application: &str) {
        self.newer_revokes_older = true;
        self.drop_all_of(application);
    }

    /// Records that the service's clock has advanced.
    pub(crate) fn age(&mut self, by: Duration) {
        self.responses.clear();
        self.tokens.retain(|_, cached| match cached.renew_at.checked_sub(by) {
            Some(renew_at) => {
                cached.renew_at = renew_at;
                true
            }
            None => false,
        });
    }

    /// Drops all tokens, because the service's clock was set, or its world was reset.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.responses.clear();
    }

    fn drop_all_of(&mut self, application: &str) {
        self.tokens.retain(|(owner, _), _| owner != application);
        self.responses.retain(|_, cached| cached.application != application);
    }
}
