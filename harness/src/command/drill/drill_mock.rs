//! A mock of its own for each run of a client's command. The client has no token for the control plane.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use moot_fixtures::contract::Operation;
use moot_mock::shell::{CallWatch, ServeLimits, Site, SiteOptions, WatchedCall, serve};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::client_process;
use crate::command::error::CommandError;
use crate::command::exec_environment;
use crate::command::runtime::random_seed;
use crate::command::serve::{WorldArguments, settings_of};
use crate::drill::recording::DrillRecording;
use crate::drill::table::{Drill, DrillOrder};
use crate::masks::{Masks, Secrets};
use crate::run::Interruption;

/// How long deliveries that are due may take after the end of the command.
const SETTLE_SECONDS: u64 = 5;

/// What all runs have in common.
pub(in crate::command) struct DrillRunner<'a> {
    pub(in crate::command) command: &'a [OsString],
    pub(in crate::command) world: &'a WorldArguments,
    pub(in crate::command) seed: u64,
    pub(in crate::command) timeout: Duration,
    pub(in crate::command) interruption: &'a Interruption,
}

/// A mock that serves, with its control plane.
#[derive(Clone)]
struct DrillMock(Arc<DrillMockShared>);

struct DrillMockShared {
    site: OnceLock<Site>,
    base_url: String,
    admin_token: String,
    stranger: String,
    orders: Vec<DrillOrder>,
    /// Calls that fitted the trigger of each order.
    counts: Mutex<Vec<usize>>,
    done: Mutex<usize>,
    trouble: Mutex<Option<String>>,
}

/// Runs the command against a mock of its own, in the situation of the drill.
///
/// # Errors
/// Wrong options of the world.
pub(in crate::command) async fn run_client(
    runner: &DrillRunner<'_>,
    drill: Option<&Drill>,
) -> Result<DrillRecording, CommandError> {
    let (listener, base_url) = listen().await?;
    let (stranger_listener, stranger_url) = listen().await?;
    let key = drill.map_or("calm", |drill| drill.id.as_str());
    let mut settings = settings_of(runner.world, base_url.clone())?;
    settings.seed = derived(runner.seed, key) & u64::from(u32::MAX);
    let stranger = SiteOptions::new(settings.clone());
    let mock = DrillMock(Arc::new(DrillMockShared {
        site: OnceLock::new(),
        base_url,
        admin_token: format!("drill-{:x}-{:x}", derived(settings.seed, "token"), random_seed()),
        stranger: stranger_url,
        orders: drill.map(|drill| drill.orders.clone()).unwrap_or_default(),
        counts: Mutex::default(),
        done: Mutex::default(),
        trouble: Mutex::default(),
    }));
    let watched = mock.clone();
    let options = SiteOptions {
        admin_token: Some(mock.0.admin_token.clone()),
        watch: Some(CallWatch::new(move |call| watched.called(&call))),
        ..SiteOptions::new(settings)
    };
    let site = Site::new(options).map_err(not_started)?;
    let stranger = Site::new(stranger).map_err(not_started)?;
    let _ = mock.0.site.set(site.clone());
    let stops = [(listener, &site), (stranger_listener, &stranger)].map(|(listener, site)| {
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        (stop, tokio::spawn(serve(listener, site.clone(), ServeLimits::default(), stopped)))
    });
    let mut recording = mock.record(runner, drill, &site).await;
    for (stop, served) in stops {
        drop(stop);
        // A call is in the journal only after it ended.
        let _ = served.await;
    }
    recording.journal = site.journals();
    recording.strangers_trusted = trusted(&stranger.journals());
    mock.masked(recording, &site)
}

async fn listen() -> Result<(TcpListener, String), CommandError> {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let fault = |error| CommandError::fault(format!("can't listen on {at}: {error}"));
    let listener = TcpListener::bind(at).await.map_err(fault)?;
    let base_url = format!("http://{}", listener.local_addr().map_err(fault)?);
    Ok((listener, base_url))
}

fn not_started(error: impl std::fmt::Display) -> CommandError {
    CommandError::usage(format!("the mock can't start: {error}"))
}

/// A seed for a drill: the same for the same `--seed`.
fn derived(seed: u64, key: &str) -> u64 {
    let digest = Sha256::digest(format!("{seed} {key}"));
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Calls with credentials.
fn trusted(journals: &Value) -> usize {
    let worlds = journals["worlds"].as_array().into_iter().flatten();
    let calls = worlds.flat_map(|world| world["exchanges"].as_array().into_iter().flatten());
    calls.filter(|call| call["request"]["authorization"].is_string()).count()
}

impl DrillMock {
    async fn record(
        &self,
        runner: &DrillRunner<'_>,
        drill: Option<&Drill>,
        site: &Site,
    ) -> DrillRecording {
        let mut recording = DrillRecording::default();
        let before = self.counts().await;
        for order in self.0.orders.iter().filter(|order| order.after.is_none()) {
            self.carry_out(order).await;
        }
        let mut description = site.describe();
        // The control plane is not offered to the client.
        description["admin_url"] = Value::Null;
        let waits = Duration::from_secs(drill.map_or(0, |drill| drill.seconds));
        let ended = client_process::run(
            runner.command,
            runner.timeout + waits,
            runner.interruption.told(),
            |command| exec_environment::set(command, &description, None, None),
        );
        match ended.await {
            Ok(ended) => {
                recording.exit_code = ended.exit_code;
                recording.is_timed_out = ended.is_timed_out;
                recording.has_outlived = ended.has_outlived;
                recording.output = ended.output;
            }
            Err(why) => recording.trouble = Some(why),
        }
        let wait = json!({ "wait_seconds": SETTLE_SECONDS });
        let _ = self.admin("POST /deliveries/settle", &wait).await;
        let deliveries = self.admin("GET /deliveries", &Value::Null).await.unwrap_or_default();
        let deliveries = deliveries["deliveries"].as_array().into_iter().flatten();
        let is_attempted = |it: &&Value| it["attempts"].as_array().is_some_and(|it| !it.is_empty());
        recording.deliveries = deliveries.filter(is_attempted).count();
        match (before, self.counts().await) {
            (Ok(before), Ok(after)) => {
                let more = |(kind, count): (String, i64)| {
                    let earlier = before.get(&kind).copied().unwrap_or_default();
                    (kind, count - earlier)
                };
                recording.made = after.into_iter().map(more).collect();
            }
            (Err(why), _) | (_, Err(why)) => recording.trouble = Some(why),
        }
        recording.orders_done = *self.0.done.lock();
        recording.trouble = recording.trouble.or(self.0.trouble.lock().take());
        recording
    }

    /// Objects of each kind that the client's company has.
    async fn counts(&self) -> Result<BTreeMap<String, i64>, String> {
        let world = self.admin("GET /world", &Value::Null).await?;
        let counts = world["companies"][0]["counts"].as_object().cloned().unwrap_or_default();
        Ok(counts.into_iter().filter_map(|(kind, count)| Some((kind, count.as_i64()?))).collect())
    }

    /// Carries out what follows the answer to this call, before the answer is sent.
    fn called(&self, call: &WatchedCall) {
        let due: Vec<DrillOrder> = {
            let mut counts = self.0.counts.lock();
            counts.resize(self.0.orders.len(), 0);
            let orders = self.0.orders.iter().zip(counts.iter_mut());
            let due = orders.filter_map(|(order, count)| {
                let after = order.after.as_ref()?;
                let fits = match after.operation {
                    Some(operation) => call.operation == Some(operation),
                    None => call.operation != Some(Operation::CreateAccessToken),
                };
                if fits && call.status < 300 && call.application.is_some() {
                    *count += 1;
                    return (*count == after.nth).then(|| order.clone());
                }
                None
            });
            due.collect()
        };
        for order in due {
            let mock = self.clone();
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async move {
                    mock.carry_out(&order).await;
                    *mock.0.done.lock() += 1;
                });
            });
        }
    }

    async fn carry_out(&self, order: &DrillOrder) {
        let carried_out = async {
            let line = self.filled(&order.line).await?;
            let body = self.filled(&order.body.to_string()).await?;
            let body = serde_json::from_str(&body).map_err(|error| error.to_string())?;
            self.admin(&line, &body).await
        };
        if let Err(why) = carried_out.await {
            self.0.trouble.lock().get_or_insert(format!("{}: {why}", order.line));
        }
    }

    async fn filled(&self, text: &str) -> Result<String, String> {
        let mut text = text.replace("{stranger}", &self.0.stranger);
        if let Some(site) = self.0.site.get() {
            let described = site.describe();
            let company = &described["applications"][0]["company"];
            let applications = described["applications"].as_array().into_iter().flatten();
            let main = applications
                .clone()
                .find(|it| it["scopes"].as_array().is_some_and(|scopes| scopes.len() > 1));
            let workflows = described["workflows"].as_array().into_iter().flatten();
            let generated = workflows.clone().find(|it| {
                &it["company"] == company
                    && it["status"] == "published"
                    && !it["type"].as_str().is_some_and(|kind| kind.contains("third"))
            });
            for (name, value) in [
                ("{client_id}", main.map(|it| &it["client_id"])),
                ("{workflow}", generated.map(|it| &it["id"])),
            ] {
                text = text.replace(name, value.and_then(Value::as_str).unwrap_or_default());
            }
        }
        if text.contains("{request}") {
            let line = "GET /exchanges/har?operation=create_legal_request";
            let archive = self.admin(line, &Value::Null).await?;
            let entries = archive["log"]["entries"].as_array().and_then(|all| all.last());
            let answer = entries.and_then(|it| it["response"]["content"]["text"].as_str());
            let answer: Value =
                answer.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            text = text.replace("{request}", answer["data"]["id"].as_str().unwrap_or_default());
        }
        Ok(text)
    }

    async fn admin(&self, line: &str, body: &Value) -> Result<Value, String> {
        let site = self.0.site.get().ok_or("the mock is not there yet")?;
        let (method, path) = line.split_once(' ').ok_or("an order is METHOD PATH")?;
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let host = self.0.base_url.trim_start_matches("http://");
        let request = Request::builder()
            .method(method)
            .uri(format!("{}/__admin{path}", self.0.base_url))
            .header(header::HOST, host)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.0.admin_token))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        let response = site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let is_success = response.status().is_success();
        let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
        let body = body.to_bytes();
        match is_success {
            true => Ok(serde_json::from_slice(&body).unwrap_or_default()),
            false => Err(String::from_utf8_lossy(&body).into_owned()),
        }
    }

    /// The recording without secrets.
    fn masked(
        &self,
        recording: DrillRecording,
        site: &Site,
    ) -> Result<DrillRecording, CommandError> {
        let fault = |error| CommandError::fault(format!("the recording is no JSON: {error}"));
        let text = serde_json::to_string(&recording).map_err(fault)?;
        let masks = Masks::default();
        masks.hide(&self.0.admin_token, "admin token");
        for secret in site.secrets_near(&text) {
            masks.hide(&secret, "secret");
        }
        serde_json::from_str(&Secrets::of(&masks).mask(&text)).map_err(fault)
    }
}
