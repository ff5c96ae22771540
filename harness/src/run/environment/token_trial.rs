//! Tries whether a token stays valid when its application asks for newer ones. §5 leaves this open
//! (`token_revocation`). Scenarios that ask for tokens can run at the same time only if it does.

use moot_fixtures::contract::{Operation, Scopes};

use crate::client::service_client::ServiceClient;
use crate::run::environment::opened_target::Environment;

/// The largest number of newer tokens.
const NEWER_TOKENS_MAX: usize = 32;

impl Environment {
    /// Whether a shared token of `main` is still accepted after this number of newer ones. `false` if the deployment is
    /// paced, or if the trial fails.
    pub async fn older_tokens_last(&self, newer: usize) -> bool {
        let Some(client) = self.deployment() else { return false };
        let is_unpaced =
            client.destination.deployment().is_some_and(|it| it.is_unpaced_for_tokens());
        is_unpaced && lasts(client, newer.min(NEWER_TOKENS_MAX)).await.unwrap_or(false)
    }
}

/// `None` if the trial fails.
async fn lasts(client: &ServiceClient, newer: usize) -> Option<bool> {
    let main = client.destination.applications.get("main").filter(|main| main.scopes.read)?;
    // Newer tokens with the same scopes or with all scopes may end the older one.
    let scopes = [Scopes::READ, main.scopes];
    let older = client.token("main", Scopes::READ).await.ok()?;
    for (_, scopes) in (0..newer).zip(scopes.into_iter().cycle()) {
        client.issue("main", scopes).await.ok()?;
    }
    let path = &client.destination.endpoints.get(Operation::ListLegalRequests).path;
    let response = client.get(path, &older).await.ok()?;
    if response.status == 401 {
        client.destination.tokens.lock().await.note_revoked("main");
    }
    Some((200..300).contains(&response.status))
}
