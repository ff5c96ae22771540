//! A stage: what one scenario plays on. A sandbox of its own on a mock, elsewhere the deployment.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::{Operation, Scopes};
use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::line::Line;
use super::mock::Sandboxes;
use super::payload;
use super::prepared::{Prepared, PreparedPart};
use super::receiver::{Listener, Receiver};
use super::roots;
use super::send::{self, Manner};
use crate::exchange::{Exchange, Trouble};

/// Age of a token that is minted as expired, in seconds: at that age it is (§5.3).
const EXPIRED_AGE_SECONDS: i64 = moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;

/// What one scenario plays on.
pub struct Stage {
    pub(super) line: Line,
    pub(super) run_tag: String,
    pub(super) receivers: Arc<Receivers>,
    /// The receivers of this stage, by name.
    pub(super) named_receivers: Mutex<BTreeMap<String, Receiver>>,
    /// The sandbox to delete at the end.
    pub(super) sandbox: Option<(Arc<Sandboxes>, String)>,
}

/// The one listener of a run, started when the first receiver is asked for.
pub(super) struct Receivers {
    pub(super) options: super::TargetOptions,
    pub(super) listener: OnceCell<Listener>,
}

impl Stage {
    /// The root names `run`, `target`, `bindings`, `contract`, in this order. A secret is an object
    /// `{"$secret": text, "all_but_last", "other_case"}`.
    pub fn roots(&self) -> Vec<(String, Value)> {
        roots::roots(&self.line.venue, &self.run_tag)
    }

    /// A shared token of this application (`main`, …) with exactly these scopes; cached, renewed.
    ///
    /// # Errors
    /// [`Trouble`] where there is no such application, or its token is refused.
    pub async fn token(&self, application: &str, scopes: Scopes) -> Result<String, Trouble> {
        let token = self.line.token(application, scopes).await;
        token.map_err(|failure| failure.into_trouble(application))
    }

    /// A token of this application that expired.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where there is neither a control plane nor one in the target file.
    pub async fn expired_token(&self, application: &str) -> Result<String, Trouble> {
        if self.has_admin() {
            let token = self.minted(application, EXPIRED_AGE_SECONDS).await?;
            self.line.carrier.masks.hide(&token, "MOOT_EXPIRED_TOKEN");
            return Ok(token);
        }
        let given = self.line.venue.deployment().and_then(|it| it.expired_token.as_ref());
        from_file(given, application, "expired_token")
    }

    /// A token of this application that was revoked.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where there is neither a control plane nor one in the target file.
    pub async fn revoked_token(&self, application: &str) -> Result<String, Trouble> {
        if self.has_admin() {
            let token = self.minted(application, 0).await?;
            self.line.carrier.masks.hide(&token, "MOOT_REVOKED_TOKEN");
            self.line.admin("POST", "/tokens/revoke", Some(&json!({ "token": token }))).await?;
            return Ok(token);
        }
        let given = self.line.venue.deployment().and_then(|it| it.revoked_token.as_ref());
        from_file(given, application, "revoked_token")
    }

    async fn minted(&self, application: &str, age_seconds: i64) -> Result<String, Trouble> {
        let Some(known) = self.line.venue.applications.get(application) else {
            return Err(Trouble::Withheld(format!(
                "the target has no application `{application}`"
            )));
        };
        let order = json!({
            "client_id": known.client_id,
            "scopes": known.scopes,
            "age_seconds": age_seconds,
        });
        let answer = self.line.admin("POST", "/tokens", Some(&order)).await?;
        let token = answer.get("access_token").and_then(Value::as_str);
        token
            .map(str::to_owned)
            .ok_or_else(|| Trouble::Broken("the control plane minted no `access_token`".to_owned()))
    }

    /// Sends one request: consent, pace, repeat of a GET after trouble, masks, ledger. What may not
    /// be sent is an exchange with [`Trouble::Withheld`]. A shared token that was answered
    /// `token_revoked` is renewed once.
    pub async fn send(&self, prepared: Prepared) -> Exchange {
        send::send(&self.line, prepared, Manner::Careful).await
    }

    /// Sends one request of a burst: at once, never repeated; consent `load` on a deployment.
    pub async fn send_in_burst(&self, prepared: Prepared) -> Exchange {
        send::send(&self.line, prepared, Manner::Burst).await
    }

    /// Waits until the window of the rate limit (§8) holds no request of ours; on a mock the window
    /// is emptied.
    pub async fn fresh_window(&self) {
        match self.line.venue.deployment() {
            Some(deployment) => {
                deployment.rest_for_a_window();
                deployment.turn(false).await;
            }
            None => {
                // Where that fails the burst finds some calls in the window, and says so itself.
                let _ = self.admin("PUT", "/rate_limit", Some(json!({ "reset": true }))).await;
            }
        }
    }

    /// Asks the control plane; `path` is below `/__admin`. An empty answer is `null`.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] without a control plane, [`Trouble::Broken`] with what it says where
    /// it does not answer 2xx.
    pub async fn admin(
        &self,
        method: &str,
        path: &str,
        json: Option<Value>,
    ) -> Result<Value, Trouble> {
        self.line.admin(method, path, json.as_ref()).await
    }

    /// Whether there is a control plane.
    pub fn has_admin(&self) -> bool {
        self.line.venue.admin.is_some()
    }

    /// Method and path template (with `{id}`, below the base address) of an operation here.
    pub fn endpoint(&self, operation: Operation) -> (String, String) {
        let endpoint = self.line.venue.endpoints.get(operation);
        (endpoint.method.clone(), endpoint.path.clone())
    }

    /// A create request for the workflow that `schema` was read from on this stage, by
    /// [`payload::from_schema`].
    ///
    /// # Errors
    /// The field for which there is no value, and what would give one.
    pub fn payload(&self, schema: &Value) -> Result<Vec<PreparedPart>, String> {
        let mut bindings = self.line.venue.bindings.clone();
        if let Some(id) = self.line.venue.workflow_of(schema) {
            bindings.insert("workflow_id".to_owned(), Value::String(id));
        }
        payload::from_schema(schema, &Value::Object(bindings), &self.run_tag)
    }

    /// The receiver of this name: the same for the same name on the same stage.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where nothing can listen where the target reaches it.
    pub async fn receiver(&self, name: &str) -> Result<Receiver, Trouble> {
        if let Some(known) = self.named_receivers.lock().get(name) {
            return Ok(known.clone());
        }
        let options = &self.receivers.options;
        if self.line.venue.deployment().is_some()
            && (options.receiver.is_none() || options.receiver_url.is_none())
        {
            return Err(Trouble::Withheld(
                "deliveries need --receiver ADDR and --receiver-url URL".to_owned(),
            ));
        }
        let start = || Listener::start(options.receiver, options.receiver_url.as_deref());
        let listener =
            self.receivers.listener.get_or_try_init(start).await.map_err(Trouble::Withheld)?;
        let receiver = listener.receiver(name).map_err(Trouble::Withheld)?;
        self.line.carrier.masks.hide(receiver.secret(), "MOOT_RECEIVER_SECRET");
        // Whoever asked for the same name meanwhile was first.
        Ok(self.named_receivers.lock().entry(name.to_owned()).or_insert(receiver).clone())
    }

    /// Ends it: a sandbox is deleted.
    pub async fn close(self) {
        if let Some((sandboxes, id)) = self.sandbox {
            sandboxes.delete(&id).await;
        }
    }
}

fn from_file(
    given: Option<&SecretString>,
    application: &str,
    key: &str,
) -> Result<String, Trouble> {
    match given {
        Some(token) if application == "main" => Ok(token.expose_secret().to_owned()),
        Some(_) => Err(Trouble::Withheld(format!(
            "`{key}` of the target file is one of the application `main`, not `{application}`"
        ))),
        None => Err(Trouble::Withheld(format!("the target file has no `{key}`"))),
    }
}
