//! Requests to the control plane of a moot mock.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::client::http_request::{HttpBody, HttpRequest, USER_AGENT};
use crate::client::sender::RequestSender;
use crate::client::target_file::address;
use crate::exchange::Trouble;

/// A control plane.
#[derive(Debug, Clone)]
pub(crate) struct ControlPlane {
    /// Its address, without a slash at its end.
    url: String,
    /// Its token, beyond loopback.
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

    /// Sends a request. The answer must be 2xx; an empty one is `null`.
    ///
    /// # Errors
    /// [`Trouble`]; [`Trouble::Broken`] with the detail of the answer where it refuses.
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
            headers.push(("authorization".to_owned(), format!("Bearer {}", token.expose_secret())));
        }
        if json.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let body = json.map(HttpBody::json).unwrap_or_default();
        let request = HttpRequest { method: method.to_owned(), url, headers, body };
        let response = sender.send(request).await.outcome?;
        let json = response.json.as_ref();
        if !(200..300).contains(&response.status) {
            let detail = json.and_then(|json| json.get("detail")?.as_str()).unwrap_or("no detail");
            return Err(Trouble::Broken(format!(
                "the control plane answered {} to {method} {path}: {detail}",
                response.status
            )));
        }
        Ok(json.map_or(Value::Null, |json| (**json).clone()))
    }
}
