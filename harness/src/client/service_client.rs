//! Builds requests to the target, and sends them at the pace of the target file.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use secrecy::ExposeSecret;
use serde_json::Value;
use url::Url;

use crate::client::destination::RequestDestination;
use crate::client::http_request::{HttpRequest, USER_AGENT};
use crate::client::request::ClientBody;
use crate::client::sender::{RequestSender, SendAttempt};
use crate::client::target_file::address;
use crate::exchange::{ReceivedResponse, Trouble};

/// A destination and the sender for it.
#[derive(Clone)]
pub(crate) struct ServiceClient {
    pub(crate) sender: Arc<RequestSender>,
    pub(crate) destination: Arc<RequestDestination>,
}

impl ServiceClient {
    /// Builds a request to a path below the base address, or to an absolute address.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if the address is wrong, or another host would get a token.
    pub(crate) fn http_request(
        &self,
        method: &str,
        path: &str,
        mut headers: Vec<(String, String)>,
        body: &ClientBody,
    ) -> Result<HttpRequest, Trouble> {
        let url = self.url(method, path, &headers)?;
        if let Some(content_type) = body.content_type() {
            headers.push(("content-type".to_owned(), content_type));
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
            headers.push(("user-agent".to_owned(), USER_AGENT.to_owned()));
        }
        if let Some(deployment) = self.destination.deployment()
            && address::is_same_origin(&url, &self.destination.base)
        {
            for header in &deployment.headers {
                headers.push((header.name.clone(), header.value.expose_secret().to_owned()));
            }
        }
        Ok(HttpRequest { method: method.to_owned(), url, headers, body: body.clone() })
    }

    fn url(&self, method: &str, path: &str, headers: &[(String, String)]) -> Result<Url, Trouble> {
        let withheld = |reason: String| Err(Trouble::Withheld(reason));
        let is_absolute = path.starts_with("http://") || path.starts_with("https://");
        if !is_absolute && !path.starts_with('/') {
            return withheld(format!("`{path}` is not a path that begins with `/`"));
        }
        let text = if is_absolute {
            path.to_owned()
        } else {
            address::below(&self.destination.base, path)
        };
        let url = match Url::parse(&text) {
            Ok(url) => url,
            Err(error) => return withheld(format!("`{text}` is not an address: {error}")),
        };
        if address::is_same_origin(&url, &self.destination.base) {
            return Ok(url);
        }
        let has_credentials = headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        });
        let origin = url.origin().ascii_serialization();
        if has_credentials {
            return withheld(format!("a token never goes to another host ({origin})"));
        }
        if method != "GET" {
            return withheld(format!("another host is only read ({origin})"));
        }
        Ok(url)
    }

    /// Waits until the pace allows a request, and sends it.
    pub(crate) async fn send_in_turn(
        &self,
        request: HttpRequest,
        is_token_request: bool,
    ) -> SendAttempt {
        let Some(deployment) = self.destination.deployment() else {
            return self.sender.send(request).await;
        };
        if let Err(trouble) = deployment.turn(is_token_request).await {
            return SendAttempt::not_made(trouble);
        }
        let attempt = self.sender.send(request).await;
        if let Ok(response) = &attempt.outcome {
            deployment.back_off_after(response, is_token_request);
        }
        attempt
    }

    /// Sends a GET with this token.
    ///
    /// # Errors
    /// [`Trouble`] if there is no response.
    pub(crate) async fn get(&self, path: &str, token: &str) -> Result<ReceivedResponse, Trouble> {
        let headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
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
