//! Destinations in recordings: the row of a recording, and the destination of a replay. A replay sends nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{self, BoxFuture};
use moot_fixtures::contract::Operation;
use secrecy::ExposeSecret;

use crate::client::control_plane::ControlPlane;
use crate::client::destination::{self, RequestDestination};
use crate::client::http_request::HttpRequest;
use crate::client::recording::session_record::{CredentialsRow, DestinationRow};
use crate::client::sender::RequestSender;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::endpoint::{self, Endpoints};
use crate::client::target_file::{ApplicationCredentials, address};
use crate::client::transport::RequestTransport;
use crate::exchange::{ReceivedResponse, Trouble};

/// A transport that sends nothing.
pub(crate) struct NoTransport;

impl RequestTransport for NoTransport {
    fn send(&self, _: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>> {
        let reason = "a recording is judged without a network".to_owned();
        Box::pin(future::ready(Err(Trouble::Withheld(reason))))
    }
}

/// The row of a recording for this destination.
pub(crate) fn row_of(destination: &RequestDestination) -> DestinationRow {
    let credentials = |application: &ApplicationCredentials| CredentialsRow {
        client_id: application.client_id.clone(),
        client_secret: application.client_secret.expose_secret().to_owned(),
        scopes: application.scopes,
    };
    let endpoint = |operation: &Operation| {
        let endpoint = destination.endpoints.get(*operation);
        (operation.as_str().to_owned(), format!("{} {}", endpoint.method, endpoint.path))
    };
    let applications = destination.applications.iter();
    DestinationRow {
        base_url: destination.base.as_str().to_owned(),
        applications: applications.map(|(role, it)| (role.clone(), credentials(it))).collect(),
        bindings: destination.bindings.clone(),
        endpoints: destination.endpoints.named().iter().map(endpoint).collect(),
        has_admin: destination.control_plane.is_some(),
        accepted_defaults: destination.accepted_defaults.lock().clone(),
    }
}

/// A client for the destination of a recorded session.
///
/// # Errors
/// The fault of the row.
pub(crate) fn client(
    sender: &Arc<RequestSender>,
    row: DestinationRow,
) -> Result<ServiceClient, String> {
    let base = address::base(&row.base_url)?;
    let applications: BTreeMap<String, ApplicationCredentials> =
        row.applications.into_iter().map(|(role, it)| (role, it.into())).collect();
    destination::hide(&applications, &sender.masks);
    // The contract has the endpoint of an operation that the recording lacks.
    let mut endpoints = BTreeMap::new();
    for operation in Operation::ALL {
        if let Some(text) = row.endpoints.get(operation.as_str()) {
            endpoints.insert(operation, endpoint::parse(text, "GET")?);
        }
    }
    let control_plane = row.has_admin.then(|| ControlPlane::below(&base, None));
    let endpoints = Endpoints::new(&endpoints);
    let destination =
        RequestDestination::new(base, endpoints, applications, row.bindings, control_plane, None);
    *destination.accepted_defaults.lock() = row.accepted_defaults;
    Ok(ServiceClient::new(Arc::clone(sender), destination))
}
