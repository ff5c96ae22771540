//! The mock of a drill. The drill uses its control plane with a token that the client does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use moot_fixtures::contract::Operation;
use moot_mock::settings::Settings;
use moot_mock::shell::{Site, SiteOptions, WatchedCall};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::command::error::CommandError;
use crate::command::exec_environment;
use crate::command::runtime::random_seed;
use crate::command::serve::secrets_in;
use crate::grading::conduct::rows;
use crate::grading::drill::recording::{DrillRecording, answered_deliveries, made};
use crate::grading::drill::table::{DrillOrder, OrderAction};

/// The mock of a drill, with the orders that the drill gives to its control plane.
pub(super) struct DrillMock {
    pub(super) site: Site,
    base_url: String,
    admin_token: String,
    /// The client's token for its part of the control plane.
    pub(super) client_token: String,
    stranger: String,
    situation: Mutex<Situation>,
}

/// The orders of a drill, and the state of their execution.
#[derive(Default)]
struct Situation {
    orders: Vec<DrillOrder>,
    /// The number of calls that fit the trigger of an order, by world and number of the order.
    fitting: BTreeMap<(Option<String>, usize), usize>,
    /// The numbers of the orders that were executed after a call.
    done: BTreeSet<usize>,
    /// The calls of the control plane that restore each world.
    undoing: Vec<UndoOrder>,
    /// The first error of the drill itself.
    trouble: Option<String>,
    /// The time of the client's last call.
    last_call: Option<Instant>,
}

/// A call of the control plane that restores the state before a situation.
struct UndoOrder {
    sandbox: Option<String>,
    method: Method,
    path: String,
    body: Value,
}

/// The seed of a drill. It depends only on `--seed` and on the drill.
pub(super) fn derived(seed: u64, key: &str) -> u64 {
    let digest = Sha256::digest(format!("{seed} {key}"));
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

impl DrillMock {
    /// A mock with these options. `stranger` is the address of another host.
    ///
    /// # Errors
    /// The options of the world are wrong.
    pub(super) fn new(
        mut options: SiteOptions,
        stranger: String,
    ) -> Result<Arc<Self>, CommandError> {
        let Settings { seed, base_url, .. } = &options.settings;
        let token = |of: &str| format!("{of}-{:x}-{:x}", derived(*seed, of), random_seed());
        let (base_url, admin_token, client_token) =
            (base_url.clone(), token("drill"), token("client"));
        // The site calls the mock, which is made after it.
        let made: Arc<OnceLock<Arc<Self>>> = Arc::default();
        let (watched, offered) = (made.clone(), made.clone());
        options.admin_token = Some(admin_token.clone());
        options.client_token = Some(client_token.clone());
        options.watch = Some(Arc::new(move |call: WatchedCall| {
            watched.get().inspect(|mock| mock.call_answered(&call));
        }));
        options.sandbox_watch = Some(Arc::new(move |id: &str| {
            offered.get().inspect(|mock| mock.sandbox_made(id));
        }));
        let site = Site::new(options)?;
        site.remember_deleted();
        let situation = Mutex::default();
        let mock = Self { site, base_url, admin_token, client_token, stranger, situation };
        Ok(made.get_or_init(|| Arc::new(mock)).clone())
    }

    /// Waits until the client has made no call for the time `quiet`, but not longer than `timeout`.
    pub(super) async fn wait_until_quiet(&self, quiet: Duration, timeout: Duration) {
        let end = Instant::now() + timeout;
        loop {
            let last_call = self.situation.lock().last_call;
            let until = last_call.map_or_else(Instant::now, |call| call + quiet).min(end);
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }

    /// The journals of all worlds, without secrets.
    ///
    /// # Errors
    /// As of [`Self::masked`].
    pub(super) fn calls_so_far(&self) -> Result<Value, CommandError> {
        let journal = self.site.journals();
        let recording = DrillRecording { journal, ..DrillRecording::default() };
        Ok(self.masked(recording)?.journal)
    }

    /// Begins a situation: executes its first orders in every world that is not deleted.
    pub(super) async fn begin(&self, orders: Vec<DrillOrder>) {
        *self.situation.lock() = Situation { orders, ..Situation::default() };
        for sandbox in self.sandboxes().await {
            self.execute_first_orders(sandbox.as_deref()).await;
        }
    }

    /// Restores every world that is not deleted. The data and the clock stay as they are.
    pub(super) async fn undo(&self) {
        let undoing = std::mem::take(&mut self.situation.lock().undoing);
        let live = self.sandboxes().await;
        for UndoOrder { sandbox, method, path, body } in undoing {
            if !live.contains(&sandbox) {
                continue;
            }
            let undone = self.admin(sandbox.as_deref(), method.clone(), &path, &body).await;
            if let Err(why) = undone {
                self.fail(format!("{method} {path}: {why}"));
            }
        }
    }

    /// The sandbox of each world that takes orders; `None` is the main world. The journals also have deleted ones.
    async fn sandboxes(&self) -> Vec<Option<String>> {
        let listed = self.admin(None, Method::GET, "/sandboxes", &Value::Null).await;
        let listed = listed.unwrap_or_default();
        let ids = rows(&listed, "sandboxes").map(|it| it["id"].as_str().map(str::to_owned));
        std::iter::once(None).chain(ids).collect()
    }

    /// Adds the result of the situation to a recording with its journal: deliveries, objects made, orders done,
    /// trouble.
    pub(super) fn add_result(&self, recording: &mut DrillRecording) {
        recording.deliveries = answered_deliveries(&recording.journal).count();
        let situation = self.situation.lock();
        recording.orders_done = situation.done.len();
        recording.trouble = recording.trouble.take().or(situation.trouble.clone());
        recording.made = made(&recording.journal);
    }

    /// Begins the situation in a new sandbox of the client.
    fn sandbox_made(&self, id: &str) {
        block_on(self.execute_first_orders(Some(id)));
    }

    async fn execute_first_orders(&self, sandbox: Option<&str>) {
        let orders = self.situation.lock().orders.clone();
        for order in &orders {
            match self.undo_order(sandbox, order).await {
                Ok(undoing) => self.situation.lock().undoing.extend(undoing),
                Err(why) => self.fail(why),
            }
        }
        for order in orders.iter().filter(|order| order.after.is_none()) {
            self.execute(sandbox, order).await;
        }
    }

    /// Executes the orders that follow this call, before its response is sent.
    fn call_answered(&self, call: &WatchedCall) {
        self.situation.lock().last_call = Some(Instant::now());
        let due = self.due(call);
        if due.is_empty() {
            return;
        }
        block_on(async {
            for (number, order) in due {
                self.execute(call.sandbox.as_deref(), &order).await;
                self.situation.lock().done.insert(number);
            }
        });
    }

    /// The orders that follow this call, with their numbers.
    fn due(&self, call: &WatchedCall) -> Vec<(usize, DrillOrder)> {
        let mut situation = self.situation.lock();
        let Situation { orders, fitting, .. } = &mut *situation;
        let due = orders.iter().enumerate().filter_map(|(number, order)| {
            let after = order.after.as_ref()?;
            let fits = match after.operation {
                Some(operation) => call.operation == Some(operation),
                None => call.operation != Some(Operation::CreateAccessToken),
            };
            if !fits || call.status >= 300 || call.application.is_none() {
                return None;
            }
            let count = fitting.entry((call.sandbox.clone(), number)).or_default();
            *count += 1;
            (*count == after.nth).then(|| (number, order.clone()))
        });
        due.collect()
    }

    async fn execute(&self, sandbox: Option<&str>, order: &DrillOrder) {
        let (method, path) = order.action.route();
        let executed = async {
            let path = self.filled(sandbox, path).await?;
            let body = self.filled(sandbox, &order.body.to_string()).await?;
            let body = serde_json::from_str(&body).map_err(|error| error.to_string())?;
            self.admin(sandbox, method.clone(), &path, &body).await
        };
        if let Err(why) = executed.await {
            self.fail(format!("{method} {path}: {why}"));
        }
    }

    /// The call that undoes an order in a world. `None` for data and the clock, which are not restored.
    async fn undo_order(
        &self,
        sandbox: Option<&str>,
        order: &DrillOrder,
    ) -> Result<Option<UndoOrder>, String> {
        let (method, path) = order.action.route();
        let earlier = async || self.admin(sandbox, Method::GET, path, &Value::Null).await;
        let (method, path, body) = match order.action {
            OrderAction::AddFault => (Method::DELETE, path.to_owned(), Value::Null),
            OrderAction::SetDrills => (method, path.to_owned(), json!({})),
            OrderAction::SetSettings => {
                let answers = earlier().await?["answers"].take();
                (method, path.to_owned(), json!({ "answers": answers }))
            }
            OrderAction::SetDeliveryPolicy => (method, path.to_owned(), earlier().await?),
            OrderAction::PutApplication => {
                let described = self.described(sandbox).await?;
                let secret = exec_environment::variable(&described, "MOOT_CLIENT_SECRET");
                let path = self.filled(sandbox, path).await?;
                (method, path, json!({ "client_secret": secret }))
            }
            OrderAction::MoveClock
            | OrderAction::PutWorkflow
            | OrderAction::AddLegalRequest
            | OrderAction::SetStatus => return Ok(None),
        };
        Ok(Some(UndoOrder { sandbox: sandbox.map(str::to_owned), method, path, body }))
    }

    /// Keeps the first error.
    fn fail(&self, why: String) {
        self.situation.lock().trouble.get_or_insert(why);
    }

    /// Replaces the placeholders of an order.
    async fn filled(&self, sandbox: Option<&str>, text: &str) -> Result<String, String> {
        let mut text = text.replace("{stranger}", &self.stranger);
        if text.contains("{client_id}") || text.contains("{workflow}") {
            let described = self.described(sandbox).await?;
            let value = |name: &str| exec_environment::variable(&described, name);
            text = text
                .replace("{client_id}", &value("MOOT_CLIENT_ID"))
                .replace("{workflow}", &value("MOOT_GENERATED_WORKFLOW_ID"));
        }
        if text.contains("{request}") {
            let path = "/exchanges/har?operation=create_legal_request";
            let archive = self.admin(sandbox, Method::GET, path, &Value::Null).await?;
            let last = rows(&archive["log"], "entries").last();
            let body = last.and_then(|it| it["response"]["content"]["text"].as_str());
            let created: Value =
                body.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            text = text.replace("{request}", created["data"]["id"].as_str().unwrap_or_default());
        }
        Ok(text)
    }

    /// The addresses and credentials of a world.
    async fn described(&self, sandbox: Option<&str>) -> Result<Value, String> {
        match sandbox {
            None => Ok(self.site.describe()),
            Some(id) => {
                let path = format!("/sandboxes/{id}");
                self.admin(None, Method::GET, &path, &Value::Null).await
            }
        }
    }

    /// Calls the control plane of a world with all rights. `path` is below `/__admin`.
    ///
    /// # Errors
    /// The refusal, as text.
    pub(super) async fn admin(
        &self,
        sandbox: Option<&str>,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, String> {
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let (_, host) = self.base_url.split_once("://").unwrap_or_default();
        let below = sandbox.map(|id| format!("/sandboxes/{id}")).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{below}/__admin{path}", self.base_url))
            .header(header::HOST, host)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.admin_token))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        let response = self.site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let is_success = response.status().is_success();
        let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
        let body = body.to_bytes();
        match is_success {
            true => Ok(serde_json::from_slice(&body).unwrap_or_default()),
            false => Err(String::from_utf8_lossy(&body).into_owned()),
        }
    }

    /// Waits until all due deliveries of every world are made.
    pub(super) async fn settle(&self, seconds: u64) {
        let wait = json!({ "wait_seconds": seconds });
        for sandbox in self.sandboxes().await {
            // A delivery to a slow receiver is in the journal too.
            let _ = self.admin(sandbox.as_deref(), Method::POST, "/deliveries/settle", &wait).await;
        }
    }

    /// Masks the secrets of a recording.
    ///
    /// # Errors
    /// The recording can't be converted to JSON, which is a bug.
    pub(super) fn masked(&self, recording: DrillRecording) -> Result<DrillRecording, CommandError> {
        let fault = |error| CommandError::fault(format!("the recording is not JSON: {error}"));
        let text = serde_json::to_string(&recording).map_err(fault)?;
        let tokens = [
            (self.admin_token.as_str(), "admin token"),
            (self.client_token.as_str(), "client's admin token"),
        ];
        let secrets = secrets_in(&text, &self.site, &tokens);
        serde_json::from_str(&secrets.mask(&text)).map_err(fault)
    }
}

/// Does some work in the middle of a call. The response waits for it.
fn block_on(work: impl Future<Output = ()>) {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(work));
}
