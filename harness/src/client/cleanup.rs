//! Deletes objects that runs created on a deployment. The API can delete webhooks only.

use moot_fixtures::contract::{Operation, Scopes};

use crate::client::request::{ClientRequest, bearer};
use crate::client::send;
use crate::client::service_client::ServiceClient;
use crate::exchange::{Exchange, Residue};
use crate::scenario::ScenarioName;

/// The kind of the objects that can be deleted.
pub(crate) const WEBHOOK: &str = "webhook";

/// Deletes the webhooks in `residue`. A webhook that cannot be deleted remains there.
pub(crate) async fn delete_webhooks(client: &ServiceClient, residue: Vec<Residue>) {
    for webhook in residue.into_iter().filter(|entry| entry.kind == WEBHOOK) {
        let Some(id) = webhook.id else { continue };
        let Ok(token) = client.token("main", Scopes::WRITE).await else { return };
        delete_webhook(client, &id, ("main", &token), webhook.scenario).await;
    }
}

/// Deletes a webhook with a token of an application.
pub(crate) async fn delete_webhook(
    client: &ServiceClient,
    id: &str,
    (application, token): (&str, &str),
    scenario: ScenarioName,
) -> Exchange {
    let endpoints = &client.destination.endpoints;
    let prepared = ClientRequest {
        path: endpoints.path_of(Operation::DeleteWebhook, id),
        headers: vec![bearer(token)],
        tag_scenario: scenario,
        ..ClientRequest::of(endpoints, Operation::DeleteWebhook, application)
    };
    // `send` records the deletion of an object of this run in the ledger.
    send::send(client, prepared, None).await
}
