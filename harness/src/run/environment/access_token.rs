//! Gets a token for one application of a target file, for requests by hand. Nothing else is sent.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;

use crate::client::deployment_rules::DeploymentRules;
use crate::client::target_file::TargetFile;
use crate::exchange::masks::Masks;
use crate::run::environment::choice::{OpenError, TargetOptions};
use crate::run::environment::{deployment, first_contact};

/// Asks the target of this file for a token of an application, with these scopes, or with all scopes of the
/// application. Returns the token, the requested scopes, and the lifetime in the response.
///
/// # Errors
/// [`OpenError::Usage`] if the file has no such application; otherwise the errors of the first token of a run.
pub async fn access_token(
    file: &TargetFile,
    role: &str,
    scopes: Option<Scopes>,
    masks: Arc<Masks>,
) -> Result<(String, Scopes, Duration), OpenError> {
    let options = TargetOptions::default();
    let Some(application) = file.applications.get(role) else {
        let known: Vec<String> = file.applications.keys().map(|role| format!("`{role}`")).collect();
        return Err(OpenError::Usage(format!(
            "the target has no application `{role}`; it has {}",
            known.join(", ")
        )));
    };
    let scopes = scopes.unwrap_or(application.scopes);
    let rules = DeploymentRules::preview(file, &options.run_tag);
    let client = deployment::client(file, &options.run_tag, rules, masks)?;
    let issued = client.issue(role, scopes).await;
    let (token, lifetime) =
        issued.map_err(|error| first_contact::no_token(&client, role, error))?;
    Ok((token, scopes, lifetime))
}
