//! `moot receive`: receives webhooks, and prints the calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use http::StatusCode;
use moot_mock::shell::{ReceivedCall, ReceiverResponse, StatusPlan, receive as serve};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::error::CommandError;
use super::listen::{ListenArguments, callable, listen_on};
use super::number::number;
use super::runtime::runtime;
use super::screen::Screen;
use super::signals::StopSignals;
use crate::exchange::escape;

#[derive(Debug, Args)]
pub(super) struct ReceiveArguments {
    #[command(flatten)]
    listen: ListenArguments,
    /// The statuses of its responses, in turn: `503,503,204` refuses twice and then always answers 204
    #[arg(long = "status", value_name = "STATUS,…", value_delimiter = ',', default_value = "200",
          value_parser = status_code)]
    statuses: Vec<StatusCode>,
    /// Delay of each response, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = number::<u64>(0..=600_000))]
    delay_ms: u64,
    /// End after this many calls
    #[arg(long, value_name = "N", value_parser = number::<u64>(1..=u64::MAX))]
    count: Option<u64>,
}

/// Parses a final HTTP status.
fn status_code(text: &str) -> Result<StatusCode, String> {
    let refusal = || format!("`{text}` is not an HTTP status from 200 to 599");
    let status: StatusCode = text.parse().map_err(|_| refusal())?;
    if (200..600).contains(&status.as_u16()) { Ok(status) } else { Err(refusal()) }
}

/// Exit 0 when a signal stops it, or after `--count` calls.
pub(super) fn receive(arguments: ReceiveArguments, screen: &Screen) -> Result<u8, CommandError> {
    runtime()?.block_on(async {
        let (listener, bound) = listen_on(arguments.listen.address()).await?;
        let mut signals = StopSignals::new()?;
        let url = format!("http://{}/", callable(bound));
        screen.print(&match screen.is_json() {
            true => format!("{}\n", json!({ "ready": true, "url": url })),
            false => format!("listening at {url}\n"),
        })?;
        let calls = Arc::new(ReceivedCalls {
            plan: Mutex::new(StatusPlan::new(arguments.statuses)),
            delay: Duration::from_millis(arguments.delay_ms),
            count: AtomicU64::new(0),
            count_max: arguments.count,
            is_full: Notify::new(),
            screen: screen.clone(),
            failure: Mutex::new(None),
        });
        let responding = calls.clone();
        let stop = async {
            tokio::select! {
                () = signals.next() => {}
                () = calls.is_full.notified() => {}
            }
        };
        serve(listener, move |call| responding.respond(&call), stop).await;
        let failure = calls.failure.lock().take();
        failure.map_or(Ok(0), Err)
    })
}

/// Prints each call with its response.
struct ReceivedCalls {
    plan: Mutex<StatusPlan>,
    delay: Duration,
    count: AtomicU64,
    count_max: Option<u64>,
    /// Notified by the last call.
    is_full: Notify,
    screen: Screen,
    /// The first line that could not be printed.
    failure: Mutex<Option<CommandError>>,
}

impl ReceivedCalls {
    fn respond(&self, call: &ReceivedCall) -> ReceiverResponse {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let status = self.plan.lock().next_status();
        let line = match self.screen.is_json() {
            true => escape::json(&value(call, number, status).to_string()),
            false => line(call, status),
        };
        if let Err(failure) = self.screen.print(&format!("{line}\n")) {
            self.failure.lock().get_or_insert(failure);
        }
        if self.count_max.is_some_and(|count_max| number >= count_max) {
            self.is_full.notify_one();
        }
        ReceiverResponse { status, delay: self.delay }
    }
}

/// Status, method, path, credential and body, escaped for a terminal.
fn line(received: &ReceivedCall, status: StatusCode) -> String {
    let head = &received.head;
    let credential = head.headers.get("authorization");
    let credential = credential.map_or_else(
        || "no Authorization".into(),
        |value| String::from_utf8_lossy(value.as_bytes()),
    );
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let body = String::from_utf8_lossy(&received.body);
    let status = status.as_u16();
    escape::line(&format!("{status} {} {target} {credential} {body}", head.method))
}

/// The call as JSON: `{"number", "peer", "method", "target", "headers": {name: value}, "body": text, "json": value or
/// null, "status"}`. Names of headers are lower case. Several values of a name are joined by `, `.
fn value(received: &ReceivedCall, number: u64, status: StatusCode) -> Value {
    let head = &received.head;
    let mut headers: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in &head.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        headers
            .entry(name.as_str())
            .and_modify(|known| known.push_str(&format!(", {value}")))
            .or_insert_with(|| value.into_owned());
    }
    json!({
        "number": number,
        "peer": received.peer.to_string(),
        "method": head.method.as_str(),
        "target": head.uri.path_and_query().map_or("/", |target| target.as_str()),
        "headers": headers,
        "body": String::from_utf8_lossy(&received.body),
        "json": serde_json::from_slice::<Value>(&received.body).ok(),
        "status": status.as_u16(),
    })
}
