//! A deployment as its target file describes it, and the discovery of its workflows.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use crate::client::deployment_rules::DeploymentRules;
use crate::client::destination::{self, RequestDestination};
use crate::client::http::{ConnectionUse, Http};
use crate::client::sender::RequestSender;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::endpoint::Endpoints;
use crate::client::target_file::{self, AdminChoice, FileOperator, TargetFile, address};
use crate::exchange::masks::Masks;
use crate::run::environment::choice::{OpenError, TargetOptions};
use crate::run::environment::discovery::{self, DiscoveryTrouble, WorkflowOffer};

/// Checks that there are credentials.
///
/// # Errors
/// [`OpenError::Usage`].
pub(crate) fn check_credentials(file: &TargetFile) -> Result<(), OpenError> {
    match file.applications.contains_key("main") {
        true => Ok(()),
        false => Err(OpenError::Usage(
            "there are no credentials: set MOOT_CLIENT_ID and MOOT_CLIENT_SECRET, or name \
             `applications.main` in a target file"
                .to_owned(),
        )),
    }
}

/// Checks that the program of the operator exists. A name without a slash is searched when it runs.
///
/// # Errors
/// [`OpenError::Usage`].
pub(crate) fn check_operator(file: &TargetFile) -> Result<(), OpenError> {
    let Some(FileOperator::Command(operator)) = &file.operator else { return Ok(()) };
    let program = operator.program();
    if program.is_relative() || program.is_file() {
        return Ok(());
    }
    let (at, shown) = (file.places.of("operator.command"), program.display());
    Err(OpenError::Usage(format!("{at}`operator.command`: there is no program `{shown}`")))
}

/// Checks `--rate`.
///
/// # Errors
/// [`OpenError::Usage`].
pub(crate) fn check_rate(file: &TargetFile, options: &TargetOptions) -> Result<(), OpenError> {
    let Some(rate) = options.rate else { return Ok(()) };
    target_file::check_rate(rate, address::is_loopback(&file.base_url))
        .map_err(|reason| OpenError::Usage(format!("--rate: {reason}")))
}

/// The destination of a target file. No workflow is found yet.
pub(crate) fn destination(
    file: &TargetFile,
    run_tag: &str,
    rules: DeploymentRules,
) -> RequestDestination {
    let destination = RequestDestination::new(
        file.base_url.clone(),
        Endpoints::new(&file.endpoints),
        file.applications.clone(),
        discovery::bindings(&file.bindings, &[], run_tag),
        None,
        Some(rules),
    );
    let (places, run_tag) = (file.places.clone(), run_tag.to_owned());
    RequestDestination { places, run_tag, ..destination }
}

/// A client for the target of a file, with these rules. Nothing is discovered.
///
/// # Errors
/// [`OpenError::Usage`].
pub(crate) fn client(
    file: &TargetFile,
    run_tag: &str,
    rules: DeploymentRules,
    masks: Arc<Masks>,
) -> Result<ServiceClient, OpenError> {
    hide_secrets(file, &masks);
    let http = Http::new(file, ConnectionUse::Kept).map_err(OpenError::Usage)?;
    let sender = Arc::new(RequestSender::new(http, masks));
    Ok(ServiceClient::new(sender, destination(file, run_tag, rules)))
}

/// Reads the workflows that the file binds, or else the published ones. Returns those that were found before the
/// timeout, and the trouble that ended the search early.
pub(crate) async fn discover(
    client: &ServiceClient,
    file: &TargetFile,
    timeout: Duration,
) -> (Vec<WorkflowOffer>, Option<DiscoveryTrouble>) {
    let bound = discovery::bound_ids(&file.bindings);
    let main = client.destination.applications.get("main");
    let mut found = Vec::new();
    let search = async {
        match (main.is_some_and(|main| main.scopes.read), bound.is_empty()) {
            (false, _) => Ok(()),
            (true, false) => discovery::forms(client, bound, &mut found).await,
            (true, true) => discovery::published(client, &mut found).await,
        }
    };
    let trouble = match tokio::time::timeout(timeout, search).await {
        Ok(Ok(())) => None,
        Ok(Err(trouble)) => Some(trouble),
        Err(_) => Some(DiscoveryTrouble {
            text: format!(
                "the search took longer than {} s (timeout `discovery`)",
                timeout.as_secs_f32()
            ),
            setting: None,
        }),
    };
    (found, trouble)
}

/// Hides all secrets of a target file.
pub(crate) fn hide_secrets(file: &TargetFile, masks: &Masks) {
    destination::hide(&file.applications, masks);
    let hide = |secret: &SecretString, label: &str| {
        masks.hide(secret.expose_secret(), label);
    };
    if let Some(token) = &file.expired_token {
        hide(token, "MOOT_EXPIRED_TOKEN");
    }
    if let Some(token) = &file.revoked_token {
        hide(token, "MOOT_REVOKED_TOKEN");
    }
    if let AdminChoice::Token(token) = &file.admin {
        hide(token, "MOOT_ADMIN_TOKEN");
    }
    for header in file.headers.iter().filter(|header| header.is_secret) {
        let name = header.name.replace('-', "_").to_ascii_uppercase();
        hide(&header.value, &format!("MOOT_HEADER_{name}"));
    }
}
