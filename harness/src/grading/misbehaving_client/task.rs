//! The task of the client: it reads lists, creates a legal request, waits for its signature, and stores a document.
//! It behaves well in every drill, or breaks one rule.

use std::time::Duration;

use http::StatusCode;
use moot_fixtures::contract::EXECUTION_COMPLETE;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use super::client::{CallOutcome, DOCUMENTS, FILE, LIST, TrialClient, form};
use super::receiver::{self, TOKEN};
use super::service::MisbehaviourError;

const WEBHOOKS: &str = "/v1/webhooks";

/// The name by which it finds its legal request again.
const COUNTERPARTY: &str = "Errand 7f3a";
const FILE_NAME: &str = "errand-7f3a.txt";

const CREATIONS_MAX: usize = 3;
const READS_MAX: usize = 30;
const READ_PAUSE: Duration = Duration::from_millis(100);
/// Reads of a request after its end that break `polls-the-dead`.
const DEAD_READS: usize = 7;
/// The page size in the examples of the specification.
const ROWS_SHOWN: usize = 25;

/// The time in which it waits for an event.
const EVENT_WAIT: Duration = Duration::from_secs(5);
/// The time in which a client that breaks `hook-missed` waits for an event.
const SHORT_EVENT_WAIT: Duration = Duration::from_secs(1);
/// The time in which it still accepts repeated deliveries of an event, without acting on them.
const DOUBLE_WAIT: Duration = Duration::from_millis(2_500);
/// A delay of the receiver that breaks `hook-slow`.
const SLOW_RESPONSE: Duration = Duration::from_millis(10_300);

/// Final statuses of a request (§3).
const ENDS: [&str; 5] = ["signed", "archived", "declined", "canceled", "expired"];

/// Runs the task.
pub(super) async fn run(mut client: TrialClient) -> Result<(), MisbehaviourError> {
    client.read_list(LIST).await?;
    let mut deliveries = client.subscribe().await?;
    let Some(id) = client.create().await? else { return Ok(()) };
    if client.breaks("order-assumed") {
        let newest = client.get(LIST).await?["data"][0]["id"].clone();
        if newest != id.as_str() {
            return Err("the newest legal request is not the first one".into());
        }
    }
    let activity = client.get(&format!("{LIST}/{id}/activity")).await?;
    let actions = activity["data"].as_array().into_iter().flatten();
    let mut actions = actions.map(|entry| &entry["attributes"]["action"]);
    if client.breaks("breaks-on-value") && actions.any(|action| action == "moot_unknown_action") {
        return Err("an unknown action".into());
    }
    if client.breaks("reads-wording") && !actions.any(|action| action == "created") {
        return Err("no action is called `created`".into());
    }
    let status = client.wait_for_the_end(&id).await?;
    let events = if status == "signed" { client.events(&mut deliveries).await? } else { 1 };
    for number in 0..events {
        client.upload(&format!("{number}-{FILE_NAME}")).await?;
    }
    Ok(())
}

impl TrialClient {
    /// All rows of a list.
    async fn read_list(&mut self, path: &str) -> Result<Vec<Value>, MisbehaviourError> {
        let mut all = Vec::new();
        let (mut page, mut pages) = (1, 1);
        while page <= pages {
            let response = self.get(&format!("{path}?page={page}")).await?;
            // Rows that are added meanwhile may need further pages.
            if page == 1 || !self.breaks("loses-rows") {
                pages = response["pagination"]["total_pages"].as_u64().unwrap_or(page);
            }
            let rows = response["data"].as_array().cloned().unwrap_or_default();
            let is_short = rows.len() < ROWS_SHOWN;
            all.extend(rows);
            if is_short && self.breaks("assumes-25") {
                break;
            }
            page += 1;
        }
        Ok(all)
    }

    /// Registers a webhook for its receiver, and a second one that it deletes at once. Returns the bodies of
    /// deliveries.
    async fn subscribe(&mut self) -> Result<UnboundedReceiver<String>, MisbehaviourError> {
        let status = if self.breaks("hook-refuses") {
            StatusCode::NOT_FOUND
        } else if self.breaks("hook-redirects") {
            StatusCode::FOUND
        } else {
            StatusCode::OK
        };
        let delay = if self.breaks("hook-slow") { SLOW_RESPONSE } else { Duration::ZERO };
        let is_strict = self.breaks("hook-unknown-event");
        let is_open = self.breaks("hook-unlocked") || self.breaks("hook-open");
        let respond = move |is_trusted, is_known| match (is_trusted || is_open, is_known) {
            (false, _) => StatusCode::UNAUTHORIZED,
            (true, false) if is_strict => StatusCode::BAD_REQUEST,
            (true, _) => status,
        };
        let (url, deliveries) = receiver::listen(delay, respond).await?;
        let mut hook =
            json!({ "name": "errand", "url": url, "auth_type": "bearer", "token": TOKEN });
        if self.breaks("hook-open") {
            hook = json!({ "name": "errand", "url": url, "auth_type": "none" });
        }
        self.register(&hook).await?;
        hook["name"] = "spare".into();
        let spare = self.register(&hook).await?;
        self.delete(&format!("{WEBHOOKS}/{spare}")).await?;
        Ok(deliveries)
    }

    async fn register(&mut self, hook: &Value) -> Result<String, MisbehaviourError> {
        let created = self.send(&Method::POST, WEBHOOKS, |call| call.json(hook)).await?;
        id_of(&created.success()??["data"])
    }

    async fn delete(&mut self, path: &str) -> Result<(), MisbehaviourError> {
        let mut was_lost = false;
        for _ in 0..CREATIONS_MAX {
            match self.send(&Method::DELETE, path, |call| call).await? {
                CallOutcome::Answered(response) if response.status.is_success() => return Ok(()),
                CallOutcome::Answered(response) => {
                    // The call before it deleted the object, and its response was lost.
                    let is_done = response.status == StatusCode::NOT_FOUND && was_lost;
                    return match is_done && !self.breaks("delete-not-idempotent") {
                        true => Ok(()),
                        false => Err(response.refused()),
                    };
                }
                CallOutcome::Lost(_) => was_lost = true,
            }
            tokio::time::sleep(READ_PAUSE).await;
        }
        Err(format!("DELETE {path}: no response").into())
    }

    /// Creates a legal request, and returns its id; `None` if the client breaks `creation-lost`.
    async fn create(&mut self) -> Result<Option<String>, MisbehaviourError> {
        let path = format!("/v1/workflows/{}/schema", self.service.workflow_id);
        let schema = self.get(&path).await?;
        let mut fields = self.fields(&schema, COUNTERPARTY);
        for attempt in 1..=CREATIONS_MAX {
            let content = |call: RequestBuilder| call.multipart(form(&fields, None));
            match self.send(&Method::POST, LIST, content).await? {
                CallOutcome::Answered(response) if response.status.is_success() => {
                    return id_of(&response.body["data"]).map(Some);
                }
                CallOutcome::Answered(response) if response.status == 422 && attempt == 1 => {
                    // The workflow may have changed since the schema was read.
                    if !self.breaks("stale-schema") {
                        let schema = self.get(&path).await?;
                        fields = self.fields(&schema, COUNTERPARTY);
                    }
                }
                CallOutcome::Answered(response) => return Err(response.refused()),
                CallOutcome::Lost(_) if self.breaks("blind-repeat") => {}
                CallOutcome::Lost(_) => {
                    let rows = self.read_list(LIST).await?;
                    let found = rows.iter().find(|row| is_named(row, COUNTERPARTY));
                    match found.filter(|_| !self.breaks("duplicate-made")) {
                        Some(row) => return id_of(row).map(Some),
                        None if self.breaks("creation-lost") => return Ok(None),
                        None => {}
                    }
                }
            }
        }
        Err("no legal request was created".into())
    }

    /// Reads the request until it has ended, and returns its status.
    async fn wait_for_the_end(&mut self, id: &str) -> Result<String, MisbehaviourError> {
        let path = format!("{LIST}/{id}");
        let mut status = String::new();
        for _ in 0..READS_MAX {
            status = self.status(&path).await?;
            while self.breaks("decline-missed") && status != "signed" {
                tokio::time::sleep(READ_PAUSE).await;
                status = self.status(&path).await?;
            }
            if ENDS.contains(&status.as_str()) {
                if self.breaks("polls-the-dead") {
                    for _ in 0..DEAD_READS {
                        self.status(&path).await?;
                    }
                }
                return Ok(status);
            }
            tokio::time::sleep(READ_PAUSE).await;
        }
        Ok(status)
    }

    async fn status(&mut self, path: &str) -> Result<String, MisbehaviourError> {
        let response = self.get(path).await?;
        Ok(response["data"]["attributes"]["status"].as_str().unwrap_or_default().to_owned())
    }

    /// How often it acts on the signature. This is once, unless it breaks `hook-twice`.
    async fn events(
        &mut self,
        deliveries: &mut UnboundedReceiver<String>,
    ) -> Result<usize, MisbehaviourError> {
        let mut seen = Vec::new();
        let wait = if self.breaks("hook-missed") {
            SHORT_EVENT_WAIT
        } else if self.breaks("hook-slow") {
            SLOW_RESPONSE + EVENT_WAIT
        } else {
            EVENT_WAIT
        };
        let collects = self.breaks("hook-twice");
        let until = tokio::time::Instant::now() + wait;
        while let Ok(Some(body)) = tokio::time::timeout_at(until, deliveries.recv()).await {
            if body.contains(EXECUTION_COMPLETE) {
                seen.push(body);
                if !collects {
                    tokio::time::sleep(DOUBLE_WAIT).await;
                    break;
                }
            } else if !collects {
                // An event of an unknown kind also shows a change.
                break;
            }
        }
        if seen.is_empty() && self.breaks("hook-missed") {
            // Deliveries may still arrive at its receiver.
            tokio::time::sleep(EVENT_WAIT).await;
            return Err("no event came".into());
        }
        // Without an event it acts on the status that it has read.
        Ok(if collects { seen.len().max(1) } else { 1 })
    }

    async fn upload(&mut self, name: &str) -> Result<(), MisbehaviourError> {
        let mut file = FILE;
        let fields = [("metadata".to_owned(), json!({ "errand": "7f3a" }).to_string())];
        for _ in 0..CREATIONS_MAX {
            let content = |call: RequestBuilder| call.multipart(form(&fields, Some((name, file))));
            if self.send(&Method::POST, DOCUMENTS, content).await?.success()?.is_ok() {
                return Ok(());
            }
            let rows = self.read_list(DOCUMENTS).await?;
            if rows.iter().any(|row| is_named(row, name)) {
                return Ok(());
            }
            if self.breaks("emptied-repeat") {
                file = b"";
            }
        }
        Err("no document was stored".into())
    }
}

fn is_named(row: &Value, part: &str) -> bool {
    row["attributes"]["name"].as_str().is_some_and(|name| name.contains(part))
}

fn id_of(row: &Value) -> Result<String, MisbehaviourError> {
    Ok(row["id"].as_str().ok_or("a response without an id")?.to_owned())
}
