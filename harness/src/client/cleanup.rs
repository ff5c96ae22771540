//! Deletes what a run created on a deployment. The API can delete webhooks only.

use moot_fixtures::contract::{Operation, Scopes};

use crate::client::request::{ClientBody, ClientRequest};
use crate::client::residue::Residue;
use crate::client::send::{self, SendMode};
use crate::client::service_client::ServiceClient;

/// Deletes the webhooks among `residue`. An object that cannot be deleted stays residue.
pub(crate) async fn delete_webhooks(client: &ServiceClient, residue: Vec<Residue>) {
    let template = client.destination.endpoints.get(Operation::DeleteWebhook).clone();
    for webhook in residue.into_iter().filter(|entry| entry.kind == "webhook") {
        let Some(id) = webhook.id else { continue };
        let Ok(token) = client.token("main", Scopes::WRITE).await else { return };
        let encoded =
            percent_encoding::utf8_percent_encode(&id, percent_encoding::NON_ALPHANUMERIC);
        let prepared = ClientRequest {
            method: template.method.clone(),
            path: template.path.replace("{id}", &encoded.to_string()),
            operation: Some(Operation::DeleteWebhook),
            headers: vec![("authorization".to_owned(), format!("Bearer {token}"))],
            body: ClientBody::Empty,
            application: "main".to_owned(),
            tag_scenario: webhook.scenario,
        };
        // `send` notes the deletion in the ledger.
        send::send(client, prepared, SendMode::Paced).await;
    }
}
