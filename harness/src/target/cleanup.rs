//! Removing what a run made on a deployment, as far as the API can: webhooks.

use moot_fixtures::contract::{Operation, Scopes};

use super::Residue;
use super::line::Line;
use super::prepared::{Prepared, PreparedBody};
use super::send::{self, Manner};

/// Deletes the webhooks among `residue`. What cannot be deleted stays residue.
pub(super) async fn delete_webhooks(line: &Line, residue: Vec<Residue>) {
    let template = line.venue.endpoints.get(Operation::DeleteWebhook).clone();
    for webhook in residue.into_iter().filter(|entry| entry.kind == "webhook") {
        let Some(id) = webhook.id else { continue };
        let Ok(token) = line.token("main", Scopes::WRITE).await else { return };
        let encoded =
            percent_encoding::utf8_percent_encode(&id, percent_encoding::NON_ALPHANUMERIC);
        let prepared = Prepared {
            method: template.method.clone(),
            path: template.path.replace("{id}", &encoded.to_string()),
            operation: Some(Operation::DeleteWebhook),
            headers: vec![("authorization".to_owned(), format!("Bearer {token}"))],
            body: PreparedBody::Empty,
            application: "main".to_owned(),
            tag_scenario: webhook.scenario,
        };
        // The ledger learns from the answer whether it is gone.
        send::send(line, prepared, Manner::Careful).await;
    }
}
