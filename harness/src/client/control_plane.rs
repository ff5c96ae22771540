//! Requests to the control plane of a mock.

use moot_fixtures::contract::Scopes;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;

use crate::client::http_request::{HttpRequest, USER_AGENT};
use crate::client::request::{ClientBody, bearer};
use crate::client::sender::RequestSender;
use crate::client::target_file::address;
use crate::exchange::Trouble;

/// The control plane of a mock or of a sandbox.
#[derive(Debug, Clone)]
pub(crate) struct ControlPlane {
    /// Its address, without a trailing slash.
    url: String,
    /// Its token. On loopback it needs none.
    token: Option<SecretString>,
}

impl ControlPlane {
    /// The control plane of the mock, or of the sandbox, at this base address.
    pub(crate) fn below(base: &Url, token: Option<SecretString>) -> Self {
        Self { url: address::below(base, "/__admin"), token }
    }

    /// The control plane of a sandbox of the same mock.
    pub(crate) fn of_sandbox(&self, base: &Url) -> Self {
        Self::below(base, self.token.clone())
    }

    /// Sends a request, and returns the body of the response. An empty body is `null`.
    ///
    /// # Errors
    /// [`Trouble`]. A status other than 2xx is [`Trouble::Broken`] with the detail of the response.
    pub(crate) async fn send(
        &self,
        sender: &RequestSender,
        method: &str,
        path: &str,
        json: Option<&Value>,
    ) -> Result<Value, Trouble> {
        let text = format!("{}{path}", self.url);
        let url = Url::parse(&text)
            .map_err(|error| Trouble::Withheld(format!("`{text}` is not an address: {error}")))?;
        let mut headers = vec![("user-agent".to_owned(), USER_AGENT.to_owned())];
        if let Some(token) = &self.token {
            headers.push(bearer(token.expose_secret()));
        }
        let body = json.map_or(ClientBody::Empty, ClientBody::json);
        if let Some(content_type) = body.content_type() {
            headers.push(("content-type".to_owned(), content_type));
        }
        let request = HttpRequest { method: method.to_owned(), url, headers, body };
        let response = sender.send(request).await.outcome?;
        let json = response.json.as_ref();
        if !response.is_success() {
            let detail = json.and_then(|json| json.get("detail")?.as_str()).unwrap_or("no detail");
            return Err(Trouble::Broken(format!(
                "the control plane responded to {method} {path} with {}: {detail}",
                response.status
            )));
        }
        Ok(json.map_or(Value::Null, |json| (**json).clone()))
    }

    /// Issues a token that is this old. The limit of §8 does not count it.
    ///
    /// # Errors
    /// As [`ControlPlane::send`].
    pub(crate) async fn issue_token(
        &self,
        sender: &RequestSender,
        client_id: &str,
        scopes: Scopes,
        age_seconds: i64,
    ) -> Result<String, Trouble> {
        let order = json!({ "client_id": client_id, "scopes": scopes, "age_seconds": age_seconds });
        let issued = self.send(sender, "POST", "/tokens", Some(&order)).await?;
        let token = issued.get("access_token").and_then(Value::as_str).map(str::to_owned);
        token
            .ok_or_else(|| Trouble::Broken("the control plane issued no `access_token`".to_owned()))
    }
}
