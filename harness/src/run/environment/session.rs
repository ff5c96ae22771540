//! A session: one scenario's use of an environment. On a mock it has a sandbox of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::{Operation, Scopes};
use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::client::destination::UselessToken;
use crate::client::payload;
use crate::client::receiver::{DeliveryReceiver, Listener};
use crate::client::recording::mode::RecordingMode;
use crate::client::request::{ClientRequest, FormPart};
use crate::client::send::{self, SendMode};
use crate::client::service_client::ServiceClient;
use crate::exchange::{Exchange, Trouble};
use crate::run::environment::choice::TargetOptions;
use crate::run::environment::discovery::DefaultValue;
use crate::run::environment::mock::MockSandboxes;
use crate::run::environment::{replayed, root_names};
use crate::scenario::model::{OperatorAction, OperatorOrder, Rhythm};

/// The age, in seconds, at which a token has expired (§5.3).
const EXPIRED_AGE_SECONDS: i64 = moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;

/// One scenario's use of an environment.
pub struct Session {
    pub(crate) scenario: String,
    pub(crate) client: ServiceClient,
    pub(crate) receivers: Arc<Receivers>,
    /// The receivers of this session, by name.
    pub(crate) named_receivers: Mutex<BTreeMap<String, DeliveryReceiver>>,
    /// The sandbox to delete at the end.
    pub(crate) sandbox: Option<(Arc<MockSandboxes>, String)>,
    /// When it began: seconds since 1970 by our clock.
    pub(crate) started_seconds: i64,
    pub(crate) recording: RecordingMode,
}

/// The one listener of a run, started when the first receiver is asked for.
pub(crate) struct Receivers {
    pub(crate) options: TargetOptions,
    pub(crate) listener: OnceCell<Listener>,
}

impl Session {
    /// The root names `run`, `target`, `bindings`, `contract`, in this order. A secret is an object
    /// `{"$secret": text, "all_but_last", "other_case"}`.
    pub fn roots(&self) -> Vec<(String, Value)> {
        root_names::roots(
            &self.client.destination,
            &self.receivers.options.run_tag,
            self.started_seconds,
        )
    }

    /// A shared token of this application (`main`, …) with exactly these scopes; cached, renewed.
    ///
    /// # Errors
    /// [`Trouble`] where there is no such application, or its token is refused.
    pub async fn token(&self, application: &str, scopes: Scopes) -> Result<String, Trouble> {
        self.recorded_text(format!("token {application} {scopes}"), async {
            let token = self.client.token(application, scopes).await;
            token.map_err(|failure| failure.into_trouble(application))
        })
        .await
    }

    /// A text of a recording; elsewhere that of `made`, which is recorded.
    async fn recorded_text(
        &self,
        key: String,
        made: impl Future<Output = Result<String, Trouble>>,
    ) -> Result<String, Trouble> {
        match self.recording.text(&key) {
            Some(told) => told,
            None => self.recording.keep_text(key, made.await),
        }
    }

    /// A token of this application that expired or was revoked.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where there is neither a control plane nor one in the target file.
    pub async fn useless_token(
        &self,
        why: UselessToken,
        application: &str,
    ) -> Result<String, Trouble> {
        let word = match why {
            UselessToken::Expired => "expired",
            UselessToken::Revoked => "revoked",
        };
        let key = format!("{word} token {application}");
        self.recorded_text(key, self.made_useless(why, word, application)).await
    }

    async fn made_useless(
        &self,
        why: UselessToken,
        word: &str,
        application: &str,
    ) -> Result<String, Trouble> {
        let (action, age_seconds) = match why {
            UselessToken::Expired => (OperatorAction::AdvanceClock, EXPIRED_AGE_SECONDS),
            UselessToken::Revoked => (OperatorAction::RevokeToken, 0),
        };
        if self.has_admin() {
            let token = self.minted(application, age_seconds).await?;
            let label = format!("MOOT_{}_TOKEN", word.to_ascii_uppercase());
            self.client.sender.masks.hide(&token, &label);
            if why == UselessToken::Revoked {
                let order = json!({ "token": token });
                self.client.admin("POST", "/tokens/revoke", Some(&order)).await?;
            }
            return Ok(token);
        }
        let given = self.client.destination.deployment().and_then(|rules| match why {
            UselessToken::Expired => rules.expired_token.as_ref(),
            UselessToken::Revoked => rules.revoked_token.as_ref(),
        });
        match given {
            None if self.client.has_operator(action) => {
                self.client.useless_token(why, application).await.map_err(Trouble::Operator)
            }
            given => from_file(given, application, &format!("{word}_token")),
        }
    }

    async fn minted(&self, application: &str, age_seconds: i64) -> Result<String, Trouble> {
        let Some(known) = self.client.destination.applications.get(application) else {
            return Err(Trouble::Withheld(format!(
                "the target has no application `{application}`"
            )));
        };
        let order = json!({
            "client_id": known.client_id,
            "scopes": known.scopes,
            "age_seconds": age_seconds,
        });
        let answer = self.client.admin("POST", "/tokens", Some(&order)).await?;
        let token = answer.get("access_token").and_then(Value::as_str);
        token
            .map(str::to_owned)
            .ok_or_else(|| Trouble::Broken("the control plane minted no `access_token`".to_owned()))
    }

    /// Sends one request, with consent, pace, ledger and masks. A GET is repeated once after trouble. A
    /// shared token that was answered `token_revoked` is replaced once. A request that may not be sent
    /// gives an exchange with [`Trouble::Withheld`].
    pub async fn send(&self, prepared: ClientRequest) -> Exchange {
        self.sent(prepared, SendMode::Paced).await
    }

    /// Sends one request of a burst: at once, never repeated; consent `load` on a deployment.
    pub async fn send_in_burst(&self, prepared: ClientRequest, rhythm: Rhythm) -> Exchange {
        self.sent(prepared, SendMode::Burst(rhythm)).await
    }

    async fn sent(&self, prepared: ClientRequest, manner: SendMode) -> Exchange {
        let path = self.client.sender.masks.mask(&prepared.path);
        if let Some(told) = self.recording.exchange(&prepared.method, &path) {
            if let (Some(Operation::GetWorkflowSchema), Ok(response)) =
                (told.request.operation, &told.outcome)
                && let (200, Some(json)) = (response.status, &response.json)
            {
                self.client.destination.remember_form(&prepared.path, json);
            }
            return told;
        }
        // In a replay without such an exchange the transport sends nothing and returns trouble.
        let exchange = send::send(&self.client, prepared, manner).await;
        self.recording.keep_exchange(&exchange);
        exchange
    }

    /// Whether it replays a recording, so that nothing has to be waited for.
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

    /// Records which exchanges were one burst, and forgets the answers recorded since `mark`.
    pub fn keep_burst<'a>(
        &self,
        mark: usize,
        prepared: &ClientRequest,
        exchanges: impl Iterator<Item = &'a Exchange>,
    ) {
        let numbers: Vec<u64> = exchanges.map(|exchange| exchange.number).collect();
        self.keep_since(mark, self.burst_key(prepared), json!(numbers));
    }

    fn burst_key(&self, prepared: &ClientRequest) -> String {
        let path = self.client.sender.masks.mask(&prepared.path);
        format!("burst {} {path}", prepared.method)
    }

    /// The answer to the same token request of an earlier scenario, if it may stand for this one.
    pub async fn lent_token(&self, prepared: &ClientRequest) -> Option<Arc<Exchange>> {
        if self.is_recorded() || self.client.destination.deployment().is_none() {
            return None;
        }
        let exchange = self.client.destination.tokens.lock().await.lent(&lending_key(prepared))?;
        self.recording.keep_exchange(&exchange);
        Some(exchange)
    }

    /// Lets the answer to this token request stand for the same one of later scenarios.
    pub async fn lend_token(&self, prepared: &ClientRequest, exchange: &Arc<Exchange>) {
        let mut tokens = self.client.destination.tokens.lock().await;
        tokens.lend(lending_key(prepared), &prepared.application, exchange);
    }

    /// What was recorded under this key; `None` unless this is a replay.
    pub fn recorded(&self, key: &str) -> Option<Result<Value, Trouble>> {
        self.recording.answer(key)
    }

    /// Records a value.
    pub fn keep(&self, key: String, value: Value) {
        self.recording.keep(key, &Ok(value));
    }

    /// The position of the recording, for [`Session::keep_since`].
    pub fn mark(&self) -> usize {
        self.recording.mark()
    }

    /// Records a value, and forgets the answers recorded since `mark`, which it stands for.
    pub fn keep_since(&self, mark: usize, key: String, value: Value) {
        self.recording.cut(mark);
        self.keep(key, value);
    }

    /// Waits until a burst may begin: what was sent before it must not use up the limit (§8). On a mock the
    /// window of the limit is emptied.
    pub async fn room_for_burst(&self, calls: u32, rhythm: Rhythm) {
        match self.client.destination.deployment() {
            Some(deployment) => deployment.room_for_burst(calls, rhythm).await,
            None => {
                // A failure is reported by the burst itself, which finds calls in the window.
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
        let key = format!("admin {method} {}", self.client.sender.masks.mask(path));
        if let Some(told) = self.recording.answer(&key) {
            return told;
        }
        let answer = self.client.admin(method, path, json.as_ref()).await;
        self.recording.keep(key, &answer);
        answer
    }

    /// Lets the operator of the target act. Returns what it said, for people; masked.
    ///
    /// # Errors
    /// [`Trouble::Operator`] where it was not done.
    pub(crate) async fn operate(&self, order: &OperatorOrder) -> Result<String, Trouble> {
        let words = self.client.sender.masks.mask(&order.words().join(" "));
        self.recorded_text(format!("operator {words}"), async {
            let done = self.client.operate(order).await;
            done.map_err(|trouble| Trouble::Operator(trouble.to_string()))
        })
        .await
    }

    /// The default that a request of this operation sends, because the target file binds no other value.
    /// `None` on a mock, which takes them all.
    pub fn default_value(&self, operation: Operation) -> Option<DefaultValue> {
        self.client.destination.deployment()?;
        DefaultValue::of(operation, &self.client.destination.bindings)
    }

    /// Whether there is a control plane.
    pub fn has_admin(&self) -> bool {
        self.client.destination.control_plane.is_some()
    }

    /// Method and path template (with `{id}`, below the base address) of an operation here.
    pub fn endpoint(&self, operation: Operation) -> (&str, &str) {
        let endpoint = self.client.destination.endpoints.get(operation);
        (&endpoint.method, &endpoint.path)
    }

    /// The operation that a method and a path on the target belong to.
    pub fn operation(&self, method: &str, path: &str) -> Option<Operation> {
        self.client.destination.endpoints.find(method, path)
    }

    /// A create request for the workflow that `schema` was read from in this session, by
    /// [`payload::from_schema`].
    ///
    /// # Errors
    /// The field that has no value, and how to give it one.
    pub fn payload(&self, schema: &Value) -> Result<Vec<FormPart>, String> {
        let mut bindings = self.client.destination.bindings.clone();
        if let Some(id) = self.client.destination.workflow_of(schema) {
            bindings.insert("workflow_id".to_owned(), Value::String(id));
        }
        payload::from_schema(schema, &Value::Object(bindings), &self.receivers.options.run_tag)
    }

    /// The receiver of this name. The same name gives the same receiver.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where nothing can listen where the target reaches it.
    pub async fn receiver(&self, name: &str) -> Result<DeliveryReceiver, Trouble> {
        if let Some(known) = self.named_receivers.lock().get(name) {
            return Ok(known.clone());
        }
        let receiver = match self.recording.answer(&format!("receiver {name}")) {
            Some(told) => DeliveryReceiver::recorded(&told?),
            None => self.listening(name).await?,
        };
        let told = json!({ "url": receiver.url(), "secret": receiver.secret() });
        self.recording.keep(format!("receiver {name}"), &Ok(told));
        self.client.sender.masks.hide(receiver.secret(), "MOOT_RECEIVER_SECRET");
        // Another step may have made it meanwhile.
        Ok(self.named_receivers.lock().entry(name.to_owned()).or_insert(receiver).clone())
    }

    async fn listening(&self, name: &str) -> Result<DeliveryReceiver, Trouble> {
        let options = &self.receivers.options;
        let deployment = self.client.destination.deployment();
        if deployment.is_some_and(|it| it.operator_control_plane.is_none())
            && (options.receiver.is_none() || options.receiver_url.is_none())
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

    /// Ends the session: hands over its recording, and deletes its sandbox.
    pub async fn close(self) {
        let Self { recording, scenario, started_seconds, client, sandbox, .. } = self;
        recording.close(scenario, started_seconds, || replayed::row_of(&client.destination));
        if let Some((sandboxes, id)) = sandbox {
            sandboxes.delete(&id).await;
        }
    }
}

fn lending_key(prepared: &ClientRequest) -> String {
    let ClientRequest { method, path, headers, body, .. } = prepared;
    format!("{method} {path} {headers:?} {}", body.shown())
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
