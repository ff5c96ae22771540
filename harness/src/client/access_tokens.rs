//! Asking for access tokens: shared ones, which are kept until they expire, and single ones.

use std::time::Duration;

use moot_fixtures::contract::{Operation, Scopes, TOKEN_LIFETIME_SECONDS};
use secrecy::ExposeSecret;
use serde_json::json;

use crate::client::deployment_rules::is_worth_repeating;
use crate::client::request::ClientBody;
use crate::client::service_client::ServiceClient;
use crate::exchange::{ReceivedResponse, Trouble};

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

/// The name under which a token is shown: `MOOT_TOKEN_READER`, and `MOOT_TOKEN_MAIN_READ` where the
/// application has more scopes. `moot token --as reader` and `--as main --scope read` print such tokens.
pub(crate) fn token_label(role: &str, scopes: Scopes, own: Scopes) -> String {
    let role = role.to_ascii_uppercase();
    match scopes == own || scopes.is_empty() {
        true => format!("MOOT_TOKEN_{role}"),
        false => {
            let scopes = scopes.as_str().replace(' ', "_").to_ascii_uppercase();
            format!("MOOT_TOKEN_{role}_{scopes}")
        }
    }
}

impl ServiceClient {
    /// A shared token of this application with exactly these scopes. When the limit of the token
    /// endpoint refuses it, it is asked for once more after the back-off.
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
                deployment.token_back_off().await;
                self.token_at_once(application, scopes).await
            }
            (outcome, _) => outcome,
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
        // Locked while asking, so that two scenarios that need the same token ask once.
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
        let label = token_label(application, scopes, known.scopes);
        if let Some(token) = self.minted(&known.client_id, scopes, &label).await {
            return Ok((token, Duration::from_secs(TOKEN_LIFETIME_SECONDS.unsigned_abs())));
        }
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &known.client_id)
            .append_pair("client_secret", known.client_secret.expose_secret())
            .append_pair("scope", scopes.as_str())
            .finish();
        let endpoint = self.destination.endpoints.get(Operation::CreateAccessToken);
        let body = ClientBody::bytes("application/x-www-form-urlencoded", form);
        let request = self
            .http_request(&endpoint.method, &endpoint.path, Vec::new(), &body)
            .map_err(TokenError::Trouble)?;
        let response =
            self.send_in_turn(request, true).await.outcome.map_err(TokenError::Trouble)?;
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
        self.sender.masks.hide(&token, &label);
        let seconds = response.json.as_ref().and_then(|json| json.get("expires_in")?.as_u64());
        let lifetime = seconds.unwrap_or(TOKEN_LIFETIME_SECONDS.unsigned_abs());
        Ok((token, Duration::from_secs(lifetime)))
    }

    /// A token from the control plane of a sandbox: it is not counted by the limit of §8, so that a
    /// scenario counts its own calls alone. `None` elsewhere, and where it is refused.
    async fn minted(&self, client_id: &str, scopes: Scopes, label: &str) -> Option<String> {
        if self.destination.deployment().is_some() {
            return None;
        }
        let control_plane = self.destination.control_plane.as_ref()?;
        let order = json!({ "client_id": client_id, "scopes": scopes, "age_seconds": 0 });
        let answer =
            control_plane.send(&self.sender, "POST", "/tokens", Some(&order)).await.ok()?;
        let token = answer.get("access_token")?.as_str()?.to_owned();
        self.sender.masks.hide(&token, label);
        Some(token)
    }

    /// Reads a path with a shared token of `main`; repeated once after trouble.
    ///
    /// # Errors
    /// [`Trouble`], also where there is no token.
    pub(crate) async fn read(&self, path: &str) -> Result<ReceivedResponse, Trouble> {
        let token = self.token("main", Scopes::READ).await;
        let token = token.map_err(|error| error.into_trouble("main"))?;
        let first = self.get(path, &token).await;
        if self.destination.deployment().is_some() && is_worth_repeating(&first) {
            return self.get(path, &token).await;
        }
        first
    }
}
