//! `moot console`: shows the calls of a file in the console, read-only.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use moot_mock::shell::{RecordedCalls, serve_recorded};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::error::CommandError;
use super::files::{certificate, read_json, unreadable, wrong};
use super::listen::{ListenArguments, listen_on};
use super::recorded_calls;
use super::runtime::runtime;
use super::screen::Screen;
use super::signals::StopSignals;
use crate::client::recording::folder::EXCHANGES;
use crate::verdict::pluralize;

#[derive(Debug, Args)]
pub(super) struct ConsoleArguments {
    #[command(flatten)]
    listen: ListenArguments,
    /// An HTTP archive, the JSON of a certificate, or the folder of a recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Exit 0 when a signal stops it.
pub(super) fn console(arguments: ConsoleArguments, screen: &Screen) -> Result<u8, CommandError> {
    let calls = read(&arguments.file)?;
    let listen = arguments.listen.address();
    if !listen.ip().is_loopback() {
        return Err(CommandError::usage(format!("{listen} can be reached from other machines"))
            .help("the console of a file has no token: listen on 127.0.0.1"));
    }
    runtime()?.block_on(async {
        let (listener, bound) = listen_on(listen).await?;
        let mut signals = StopSignals::new()?;
        let (url, count) = (format!("http://{bound}/__admin/console/"), calls.exchanges.len());
        screen.show(
            || json!({ "ready": true, "console": url, "calls": count }),
            || format!("{} at {url}\nCtrl-C stops it\n", pluralize(count, "call")),
        )?;
        serve_recorded(listener, Arc::new(Mutex::new(calls)), signals.next()).await;
        Ok(0)
    })
}

/// Keeps the mock and the console of a command until a signal.
pub(super) async fn keep(url: &str, screen: &Screen) -> Result<(), CommandError> {
    let mut signals = StopSignals::new()?;
    screen.note(&stays(url))?;
    signals.next().await;
    Ok(())
}

pub(super) fn stays(url: &str) -> String {
    format!("the console stays at {url} until Ctrl-C\n")
}

/// Reads the calls of a file or of a folder.
fn read(path: &Path) -> Result<RecordedCalls, CommandError> {
    if !path.is_dir() {
        return of_file(path)?.ok_or_else(|| {
            wrong(path, "it is neither an HTTP archive nor a certificate")
                .help("moot drill --report json=FILE, GET /__admin/exchanges/har, or moot run --record DIR")
        });
    }
    // `moot run --record` writes the archives into a folder of the recording.
    let archives = path.join(EXCHANGES);
    let folder = if archives.is_dir() { archives.as_path() } else { path };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "har"));
    files.sort();
    let mut exchanges = Vec::new();
    for file in &files {
        exchanges.extend(of_file(file)?.unwrap_or_default().exchanges);
    }
    if files.is_empty() {
        return Err(wrong(path, "the folder has no HTTP archive"));
    }
    Ok(RecordedCalls { exchanges: number_calls(exchanges), ..RecordedCalls::default() })
}

fn of_file(path: &Path) -> Result<Option<RecordedCalls>, CommandError> {
    let json = read_json(path)?;
    if let Some(entries) = json["log"]["entries"].as_array() {
        let exchanges = number_calls(entries.iter().map(of_entry).collect());
        return Ok(Some(RecordedCalls { exchanges, ..RecordedCalls::default() }));
    }
    if !json["recordings"].is_object() {
        return Ok(None);
    }
    Ok(Some(recorded_calls::of_certificate(&certificate(path, json)?)))
}

/// Numbers the calls from 1.
fn number_calls(mut exchanges: Vec<Value>) -> Vec<Value> {
    for (number, exchange) in (1_u64..).zip(&mut exchanges) {
        exchange["serial"] = json!(number);
    }
    exchanges
}

/// Converts an entry of an HTTP archive into a call of a journal.
fn of_entry(entry: &Value) -> Value {
    let (request, response) = (&entry["request"], &entry["response"]);
    let header = |message: &Value, name: &str| {
        let headers = message["headers"].as_array().into_iter().flatten();
        let mut found = headers
            .filter(|row| row["name"].as_str().is_some_and(|it| it.eq_ignore_ascii_case(name)));
        found.next().map_or(Value::Null, |row| row["value"].clone())
    };
    let url = url::Url::parse(request["url"].as_str().unwrap_or_default()).ok();
    let status = response["status"].as_u64().unwrap_or_default();
    let body = response["content"]["text"].as_str();
    let problem = body.filter(|_| status >= 400).and_then(|text| serde_json::from_str(text).ok());
    let problem: Value = problem.unwrap_or_default();
    let decision = if status < 400 { "served" } else { "refused" };
    let parts = request["postData"]["params"].as_array().into_iter().flatten().map(|part| {
        json!({ "name": part["name"], "file_name": part["fileName"], "content_type": part["contentType"],
            "length": part["value"].as_str().map_or(0, str::len), "text": part["value"], "digest": null })
    });
    json!({
        "serial": 0,
        "at": entry["startedDateTime"],
        "client": "–",
        "wire": null,
        "method": request["method"],
        "path": url.as_ref().map_or_else(|| request["url"].as_str().unwrap_or_default(), |url| url.path()),
        "query": url.as_ref().and_then(|url| url.query()),
        "operation": null,
        "application": null,
        "request": {
            "authorization": header(request, "authorization"),
            "scheme": null,
            "user_agent": header(request, "user-agent"),
            "idempotency_key": header(request, "idempotency-key"),
            "content_type": header(request, "content-type"),
            "length": request["bodySize"].as_u64().unwrap_or_default(),
            "text": request["postData"]["text"],
            "parts": parts.collect::<Vec<_>>(),
        },
        "status": status,
        "response": {
            "content_type": response["content"]["mimeType"],
            "length": response["content"]["size"].as_u64().unwrap_or_default(),
            "page": null,
            "pages": null,
            "retry_after_seconds": header(response, "retry-after").as_str().and_then(|text| text.parse::<u64>().ok()),
        },
        "problem": problem["type"].as_str().or(problem["error"].as_str()),
        "detail": problem["detail"].as_str().or(problem["error_description"].as_str()),
        "decision": decision,
        "passed": [],
        "changes": [],
        "deliveries": [],
        "fault": null,
        "answer": body,
        "section": null,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{number_calls, of_entry};

    #[test]
    fn an_entry_of_an_archive_becomes_a_call() {
        let entry = json!({
            "startedDateTime": "2026-03-05T14:30:00Z",
            "serverIPAddress": "192.0.2.7",
            "request": { "method": "GET", "url": "https://legal.example/api/v1/requests?page=2",
                "headers": [{ "name": "User-Agent", "value": "client/1" }], "bodySize": 0 },
            "response": { "status": 404, "headers": [], "content": { "size": 9, "mimeType": "application/problem+json",
                "text": "{\"type\": \"request_not_found\", \"detail\": \"No such request.\"}" } },
        });
        let call = of_entry(&entry);
        assert_eq!(call["path"], "/api/v1/requests");
        assert_eq!(call["client"], "–", "an archive does not name the client");
        assert_eq!(call["query"], "page=2");
        assert_eq!(call["problem"], "request_not_found");
        assert_eq!(call["request"]["user_agent"], "client/1");
        let numbered = number_calls(vec![call.clone(), call]);
        assert_eq!(numbered[1]["serial"], 2);
    }
}
