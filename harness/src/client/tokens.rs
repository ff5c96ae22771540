//! The shared tokens of a destination: one for each application and set of scopes, replaced before they expire.
//! `access_tokens` requests them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::{Scopes, TOKEN_LIFETIME_SECONDS};
use tokio::time::Instant;

use crate::exchange::{Exchange, ReceivedResponse};

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

    /// A token for a call that these scopes allow. If each application has only one token, it may have more scopes.
    pub(crate) fn fresh_for(&self, application: &str, scopes: Scopes) -> Option<String> {
        if !self.newer_revokes_older {
            return self.fresh(application, scopes);
        }
        let own = self.tokens.keys().filter(|(owner, _)| owner == application);
        let mut enough = own.filter(|(_, own)| own.contains_all(scopes));
        enough.find_map(|(_, own)| self.fresh(application, *own))
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

    /// The response to the same token request of an earlier scenario. If newer tokens revoke older ones, only if its
    /// token is still the one of the application.
    pub(crate) fn response(&self, request: &str) -> Option<Arc<Exchange>> {
        let cached = self.responses.get(request).filter(|cached| cached.until > Instant::now())?;
        let current = self.fresh(&cached.application, cached.scopes);
        let is_usable = !self.newer_revokes_older || current.as_ref() == Some(&cached.token);
        is_usable.then(|| Arc::clone(&cached.exchange))
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

/// The lifetime of a token by this response (§4.1).
pub(crate) fn lifetime(response: &ReceivedResponse) -> Duration {
    let seconds = response.json.as_ref().and_then(|json| json.get("expires_in")?.as_u64());
    Duration::from_secs(seconds.unwrap_or(TOKEN_LIFETIME_SECONDS.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use moot_fixtures::contract::{Operation, Scopes};
    use serde_json::json;

    use super::Tokens;
    use crate::exchange::{Exchange, samples};

    const HOUR: Duration = Duration::from_secs(3600);

    fn granted(token: &str, scope: &str) -> Arc<Exchange> {
        let json = json!({ "access_token": token, "scope": scope });
        Arc::new(Exchange {
            number: 1,
            request: samples::request(Operation::CreateAccessToken),
            outcome: Ok(samples::response(Some(json))),
            sent_at_seconds: 0,
            duration: Duration::ZERO,
            masks: Arc::default(),
        })
    }

    #[test]
    fn a_token_may_have_more_scopes_only_if_there_is_one_for_each_application() {
        let mut tokens = Tokens::default();
        tokens.keep("main", Scopes::READ_WRITE, "both".to_owned(), HOUR);
        assert_eq!(tokens.fresh_for("main", Scopes::READ), None);
        tokens.note_revoked("main");
        tokens.keep("main", Scopes::READ_WRITE, "both".to_owned(), HOUR);
        assert_eq!(tokens.fresh_for("main", Scopes::READ).as_deref(), Some("both"));
        assert_eq!(tokens.fresh("main", Scopes::READ), None);
        assert_eq!(tokens.fresh_for("reader", Scopes::READ), None);
        tokens.keep("main", Scopes::READ, "reading".to_owned(), HOUR);
        assert_eq!(tokens.fresh_for("main", Scopes::WRITE), None, "it replaced the other one");
    }

    #[test]
    fn an_earlier_response_is_used_until_a_newer_token_revokes_its_own() {
        let mut tokens = Tokens::default();
        tokens.keep_response("a".to_owned(), "main", &granted("one", "read write"));
        assert!(tokens.response("a").is_some());
        tokens.note_revoked("main");
        assert!(tokens.response("a").is_none());
        tokens.keep("main", Scopes::READ_WRITE, "one".to_owned(), HOUR);
        tokens.keep_response("a".to_owned(), "main", &granted("one", "read write"));
        assert!(tokens.response("a").is_some());
        tokens.keep("reader", Scopes::READ, "other".to_owned(), HOUR);
        assert!(tokens.response("a").is_some(), "that is the token of another application");
        tokens.keep("main", Scopes::READ, "two".to_owned(), HOUR);
        assert!(tokens.response("a").is_none());
    }
}
