//! Deletes objects that earlier runs left on a deployment, by its ledger.

use std::sync::Arc;

use moot_fixtures::contract::Scopes;

use crate::client::cleanup::{WEBHOOK, delete_webhook};
use crate::client::deployment_rules::DeploymentRules;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::TargetFile;
use crate::client::target_file::model::Consent;
use crate::client::{LedgerContent, LeftObject, read_ledger};
use crate::exchange::Exchange;
use crate::exchange::masks::Masks;
use crate::run::environment::choice::{OpenError, TargetOptions};
use crate::run::environment::{deployment, first_contact};

/// The reason why an object stays on the target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StayReason {
    /// The API has no call that deletes it.
    NoSuchCall,
    /// The response to its creation was lost.
    IdUnknown,
    /// The target did not delete it. The text has its response.
    Refused(String),
}

/// The objects of a ledger after the deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Objects that do not exist any more.
    pub deleted: Vec<LeftObject>,
    /// Objects that still exist.
    pub left: Vec<(LeftObject, StayReason)>,
}

/// The content of the ledger of a target file. A missing ledger is empty.
///
/// # Errors
/// The ledger cannot be read.
pub fn ledger_content(file: &TargetFile) -> Result<LedgerContent, OpenError> {
    match std::fs::read(&file.ledger) {
        Ok(bytes) => Ok(read_ledger(&String::from_utf8_lossy(&bytes), file.base_url.as_str())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(LedgerContent::default()),
        Err(error) => Err(OpenError::Usage(format!(
            "the ledger `{}` cannot be read: {error}",
            file.ledger.display()
        ))),
    }
}

/// Deletes the webhooks among these objects. Nothing is sent if there is none.
///
/// # Errors
/// The errors of the first token of a run.
pub async fn delete_leftovers(
    file: &TargetFile,
    objects: Vec<LeftObject>,
    masks: Arc<Masks>,
) -> Result<Leftovers, OpenError> {
    let mut found = Leftovers::default();
    let mut deletable = Vec::new();
    for object in objects {
        match (object.residue.kind == WEBHOOK, object.residue.id.clone()) {
            (true, Some(id)) => deletable.push((object, id)),
            (_, None) => found.left.push((object, StayReason::IdUnknown)),
            (false, Some(_)) => found.left.push((object, StayReason::NoSuchCall)),
        }
    }
    if deletable.is_empty() {
        return Ok(found);
    }
    let client = client(file, masks)?;
    for (object, id) in deletable {
        match delete(&client, &object, &id).await? {
            None => {
                if let Some(rules) = client.destination.deployment() {
                    rules.ledger.deleted_later(&object).map_err(OpenError::Usage)?;
                }
                found.deleted.push(object);
            }
            Some(reason) => found.left.push((object, StayReason::Refused(reason))),
        }
    }
    Ok(found)
}

/// A client that may delete even without the consent of the file, because the user asked for it.
fn client(file: &TargetFile, masks: Arc<Masks>) -> Result<ServiceClient, OpenError> {
    let mut file = file.clone();
    file.consent.extend([Consent::Write, Consent::Delete]);
    let tag = TargetOptions::default().run_tag;
    let rules = DeploymentRules::new(&file, &tag).map_err(OpenError::Usage)?;
    deployment::client(&file, &tag, rules, masks)
}

/// Deletes a webhook. Returns the reason if it still exists.
async fn delete(
    client: &ServiceClient,
    object: &LeftObject,
    id: &str,
) -> Result<Option<String>, OpenError> {
    let known = |role: &&str| client.destination.applications.contains_key(*role);
    let role = Some(object.application.as_str()).filter(known).unwrap_or("main");
    let token = client.token(role, Scopes::WRITE).await;
    let token = token.map_err(|error| first_contact::no_token(client, role, error))?;
    let scenario = object.residue.scenario.clone();
    let exchange: Exchange = delete_webhook(client, id, (role, &token), scenario).await;
    Ok(match &exchange.outcome {
        // 404: another client has deleted it.
        Ok(response) if response.is_success() || response.status == 404 => None,
        Ok(response) => {
            Some(format!("{} was answered with {}", exchange.request.path, response.status))
        }
        Err(trouble) => Some(trouble.to_string()),
    })
}
