//! A destination and the way to it: tokens, the harness's own reads, the control plane.
//!
//! Requests of scenarios are the stage's; here is only what the harness sends for itself.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use moot_fixtures::contract::{Operation, Scopes};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use url::Url;

use crate::client::deployment_rules::is_worth_repeating;
use crate::client::destination::{Admin, Destination};
use crate::client::http_request;
use crate::client::http_request::{HttpBody, HttpRequest};
use crate::client::request::ClientBody;
use crate::client::transport::{Attempt, Sender};
use crate::exchange::{ReceivedResponse, Trouble};
use crate::target_file::address;

/// How the harness names itself.
pub(crate) const USER_AGENT: &str = concat!("moot/", env!("CARGO_PKG_VERSION"));

/// A destination and the way to it.
#[derive(Clone)]
pub(crate) struct ServiceClient {
    /// The way.
    pub(crate) sender: Arc<Sender>,
    /// The destination.
    pub(crate) destination: Arc<Destination>,
}

/// Why there is no token.
#[derive(Debug, Clone)]
pub(crate) enum TokenError {
    /// The target file names no such application.
    NoApplication(String),
    /// No answer.
    Trouble(Trouble),
    /// An answer without a token: its status, and what it says.
    Refused(u16, String),
    /// The limit of the token endpoint, and whether it said when to ask again.
    Limited { status: u16, says_when: bool },
}

impl TokenError {
    /// As trouble of a scenario's step.
    pub(crate) fn into_trouble(self, application: &str) -> Trouble {
        match self {
            Self::NoApplication(reason) => Trouble::Withheld(reason),
            Self::Trouble(trouble) => trouble,
            Self::Refused(status, said) => Trouble::Broken(format!(
                "no token for the application `{application}`: the token endpoint answered \
                 {status} ({said})"
            )),
            Self::Limited { status, .. } => Trouble::Withheld(format!(
                "no token for the application `{application}`: the limit of the token endpoint \
                 answered {status}"
            )),
        }
    }
}

impl ServiceClient {
    /// A shared token of this application with exactly these scopes. Where the limit of the token
    /// endpoint refuses it, it is asked for once more after the rest.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn token(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<String, TokenError> {
        match (self.token_at_once(application, scopes).await, self.destination.deployment()) {
            (Err(TokenError::Limited { says_when: true, .. }), Some(deployment)) => {
                deployment.token_rest().await;
                self.token_at_once(application, scopes).await
            }
            (asked, _) => asked,
        }
    }

    /// As [`ServiceClient::token`], asked for once.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn token_at_once(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<String, TokenError> {
        // Held while asking, so that two who need the same token ask once.
        let mut tokens = self.destination.tokens.lock().await;
        if let Some(token) = tokens.fresh(application, scopes) {
            return Ok(token);
        }
        let (token, lifetime) = self.issue(application, scopes).await?;
        tokens.keep(application, scopes, token.clone(), lifetime);
        Ok(token)
    }

    /// A token in the place of one that was answered `token_revoked`; `None` where it is no shared
    /// one, or no other can be had.
    pub(crate) async fn renewed(&self, revoked: &str) -> Option<String> {
        let (application, scopes) = {
            let mut tokens = self.destination.tokens.lock().await;
            let owner = tokens.owner(revoked)?;
            tokens.note_revoked(&owner.0);
            owner
        };
        self.token(&application, scopes).await.ok()
    }

    /// A token that is not shared, and how long it lives.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn issue(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<(String, Duration), TokenError> {
        let known = self.destination.applications.get(application).ok_or_else(|| {
            TokenError::NoApplication(format!(
                "the target has no application `{application}`; name it as \
                 `applications.{application}` in the target file"
            ))
        })?;
        if let Some(token) = self.minted(&known.client_id, scopes).await {
            return Ok((token, Duration::from_secs(TOKEN_LIFETIME_SECONDS.unsigned_abs())));
        }
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &known.client_id)
            .append_pair("client_secret", known.client_secret.expose_secret())
            .append_pair("scope", scopes.as_str())
            .finish();
        let endpoint = self.destination.endpoints.get(Operation::CreateAccessToken);
        let body = ClientBody::Bytes {
            content_type: Some("application/x-www-form-urlencoded".to_owned()),
            bytes: Bytes::from(form),
        };
        let http_request = self
            .http_request(&endpoint.method, &endpoint.path, Vec::new(), &body)
            .map_err(TokenError::Trouble)?;
        let response = self.carry(http_request, true).await.outcome.map_err(TokenError::Trouble)?;
        let (status, says_when) = (response.status, response.header("retry-after").is_some());
        if status == 429 || status == 503 && says_when {
            return Err(TokenError::Limited { status, says_when });
        }
        let text = |name: &str| -> Option<String> {
            Some(response.json.as_ref()?.get(name)?.as_str()?.to_owned())
        };
        let Some(token) = text("access_token") else {
            let said = text("error").or(text("type")).unwrap_or("no token in it".to_owned());
            if response.status == 401 || said == "invalid_client" {
                let why = format!("it answered {} ({said})", response.status);
                self.destination.refused.lock().insert(application.to_owned(), why);
            }
            return Err(TokenError::Refused(response.status, said));
        };
        self.sender.masks.hide(&token, "MOOT_TOKEN");
        let seconds = response.json.as_ref().and_then(|json| json.get("expires_in")?.as_u64());
        let lifetime = seconds.unwrap_or(TOKEN_LIFETIME_SECONDS.unsigned_abs());
        Ok((token, Duration::from_secs(lifetime)))
    }

    /// A token from the control plane of a sandbox: it is not counted by the limit of §8, so that a
    /// scenario counts its own calls alone. `None` elsewhere, and where it is refused.
    async fn minted(&self, client_id: &str, scopes: Scopes) -> Option<String> {
        if self.destination.deployment().is_some() {
            return None;
        }
        let admin = self.destination.admin.as_ref()?;
        let order = json!({ "client_id": client_id, "scopes": scopes, "age_seconds": 0 });
        let answer = admin.ask(&self.sender, "POST", "/tokens", Some(&order)).await.ok()?;
        let token = answer.get("access_token")?.as_str()?.to_owned();
        self.sender.masks.hide(&token, "MOOT_TOKEN");
        Some(token)
    }

    /// Reads a path with a shared token of `main`; repeated once after trouble.
    ///
    /// # Errors
    /// [`Trouble`], also where there is no token.
    pub(crate) async fn read(&self, path: &str) -> Result<ReceivedResponse, Trouble> {
        let token = self
            .token("main", Scopes::READ)
            .await
            .map_err(|failure| failure.into_trouble("main"))?;
        let headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
        let http_request = self.http_request("GET", path, headers, &ClientBody::Empty)?;
        let first = self.carry(http_request.clone(), false).await.outcome;
        if self.destination.deployment().is_some() && is_worth_repeating(&first) {
            return self.carry(http_request, false).await.outcome;
        }
        first
    }

    /// Asks the control plane; `path` is below its address. Its answer must be 2xx; an empty one is
    /// `null`.
    ///
    /// # Errors
    /// [`Trouble`]; [`Trouble::Broken`] with what it says where it refuses.
    pub(crate) async fn admin(
        &self,
        method: &str,
        path: &str,
        json: Option<&Value>,
    ) -> Result<Value, Trouble> {
        let Some(admin) = &self.destination.admin else {
            return Err(Trouble::Withheld("the target has no control plane".to_owned()));
        };
        let answer = admin.ask(&self.sender, method, path, json).await;
        if method == "POST" && ["/clock", "/reset"].contains(&path) {
            // Shared tokens live on the service's time.
            let advanced = json.and_then(|json| json.get("advance_seconds")?.as_u64());
            let mut tokens = self.destination.tokens.lock().await;
            match advanced {
                Some(seconds) => tokens.age(Duration::from_secs(seconds)),
                None => tokens.clear(),
            }
        }
        answer
    }

    /// Makes a request to a path of the destination, or to an absolute address.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where it is none, or would carry a token to another host.
    pub(crate) fn http_request(
        &self,
        method: &str,
        path: &str,
        headers: Vec<(String, String)>,
        body: &ClientBody,
    ) -> Result<HttpRequest, Trouble> {
        let url = self.url(method, path, &headers)?;
        let encoded = http_request::encode(body, BOUNDARY);
        let mut all = headers;
        if let Some(content_type) = encoded.content_type {
            all.push(("content-type".to_owned(), content_type));
        }
        if !all.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
            all.push(("user-agent".to_owned(), USER_AGENT.to_owned()));
        }
        if let Some(deployment) = self.destination.deployment()
            && address::is_same_origin(&url, &self.destination.base)
        {
            let gateway = deployment.headers.iter();
            all.extend(
                gateway
                    .map(|header| (header.name.clone(), header.value.expose_secret().to_owned())),
            );
        }
        Ok(HttpRequest { method: method.to_owned(), url, headers: all, body: encoded.body })
    }

    fn url(&self, method: &str, path: &str, headers: &[(String, String)]) -> Result<Url, Trouble> {
        let withheld = |reason: String| Err(Trouble::Withheld(reason));
        let is_absolute = path.starts_with("http://") || path.starts_with("https://");
        if !is_absolute && !path.starts_with('/') {
            return withheld(format!("`{path}` is no path that begins with `/`"));
        }
        let text = if is_absolute {
            path.to_owned()
        } else {
            address::below(&self.destination.base, path)
        };
        let url = match Url::parse(&text) {
            Ok(url) => url,
            Err(error) => return withheld(format!("`{text}` is no address: {error}")),
        };
        if address::is_same_origin(&url, &self.destination.base) {
            return Ok(url);
        }
        let has_credentials = headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        });
        if has_credentials {
            return withheld(format!(
                "a token never goes to another host ({})",
                url.origin().ascii_serialization()
            ));
        }
        if method != "GET" {
            return withheld(format!(
                "another host is only read ({})",
                url.origin().ascii_serialization()
            ));
        }
        Ok(url)
    }

    /// Carries one request in its turn.
    pub(crate) async fn carry(&self, http_request: HttpRequest, is_token_request: bool) -> Attempt {
        let Some(deployment) = self.destination.deployment() else {
            return self.sender.carry(http_request).await;
        };
        if let Err(trouble) = deployment.turn(is_token_request).await {
            return Attempt::withheld(trouble);
        }
        let carried = self.sender.carry(http_request).await;
        if let Ok(response) = &carried.outcome {
            deployment.rest_after(response, is_token_request);
        }
        carried
    }
}

/// Separates the parts of a multipart body; long and odd enough to stand in no document.
pub(crate) const BOUNDARY: &str = "moot-part-7hKq2Zr9Xw4Lc6Vt";

impl Admin {
    /// Asks it. The answer must be 2xx; an empty one is `null`.
    ///
    /// # Errors
    /// [`Trouble`].
    pub(crate) async fn ask(
        &self,
        sender: &Sender,
        method: &str,
        path: &str,
        json: Option<&Value>,
    ) -> Result<Value, Trouble> {
        let text = format!("{}{path}", self.url);
        let url = Url::parse(&text)
            .map_err(|error| Trouble::Withheld(format!("`{text}` is no address: {error}")))?;
        let mut headers = vec![("user-agent".to_owned(), USER_AGENT.to_owned())];
        if let Some(token) = &self.token {
            headers.push(("authorization".to_owned(), format!("Bearer {}", token.expose_secret())));
        }
        let body = match json {
            None => HttpBody::Empty,
            Some(json) => {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
                HttpBody::Pieces(vec![http_request::BodyPiece::Bytes(Bytes::from(
                    json.to_string(),
                ))])
            }
        };
        let http_request = HttpRequest { method: method.to_owned(), url, headers, body };
        let response = sender.carry(http_request).await.outcome?;
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
