//! `moot receive`: a receiver of webhooks that prints what comes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_mock::shell::{Received, ReceiverPlan, receive as serve};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::failure::Failure;
use super::line::ReceiveArguments;
use super::mock::{callable, stop_signal};
use super::run::runtime;
use super::screen::Screen;
use crate::terminal::escape;

/// Exit 0 once it was told to stop, or all came that were waited for.
pub(super) fn receive(arguments: ReceiveArguments, screen: &Screen) -> Result<u8, Failure> {
    runtime()?.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await.map_err(|error| {
            Failure::usage(format!("can't listen on {}: {error}", arguments.listen))
                .help("`--listen 127.0.0.1:0` takes a free port")
        })?;
        let bound = listener
            .local_addr()
            .map_err(|error| Failure::fault(format!("the socket has no address: {error}")))?;
        let stop = stop_signal()?;
        let url = format!("http://{}/", callable(bound));
        screen.print(&match screen.is_json() {
            true => format!("{}\n", json!({ "ready": true, "url": url })),
            false => format!("listening at {url}\n"),
        })?;
        let plan = ReceiverPlan {
            statuses: arguments.statuses,
            delay: Duration::from_millis(arguments.delay_ms),
            calls_max: arguments.count,
        };
        let (own, unprinted) = (screen.clone(), Arc::new(Mutex::new(None)));
        let first = unprinted.clone();
        let told = move |received: Received| {
            if let Err(failure) = own.print(&text(&received, own.is_json())) {
                first.lock().get_or_insert(failure);
            }
        };
        serve(listener, plan, told, stop).await;
        let failure = unprinted.lock().take();
        failure.map_or(Ok(0), Err)
    })
}

fn text(received: &Received, is_json: bool) -> String {
    match is_json {
        true => format!("{}\n", escape::json(&value(received).to_string())),
        false => format!("{}\n", line(received)),
    }
}

/// Status, method, path, credential and body. Nothing that came steers a terminal.
fn line(received: &Received) -> String {
    let head = &received.head;
    let credential = head.headers.get("authorization");
    let credential = credential.map_or_else(
        || "no Authorization".into(),
        |value| String::from_utf8_lossy(value.as_bytes()),
    );
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let body = String::from_utf8_lossy(&received.body);
    let status = received.status.as_u16();
    escape::line(&format!("{status} {} {target} {credential} {body}", head.method))
}

/// Shape: `{"number", "peer", "method", "target", "headers": {name: value}, "body": text, "json":
/// value or null, "status"}`, names lower case, several values of a name joined by `, `.
fn value(received: &Received) -> Value {
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
        "number": received.number,
        "peer": received.peer.to_string(),
        "method": head.method.as_str(),
        "target": head.uri.path_and_query().map_or("/", |target| target.as_str()),
        "headers": headers,
        "body": String::from_utf8_lossy(&received.body),
        "json": serde_json::from_slice::<Value>(&received.body).ok(),
        "status": received.status.as_u16(),
    })
}
