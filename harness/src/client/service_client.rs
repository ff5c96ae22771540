//! The client of a target, and its single requests outside of scenarios. `send` has the requests of scenarios.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use serde_json::Value;

use crate::client::destination::RequestDestination;
use crate::client::request::{ClientBody, bearer};
use crate::client::sender::RequestSender;
use crate::exchange::{ReceivedResponse, Trouble};

/// A destination and the sender for it.
#[derive(Clone)]
pub(crate) struct ServiceClient {
    pub(crate) sender: Arc<RequestSender>,
    pub(crate) destination: Arc<RequestDestination>,
}

impl ServiceClient {
    pub(crate) fn new(sender: Arc<RequestSender>, destination: RequestDestination) -> Self {
        Self { sender, destination: Arc::new(destination) }
    }

    /// Sends a GET with this token.
    ///
    /// # Errors
    /// [`Trouble`] if there is no response.
    pub(crate) async fn get(&self, path: &str, token: &str) -> Result<ReceivedResponse, Trouble> {
        let headers = vec![bearer(token)];
        let request = self.http_request("GET", path, headers, &ClientBody::Empty)?;
        self.send_in_turn(request, false).await.outcome
    }

    /// Sends a request to the control plane. `path` is below its address.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] without a control plane. Otherwise as [`ControlPlane::send`].
    pub(crate) async fn admin(
        &self,
        method: &str,
        path: &str,
        json: Option<&Value>,
    ) -> Result<Value, Trouble> {
        let Some(control_plane) = &self.destination.control_plane else {
            return Err(Trouble::Withheld("the target has no control plane".to_owned()));
        };
        let outcome = control_plane.send(&self.sender, method, path, json).await;
        if method == "POST" && ["/clock", "/reset"].contains(&path) {
            // Shared tokens expire by the service's clock.
            let advanced = json.and_then(|json| json.get("advance_seconds")?.as_u64());
            let mut tokens = self.destination.tokens.lock().await;
            match advanced {
                Some(seconds) => tokens.age(Duration::from_secs(seconds)),
                None => tokens.clear(),
            }
        }
        outcome
    }
}

/// The scopes to ask the first token for.
pub(crate) fn first_scope(scopes: Scopes) -> Scopes {
    if scopes.read { Scopes::READ } else { Scopes::WRITE }
}
