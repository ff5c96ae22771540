//! Requests for access tokens: shared ones, which are kept until they expire, and single ones.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::{Operation, Scopes, TOKEN_LIFETIME_SECONDS};
use secrecy::ExposeSecret;

use crate::client::deployment_rules::{DeploymentRules, is_worth_repeating};
use crate::client::request::{ClientBody, ClientRequest};
use crate::client::secret_forms;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::model::ApplicationCredentials;
use crate::client::token_label::TokenLabel;
use crate::client::token_refusal::TokenRequestRefusal;
use crate::client::tokens;
use crate::exchange::{Exchange, ReceivedResponse, Trouble};

/// The reason why there is no token.
#[derive(Debug, Clone)]
pub(crate) enum TokenError {
    /// The target file does not have the application.
    NoApplication(String),
    /// There is no response.
    Trouble(Trouble),
    /// A response without a token.
    Refused(TokenRequestRefusal),
    /// The rate limit of the token endpoint, with its status.
    Limited(u16),
}

/// Where the credentials are in a token request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CredentialPlace {
    /// In fields of the form (§4.1).
    Form,
    /// In an HTTP Basic header (RFC 6749 §2.3.1).
    Basic,
}

impl TokenError {
    /// Converts it to trouble of an exchange.
    pub(crate) fn into_trouble(self, application: &str) -> Trouble {
        match self {
            Self::NoApplication(reason) => Trouble::Withheld(reason),
            Self::Trouble(trouble) => trouble,
            Self::Refused(refusal) => Trouble::Withheld(format!(
                "no token for the application `{application}`: the token endpoint returned {refusal}"
            )),
            Self::Limited(status) => Trouble::Withheld(format!(
                "no token for the application `{application}`: the limit of the token endpoint \
                 returned {status}"
            )),
        }
    }
}

impl ServiceClient {
    /// A shared token of this application with exactly these scopes. If the limit of the token endpoint refuses it,
    /// the request is sent once more after the back-off.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn token(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<String, TokenError> {
        let outcome = self.token_at_once(application, scopes).await;
        if self.waited_for_limit(&outcome).await {
            return self.token_at_once(application, scopes).await;
        }
        outcome
    }

    /// Waits for the end of the back-off if the limit of the token endpoint refused a request. Returns whether it did.
    pub(crate) async fn waited_for_limit<T>(&self, outcome: &Result<T, TokenError>) -> bool {
        let deployment = self.destination.deployment();
        let (Err(TokenError::Limited(_)), Some(deployment)) = (outcome, deployment) else {
            return false;
        };
        deployment.token_back_off().await;
        true
    }

    /// As [`ServiceClient::token`], for a call that these scopes allow. If newer tokens end older ones, it may be a
    /// token with all scopes of the application. Then reads and writes in turn need no new token each.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn token_that_suffices(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<String, TokenError> {
        let (present, is_single) = {
            let tokens = self.destination.tokens.lock().await;
            (tokens.fresh_for(application, scopes), tokens.newer_revokes_older())
        };
        if let Some(token) = present {
            return Ok(token);
        }
        let own = self.destination.applications.get(application).map(|known| known.scopes);
        let wider = own.filter(|own| is_single && own.contains_all(scopes));
        self.token(application, wider.unwrap_or(scopes)).await
    }

    /// As [`ServiceClient::token`], without a second request.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn token_at_once(
        &self,
        application: &str,
        scopes: Scopes,
    ) -> Result<String, TokenError> {
        // The lock is held during the request: of two scenarios that need the same token only one requests it.
        let mut tokens = self.destination.tokens.lock().await;
        if let Some(token) = tokens.fresh(application, scopes) {
            return Ok(token);
        }
        let (token, lifetime) = self.issue(application, scopes).await?;
        tokens.keep(application, scopes, token.clone(), lifetime);
        Ok(token)
    }

    /// A new token for one that was refused as `token_revoked`. `None` if the old one is not shared, or there is no new
    /// one.
    pub(crate) async fn renewed(&self, revoked: &str) -> Option<String> {
        let (application, scopes) = {
            let mut tokens = self.destination.tokens.lock().await;
            let owner = tokens.owner(revoked)?;
            tokens.note_revoked(&owner.0);
            owner
        };
        self.token(&application, scopes).await.ok()
    }

    /// The response to the same token request of an earlier scenario, if its token still works. If newer tokens end
    /// older ones, a GET shows whether it does.
    pub(crate) async fn earlier_response(&self, request: &str) -> Option<Arc<Exchange>> {
        let (exchange, is_single) = {
            let tokens = self.destination.tokens.lock().await;
            (tokens.response(request)?, tokens.newer_revokes_older())
        };
        if is_single {
            let token = exchange.outcome.as_ref().ok()?.text("access_token")?;
            let list = self.destination.endpoints.get(Operation::ListWorkflows);
            if self.get(&list.path, token).await.is_ok_and(|response| response.status == 401) {
                let mut tokens = self.destination.tokens.lock().await;
                if let Some((application, _)) = tokens.owner(token) {
                    tokens.note_revoked(&application);
                }
                return None;
            }
        }
        Some(exchange)
    }

    /// A token that is not shared, with its lifetime.
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
        let label = TokenLabel::new(application, scopes, known.scopes).to_string();
        if let Some(token) = self.minted(&known.client_id, scopes, &label).await {
            return Ok((token, Duration::from_secs(TOKEN_LIFETIME_SECONDS.unsigned_abs())));
        }
        let authentication = match self.destination.refused_token_request.get() {
            None => CredentialPlace::Form,
            Some(_) => CredentialPlace::Basic,
        };
        let request = self.token_request(application, known, scopes, authentication);
        let outcome = self.granted(request, &label).await;
        if let Err(TokenError::Refused(refusal)) = &outcome
            && refusal.is_about_credentials()
        {
            self.destination.refused.lock().insert(application.to_owned(), refusal.clone());
        }
        outcome
    }

    /// A token request (§4.1).
    pub(crate) fn token_request(
        &self,
        application: &str,
        credentials: &ApplicationCredentials,
        scopes: Scopes,
        authentication: CredentialPlace,
    ) -> ClientRequest {
        let (id, secret) = (&credentials.client_id, credentials.client_secret.expose_secret());
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        let mut headers = Vec::new();
        match authentication {
            CredentialPlace::Form => {
                form.append_pair("client_id", id).append_pair("client_secret", secret);
            }
            CredentialPlace::Basic => {
                let basic = secret_forms::basic(id, secret);
                headers.push(("authorization".to_owned(), format!("Basic {basic}")));
            }
        }
        form.append_pair("scope", scopes.as_str());
        let (endpoints, operation) = (&self.destination.endpoints, Operation::CreateAccessToken);
        let body = ClientBody::bytes("application/x-www-form-urlencoded", form.finish());
        ClientRequest { headers, body, ..ClientRequest::of(endpoints, operation, application) }
    }

    /// Sends a token request. Returns the token with its lifetime. Reports show `label` instead of the token.
    ///
    /// # Errors
    /// [`TokenError`].
    pub(crate) async fn granted(
        &self,
        request: ClientRequest,
        label: &str,
    ) -> Result<(String, Duration), TokenError> {
        let ClientRequest { method, path, headers, body, .. } = &request;
        let request =
            self.http_request(method, path, headers.clone(), body).map_err(TokenError::Trouble)?;
        let response =
            self.send_in_turn(request, true).await.outcome.map_err(TokenError::Trouble)?;
        let status = response.status;
        let deployment = self.destination.deployment();
        let is_limit = response.header("retry-after").is_some()
            || deployment.is_some_and(DeploymentRules::backs_off_from_tokens);
        if status == 429 || status == 503 && is_limit {
            return Err(TokenError::Limited(status));
        }
        let text = |name: &str| response.text(name).map(str::to_owned);
        let Some(token) = text("access_token") else {
            let error = text("error").or(text("type"));
            let redirect = response.header("location").map(str::to_owned);
            return Err(TokenError::Refused(TokenRequestRefusal { status, error, redirect }));
        };
        self.sender.masks.hide(&token, label);
        if let Some(scope) = text("scope") {
            self.destination.granted.lock().insert(token.clone(), scope);
        }
        Ok((token, tokens::lifetime(&response)))
    }

    /// A token from the control plane of a sandbox. The limit of §8 does not count it, so a scenario counts only its
    /// own calls. `None` on a deployment, or if the control plane refuses.
    async fn minted(&self, client_id: &str, scopes: Scopes, label: &str) -> Option<String> {
        if self.destination.deployment().is_some() {
            return None;
        }
        let control_plane = self.destination.control_plane.as_ref()?;
        let issued = control_plane.issue_token(&self.sender, client_id, scopes, 0).await;
        let token = issued.ok()?;
        self.sender.masks.hide(&token, label);
        Some(token)
    }

    /// Sends a GET with a shared token of `main`. On a deployment it is retried once after trouble.
    ///
    /// # Errors
    /// [`Trouble`], also if there is no token.
    pub(crate) async fn read(&self, path: &str) -> Result<ReceivedResponse, Trouble> {
        let token = self.token_that_suffices("main", Scopes::READ).await;
        let token = token.map_err(|error| error.into_trouble("main"))?;
        let first = self.get(path, &token).await;
        if self.destination.deployment().is_some() && is_worth_repeating(&first) {
            return self.get(path, &token).await;
        }
        first
    }
}
