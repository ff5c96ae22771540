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
use crate::grading::drill::recording::{DrillRecording, answered_deliveries};
use crate::grading::drill::table::DrillOrder;

/// The mock of a drill, with the orders that the drill gives to its control plane.
pub(super) struct DrillMock {
    pub(super) site: Site,
    base_url: String,
    admin_token: String,
    client_token: String,
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
    /// The objects of each world at the start, by kind.
    first_counts: BTreeMap<Option<String>, Value>,
    /// The first error of the drill itself.
    trouble: Option<String>,
    /// The time of the client's last call.
    last_call: Option<Instant>,
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

    /// The addresses and credentials for a client.
    pub(super) fn description(&self) -> Value {
        self.site.describe()
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

    /// The client's token for its part of the control plane.
    pub(super) fn client_token(&self) -> &str {
        &self.client_token
    }

    /// The journals of all worlds.
    pub(super) fn journals(&self) -> Value {
        self.site.journals()
    }

    /// The journals of all worlds, without secrets.
    ///
    /// # Errors
    /// As of [`Self::masked`].
    pub(super) fn calls_so_far(&self) -> Result<Value, CommandError> {
        let recording = DrillRecording { journal: self.journals(), ..DrillRecording::default() };
        Ok(self.masked(recording)?.journal)
    }

    /// Begins a situation: executes its first orders in every world that is not deleted.
    pub(super) async fn begin(&self, orders: Vec<DrillOrder>) {
        let journals = self.journals();
        let counts =
            rows(&journals, "worlds").map(|world| (sandbox_of(world), world["counts"].clone()));
        let first_counts = counts.collect();
        let sandboxes = self.sandboxes().await;
        *self.situation.lock() = Situation { orders, first_counts, ..Situation::default() };
        for sandbox in sandboxes {
            self.execute_first_orders(sandbox.as_deref()).await;
        }
    }

    /// The sandbox of each world that takes orders; `None` is the main world. The journals also have deleted ones.
    async fn sandboxes(&self) -> Vec<Option<String>> {
        let listed = self.admin(None, Method::GET, "/sandboxes", &Value::Null).await;
        let listed = listed.unwrap_or_default();
        let ids = rows(&listed, "sandboxes").map(|it| it["id"].as_str().map(str::to_owned));
        std::iter::once(None).chain(ids).collect()
    }

    /// Adds the result of the situation to a recording with its journal: deliveries, objects made, orders done, trouble.
    pub(super) fn add_result(&self, recording: &mut DrillRecording) {
        recording.deliveries = answered_deliveries(&recording.journal).count();
        let situation = self.situation.lock();
        recording.orders_done = situation.done.len();
        recording.trouble = recording.trouble.take().or(situation.trouble.clone());
        for world in rows(&recording.journal, "worlds") {
            let first = situation.first_counts.get(&sandbox_of(world));
            for (kind, count) in world["counts"].as_object().into_iter().flatten() {
                let earlier = first.and_then(|first| first[kind].as_i64()).unwrap_or_default();
                let made = count.as_i64().unwrap_or_default() - earlier;
                *recording.made.entry(kind.clone()).or_default() += made;
            }
        }
    }

    /// Begins the situation in a new sandbox of the client.
    fn sandbox_made(&self, id: &str) {
        block_on(async {
            let world = self.admin(Some(id), Method::GET, "/world", &Value::Null).await;
            match world.map(|mut world| world["companies"][0]["counts"].take()) {
                Ok(counts) => {
                    self.situation.lock().first_counts.insert(Some(id.to_owned()), counts);
                    self.execute_first_orders(Some(id)).await;
                }
                Err(why) => self.fail(why),
            }
        });
    }

    /// Calls the control plane of every world, and keeps the first error.
    pub(super) async fn everywhere(&self, method: &Method, path: &str, body: &Value) {
        for sandbox in self.sandboxes().await {
            if let Err(why) = self.admin(sandbox.as_deref(), method.clone(), path, body).await {
                self.fail(format!("{method} {path}: {why}"));
            }
        }
    }

    async fn execute_first_orders(&self, sandbox: Option<&str>) {
        let orders = self.situation.lock().orders.clone();
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
        match (executed.await, &order.adds) {
            (Err(why), _) => self.fail(format!("{method} {path}: {why}")),
            (Ok(_), Some(kind)) => {
                // The client did not make this object, so it counts as one of the start.
                let mut situation = self.situation.lock();
                let counts = situation.first_counts.entry(sandbox.map(str::to_owned)).or_default();
                counts[kind] = json!(counts[kind].as_u64().unwrap_or_default() + 1);
            }
            (Ok(_), None) => {}
        }
    }

    /// Keeps the first error.
    fn fail(&self, why: String) {
        self.situation.lock().trouble.get_or_insert(why);
    }

    /// Replaces the placeholders of an order.
    async fn filled(&self, sandbox: Option<&str>, text: &str) -> Result<String, String> {
        let mut text = text.replace("{stranger}", &self.stranger);
        if text.contains("{client_id}") || text.contains("{workflow}") {
            let described = match sandbox {
                None => self.description(),
                Some(id) => {
                    let path = format!("/sandboxes/{id}");
                    self.admin(None, Method::GET, &path, &Value::Null).await?
                }
            };
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

fn sandbox_of(world: &Value) -> Option<String> {
    world["sandbox"].as_str().map(str::to_owned)
}
