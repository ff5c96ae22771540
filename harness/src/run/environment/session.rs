//! A session: one scenario's use of an environment. On a mock it has its own sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::{Operation, Scopes, TOKEN_LIFETIME_SECONDS};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::client::payload;
use crate::client::receiver::{DeliveryReceiver, Listener};
use crate::client::recording::mode::RecordingMode;
use crate::client::recording::session_record::absent;
use crate::client::request::{ClientRequest, FormPart, bearer};
use crate::client::send;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::Endpoints;
use crate::client::tokens;
use crate::exchange::{Exchange, Trouble};
use crate::run::environment::choice::TargetOptions;
use crate::run::environment::mock::MockSandboxes;
use crate::run::environment::{replay_destination, root_names};
use crate::scenario::model::{OperatorAction, OperatorOrder, Rhythm, UselessToken};
use crate::scenario::names::Names;

/// One scenario's use of an environment.
pub struct Session {
    pub(crate) scenario: String,
    pub(crate) client: ServiceClient,
    pub(crate) receivers: Arc<Receivers>,
    /// The sandbox that is deleted at the end.
    pub(crate) sandbox: Option<(Arc<MockSandboxes>, String)>,
    /// The start of the session: seconds since 1970 by our clock.
    pub(crate) started_seconds: i64,
    /// The most pages of a list that are read.
    pub(crate) pages_max: u64,
    pub(crate) recording: RecordingMode,
}

/// The listener of a run. It starts with the first receiver.
pub(crate) struct Receivers {
    pub(crate) options: TargetOptions,
    pub(crate) listener: OnceCell<Listener>,
}

impl Session {
    /// The root names `run`, `target`, `bindings`, `contract`.
    pub fn roots(&self) -> Names {
        root_names::roots(
            &self.client.destination,
            &self.receivers.options.run_tag,
            self.started_seconds,
            self.pages_max,
        )
    }

    /// A shared token of this application (`main`, …) with these scopes. If it `may_have_more`, it can have all scopes
    /// of the application. Tokens are cached, and renewed in time.
    ///
    /// # Errors
    /// [`Trouble`] if there is no such application, or its token is refused.
    pub async fn token(
        &self,
        application: &str,
        scopes: Scopes,
        may_have_more: bool,
    ) -> Result<String, Trouble> {
        self.recorded_text(format!("token {application} {scopes}"), async {
            let token = match may_have_more {
                true => self.client.token_that_suffices(application, scopes).await,
                false => self.client.token(application, scopes).await,
            };
            token.map_err(|error| error.into_trouble(application))
        })
        .await
    }

    /// The recorded result of a replay. Otherwise the result of `call`, which is recorded.
    async fn recorded(
        &self,
        key: String,
        call: impl Future<Output = Result<Value, Trouble>>,
    ) -> Result<Value, Trouble> {
        if let Some(recorded) = self.recording.outcome(&key) {
            return recorded;
        }
        let outcome = call.await;
        self.recording.keep(key, &outcome);
        outcome
    }

    /// As [`Session::recorded`], for a text.
    async fn recorded_text(
        &self,
        key: String,
        call: impl Future<Output = Result<String, Trouble>>,
    ) -> Result<String, Trouble> {
        let text = self.recorded(key.clone(), async { call.await.map(Value::String) }).await?;
        text.as_str().map(str::to_owned).ok_or_else(|| absent(&key))
    }

    /// A token of this application that expired or was revoked.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if neither a control plane nor the target file nor an operator supplies one.
    pub async fn useless_token(
        &self,
        why: UselessToken,
        application: &str,
    ) -> Result<String, Trouble> {
        let key = format!("{why} token {application}");
        self.recorded_text(key, self.new_useless_token(why, application)).await
    }

    async fn new_useless_token(
        &self,
        why: UselessToken,
        application: &str,
    ) -> Result<String, Trouble> {
        let (client, destination) = (&self.client, &self.client.destination);
        let (action, age_seconds) = match why {
            UselessToken::Expired => (OperatorAction::AdvanceClock, TOKEN_LIFETIME_SECONDS),
            UselessToken::Revoked => (OperatorAction::RevokeToken, 0),
        };
        if let Some(control_plane) = &destination.control_plane {
            let Some(known) = destination.applications.get(application) else {
                let reason = format!("the target has no application `{application}`");
                return Err(Trouble::Withheld(reason));
            };
            let (id, scopes) = (&known.client_id, known.scopes);
            let token = control_plane.issue_token(&client.sender, id, scopes, age_seconds).await?;
            let label = format!("MOOT_{why}_TOKEN").to_ascii_uppercase();
            client.sender.masks.hide(&token, &label);
            if why == UselessToken::Revoked {
                client.admin("POST", "/tokens/revoke", Some(&json!({ "token": token }))).await?;
            }
            return Ok(token);
        }
        let given = destination.deployment().and_then(|rules| match why {
            UselessToken::Expired => rules.expired_token.as_ref(),
            UselessToken::Revoked => rules.revoked_token.as_ref(),
        });
        match given {
            None if client.has_operator(action) => {
                client.useless_token(why, application).await.map_err(Trouble::Operator)
            }
            given => token_of_file(given, application, &format!("{why}_token")),
        }
    }

    /// Sends one request, with consent, pace, ledger and masks. A GET is repeated once after trouble. A revoked shared
    /// token is replaced once. If a request may not be sent, its exchange has [`Trouble::Withheld`].
    pub async fn send(&self, prepared: ClientRequest) -> Exchange {
        self.send_in_rhythm(prepared, None).await
    }

    /// As [`Session::send`], or at once if the request is part of a burst. Then it is never repeated, and needs the
    /// consent `load` on a deployment.
    pub async fn send_in_rhythm(&self, prepared: ClientRequest, burst: Option<Rhythm>) -> Exchange {
        let path = self.client.sender.masks.mask(&prepared.path);
        if let Some(recorded) = self.recording.exchange(&prepared.method, &path) {
            if let (Some(Operation::GetWorkflowSchema), Ok(response)) =
                (recorded.request.operation, &recorded.outcome)
                && let (200, Some(json)) = (response.status, &response.json)
            {
                self.client.destination.remember_form(&prepared.path, json);
            }
            return recorded;
        }
        // The transport of a replay sends nothing, so an exchange that was not recorded is trouble.
        let exchange = send::send(&self.client, prepared, burst).await;
        self.recording.keep_exchange(&exchange);
        exchange
    }

    /// Replaces the shared tokens of these calls of a burst that a newer token has ended, as a GET of each shows: a
    /// call of a burst is sent only once. Returns whether a call needs another token.
    pub(crate) async fn replaced_tokens(&self, calls: &[ClientRequest]) -> bool {
        let destination = &self.client.destination;
        if destination.deployment().is_none() {
            return false;
        }
        let mut tried = BTreeSet::new();
        let mut is_replaced = false;
        for call in calls {
            let token = call.headers.iter().find(|(name, _)| name == "authorization");
            let Some(token) = token.and_then(|(_, value)| value.strip_prefix("Bearer ")) else {
                continue;
            };
            let is_shared = async || destination.tokens.lock().await.owner(token).is_some();
            if !tried.insert(token) || !is_shared().await {
                continue;
            }
            let (list, application) = (Operation::ListWorkflows, &call.application);
            let read = ClientRequest::of(&destination.endpoints, list, application);
            let read = ClientRequest { headers: vec![bearer(token)], ..read };
            send::send(&self.client, read, None).await;
            is_replaced |= !is_shared().await;
        }
        is_replaced
    }

    /// Whether this is a replay. Then there is no reason to wait.
    pub fn is_recorded(&self) -> bool {
        matches!(self.recording, RecordingMode::Replay(_))
    }

    /// The exchanges of a recorded burst; `None` unless this is a replay.
    pub fn recorded_burst(
        &self,
        prepared: &ClientRequest,
    ) -> Option<Result<Vec<Exchange>, Trouble>> {
        self.recording.burst(&self.burst_key(prepared))
    }

    /// Records the exchanges of a burst, and drops the results recorded since `mark`.
    pub fn keep_burst<'a>(
        &self,
        mark: usize,
        prepared: &ClientRequest,
        exchanges: impl Iterator<Item = &'a Exchange>,
    ) {
        let numbers: Vec<u64> = exchanges.map(|exchange| exchange.number).collect();
        self.recording.keep_since(mark, self.burst_key(prepared), json!(numbers));
    }

    fn burst_key(&self, prepared: &ClientRequest) -> String {
        let path = self.client.sender.masks.mask(&prepared.path);
        format!("burst {} {path}", prepared.method)
    }

    /// The exchange of the same token request in an earlier scenario, if it can be reused.
    pub async fn cached_token_response(&self, prepared: &ClientRequest) -> Option<Arc<Exchange>> {
        if self.is_recorded() || self.client.destination.deployment().is_none() {
            return None;
        }
        let exchange = self.client.earlier_response(&token_request_key(prepared)).await?;
        self.recording.keep_exchange(&exchange);
        Some(exchange)
    }

    /// Lets later scenarios reuse the exchange of this token request.
    pub async fn keep_token_response(&self, prepared: &ClientRequest, exchange: &Arc<Exchange>) {
        if let Some(role) = self.requester(&form_of(prepared)) {
            let mut tokens = self.client.destination.tokens.lock().await;
            tokens.keep_response(token_request_key(prepared), role, exchange);
        }
    }

    /// Shares the token that a scenario was granted, if newer tokens end older ones: the earlier shared token of its
    /// application has ended. The request must be the one that the run itself would send (§4.1).
    pub async fn share_granted_token(&self, prepared: &ClientRequest, exchange: &Exchange) {
        let form = form_of(prepared);
        let given = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let scopes = Scopes::among(given("scope"));
        let is_usual = form.len() == 4
            && given("grant_type") == "client_credentials"
            && given("scope") == scopes.as_str();
        let (Some(role), Ok(response)) = (self.requester(&form), &exchange.outcome) else { return };
        let token = response.text("access_token").filter(|_| is_usual && response.is_success());
        let mut tokens = self.client.destination.tokens.lock().await;
        if let Some(token) = token.filter(|_| tokens.newer_revokes_older()) {
            tokens.keep(role, scopes, token.to_owned(), tokens::lifetime(response));
        }
    }

    /// The application of this token request.
    fn requester(&self, form: &BTreeMap<String, String>) -> Option<&str> {
        let id = form.get("client_id")?;
        let mut applications = self.client.destination.applications.iter();
        applications.find(|(_, one)| one.client_id == *id).map(|(role, _)| role.as_str())
    }

    /// Waits until earlier requests do not count towards the limit (§8) of a burst. On a mock the limit is reset.
    pub async fn room_for_burst(&self, calls: u32, rhythm: Rhythm) {
        match self.client.destination.deployment() {
            Some(deployment) => deployment.room_for_burst(calls, rhythm).await,
            None => {
                // After a failure, the checks of the burst find earlier calls in the window.
                let _ = self.admin("PUT", "/rate_limit", Some(json!({ "reset": true }))).await;
            }
        }
    }

    /// Calls the control plane. `path` is below `/__admin`. An empty response is `null`.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] without a control plane, [`Trouble::Broken`] if the status is not 2xx.
    pub async fn admin(
        &self,
        method: &str,
        path: &str,
        json: Option<Value>,
    ) -> Result<Value, Trouble> {
        let key = format!("admin {method} {}", self.client.sender.masks.mask(path));
        self.recorded(key, self.client.admin(method, path, json.as_ref())).await
    }

    /// Lets the operator of the target carry out an order. Returns its masked message for people.
    ///
    /// # Errors
    /// [`Trouble::Operator`] if the operator fails.
    pub(crate) async fn operate(&self, order: &OperatorOrder) -> Result<String, Trouble> {
        let words = self.client.sender.masks.mask(&order.words().join(" "));
        self.recorded_text(format!("operator {words}"), async {
            self.client
                .operate(order)
                .await
                .map_err(|trouble| Trouble::Operator(trouble.to_string()))
        })
        .await
    }

    /// Whether there is a control plane.
    pub fn has_admin(&self) -> bool {
        self.client.destination.control_plane.is_some()
    }

    /// The endpoints of the target.
    pub fn endpoints(&self) -> &Endpoints {
        &self.client.destination.endpoints
    }

    /// The fields of a create request, by [`payload::from_schema`]. The workflow is the one whose schema this is.
    ///
    /// # Errors
    /// The field without a value, and the setting for it.
    pub fn payload(&self, schema: &Value) -> Result<Vec<FormPart>, String> {
        let mut bindings = self.client.destination.bindings.clone();
        if let Some(id) = self.client.destination.workflow_of(schema) {
            bindings.insert("workflow_id".to_owned(), Value::String(id));
        }
        payload::from_schema(schema, &Value::Object(bindings), &self.receivers.options.run_tag)
    }

    /// A receiver with this name.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if the target cannot reach a receiver.
    pub async fn receiver(&self, name: &str) -> Result<DeliveryReceiver, Trouble> {
        let receiver = match self.recording.outcome(&format!("receiver {name}")) {
            Some(recorded) => DeliveryReceiver::recorded(&recorded?),
            None => self.new_receiver(name).await?,
        };
        let value = json!({ "url": receiver.url(), "secret": receiver.secret() });
        self.recording.keep(format!("receiver {name}"), &Ok(value));
        self.client.sender.masks.hide(receiver.secret(), "MOOT_RECEIVER_SECRET");
        Ok(receiver)
    }

    async fn new_receiver(&self, name: &str) -> Result<DeliveryReceiver, Trouble> {
        let options = &self.receivers.options;
        let deployment = self.client.destination.deployment();
        if deployment.is_some_and(|it| it.operator_control_plane.is_none())
            && !options.can_receive()
        {
            return Err(Trouble::Withheld(
                "deliveries need --receiver ADDR and --receiver-url URL".to_owned(),
            ));
        }
        let start = || Listener::start(options.receiver, options.receiver_url.as_deref());
        let listener =
            self.receivers.listener.get_or_try_init(start).await.map_err(Trouble::Withheld)?;
        listener.receiver(name).map_err(Trouble::Withheld)
    }

    /// Ends the session: stores its recording, and deletes its sandbox.
    pub async fn close(self) {
        let Self { recording, scenario, started_seconds, client, sandbox, .. } = self;
        recording
            .close(scenario, started_seconds, || replay_destination::row_of(&client.destination));
        if let Some((sandboxes, id)) = sandbox {
            sandboxes.delete(&id).await;
        }
    }
}

fn form_of(prepared: &ClientRequest) -> BTreeMap<String, String> {
    form_urlencoded::parse(prepared.body.shown().as_bytes()).into_owned().collect()
}

fn token_request_key(prepared: &ClientRequest) -> String {
    let ClientRequest { method, path, headers, body, .. } = prepared;
    format!("{method} {path} {headers:?} {}", body.shown())
}

fn token_of_file(
    given: Option<&SecretString>,
    application: &str,
    key: &str,
) -> Result<String, Trouble> {
    match given {
        Some(token) if application == "main" => Ok(token.expose_secret().to_owned()),
        Some(_) => Err(Trouble::Withheld(format!(
            "`{key}` of the target file belongs to the application `main`, not `{application}`"
        ))),
        None => Err(Trouble::Withheld(format!("the target file has no `{key}`"))),
    }
}
