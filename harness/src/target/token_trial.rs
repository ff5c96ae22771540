//! Does a token stay good though its application asks for others? §5 leaves it open
//! (`token_revocation`); whoever walks side by side must know before.

use moot_fixtures::contract::{Operation, Scopes};

use super::line::Line;
use super::opened::{Kind, Target};
use super::prepared::PreparedBody;

/// So many newer tokens are asked for at most.
const NEWER_TOKENS_MAX: usize = 32;

impl Target {
    /// Whether a shared token of `main` is still taken after it asked for so many newer ones; `false`
    /// where that is not known: where nothing may be tried at once, or something else went wrong.
    pub async fn older_tokens_last(&self, newer: usize) -> bool {
        let Kind::Deployment(line) = &self.kind else { return false };
        let is_unpaced = line.venue.deployment().is_some_and(|it| it.is_unpaced_for_tokens());
        is_unpaced && lasts(line, newer.min(NEWER_TOKENS_MAX)).await.unwrap_or(false)
    }
}

/// `None` where something hindered the trial.
async fn lasts(line: &Line, newer: usize) -> Option<bool> {
    let main = line.venue.applications.get("main").filter(|main| main.scopes.read)?;
    // With the same scopes and with all: either may be what ends the older ones.
    let scopes = [Scopes::READ, main.scopes];
    let older = line.token("main", Scopes::READ).await.ok()?;
    for (_, scopes) in (0..newer).zip(scopes.into_iter().cycle()) {
        line.issue("main", scopes).await.ok()?;
    }
    let headers = vec![("authorization".to_owned(), format!("Bearer {older}"))];
    let path = &line.venue.endpoints.get(Operation::ListLegalRequests).path;
    let wire = line.wire("GET", path, headers, &PreparedBody::Empty).ok()?;
    let answer = line.carry(wire, false).await.outcome.ok()?;
    if answer.status == 401 {
        line.venue.tokens.lock().await.note_revoked("main");
    }
    Some((200..300).contains(&answer.status))
}
