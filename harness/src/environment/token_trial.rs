//! Does a token stay good though its application asks for others? §5 leaves it open
//! (`token_revocation`); whoever walks side by side must know before.

use moot_fixtures::contract::{Operation, Scopes};

use crate::client::request::ClientBody;
use crate::client::service_client::ServiceClient;
use crate::environment::opened_target::{Environment, EnvironmentKind};

/// So many newer tokens are asked for at most.
const NEWER_TOKENS_MAX: usize = 32;

impl Environment {
    /// Whether a shared token of `main` is still taken after it asked for so many newer ones; `false`
    /// where that is not known: where nothing may be tried at once, or something else went wrong.
    pub async fn older_tokens_last(&self, newer: usize) -> bool {
        let EnvironmentKind::Deployment(client) = &self.kind else { return false };
        let is_unpaced =
            client.destination.deployment().is_some_and(|it| it.is_unpaced_for_tokens());
        is_unpaced && lasts(client, newer.min(NEWER_TOKENS_MAX)).await.unwrap_or(false)
    }
}

/// `None` where something hindered the trial.
async fn lasts(client: &ServiceClient, newer: usize) -> Option<bool> {
    let main = client.destination.applications.get("main").filter(|main| main.scopes.read)?;
    // With the same scopes and with all: either may be what ends the older ones.
    let scopes = [Scopes::READ, main.scopes];
    let older = client.token("main", Scopes::READ).await.ok()?;
    for (_, scopes) in (0..newer).zip(scopes.into_iter().cycle()) {
        client.issue("main", scopes).await.ok()?;
    }
    let headers = vec![("authorization".to_owned(), format!("Bearer {older}"))];
    let path = &client.destination.endpoints.get(Operation::ListLegalRequests).path;
    let http_request = client.http_request("GET", path, headers, &ClientBody::Empty).ok()?;
    let answer = client.carry(http_request, false).await.outcome.ok()?;
    if answer.status == 401 {
        client.destination.tokens.lock().await.note_revoked("main");
    }
    Some((200..300).contains(&answer.status))
}
