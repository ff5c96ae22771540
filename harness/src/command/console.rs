//! `moot console`: the console of a file, read-only.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use moot_mock::shell::{RecordedCalls, serve_recorded};
use serde_json::{Value, json};

use super::error::CommandError;
use super::listen::{at_port, listen_address, listen_on};
use super::runtime::runtime;
use super::screen::Screen;
use super::signals::StopSignals;
use crate::conduct::{self, Account};

#[derive(Debug, Args)]
pub(super) struct ConsoleArguments {
    /// Where to listen, on this machine: ADDRESS:PORT, localhost:PORT or PORT; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = listen_address)]
    listen: SocketAddr,
    /// Listen on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    /// An HTTP archive, the JSON of a certificate, or the folder of a recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Exit 0 when a signal stops it.
pub(super) fn console(arguments: ConsoleArguments, screen: &Screen) -> Result<u8, CommandError> {
    let calls = read(&arguments.file)?;
    let listen = at_port(arguments.listen, arguments.port);
    if !listen.ip().is_loopback() {
        return Err(CommandError::usage(format!("{listen} can be reached from other machines"))
            .help("the console of a file has no token: listen on 127.0.0.1"));
    }
    let count = calls.exchanges.len();
    let told = |url: &str| match screen.is_json() {
        true => screen.json(&json!({ "ready": true, "console": url, "calls": count })),
        false => screen.print(&format!("{count} calls at {url}\nCtrl-C stops it\n")),
    };
    runtime()?.block_on(show(calls, listen, told))?;
    Ok(0)
}

/// Keeps the mock of a command until a signal, so that somebody can look at its console.
pub(super) async fn keep(url: &str, screen: &Screen) -> Result<(), CommandError> {
    let mut signals = StopSignals::new()?;
    screen.note(&kept(url))?;
    signals.next().await;
    Ok(())
}

/// Serves the console of what drills recorded, until a signal stops it.
pub(super) fn show_drills<'j>(
    journals: impl Iterator<Item = &'j Value>,
    screen: &Screen,
) -> Result<(), CommandError> {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    runtime()?.block_on(show(of_journals(journals), listen, |url| screen.note(&kept(url))))
}

fn kept(url: &str) -> String {
    format!("the console stays at {url} until Ctrl-C\n")
}

/// Serves the console of these calls until a signal stops it; its address is told first.
async fn show(
    calls: RecordedCalls,
    listen: SocketAddr,
    told: impl FnOnce(&str) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let (listener, bound) = listen_on(listen).await?;
    let mut signals = StopSignals::new()?;
    told(&format!("http://{bound}/__admin/console/"))?;
    serve_recorded(listener, calls, signals.next()).await;
    Ok(())
}

/// The calls of a file or of a folder.
fn read(path: &Path) -> Result<RecordedCalls, CommandError> {
    let wrong = |why: &str| CommandError::usage(format!("{}: {why}", path.display()));
    if !path.is_dir() {
        return of_file(path)?.ok_or_else(|| {
            wrong("it is neither an HTTP archive nor a certificate")
                .help("moot drill --report json=FILE, GET /__admin/exchanges/har, or moot run --record DIR")
        });
    }
    let entries = fs::read_dir(path).map_err(|error| wrong(&error.to_string()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "har"));
    files.sort();
    let mut exchanges = Vec::new();
    for file in &files {
        exchanges.extend(of_file(file)?.unwrap_or_default().exchanges);
    }
    if files.is_empty() {
        return Err(wrong("the folder has no HTTP archive"));
    }
    Ok(RecordedCalls { exchanges: numbered(exchanges), findings: None })
}

fn of_file(path: &Path) -> Result<Option<RecordedCalls>, CommandError> {
    let wrong = |why: String| CommandError::usage(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if let Some(entries) = json["log"]["entries"].as_array() {
        let exchanges = numbered(entries.iter().map(of_entry).collect());
        return Ok(Some(RecordedCalls { exchanges, findings: None }));
    }
    let Some(recordings) = json["recordings"].as_object() else { return Ok(None) };
    Ok(Some(of_journals(recordings.values().map(|recording| &recording["journal"]))))
}

/// The calls of journals, one after the other, with what the rules of conduct say of them.
fn of_journals<'j>(journals: impl Iterator<Item = &'j Value>) -> RecordedCalls {
    let worlds = journals.flat_map(|journal| journal["worlds"].as_array().into_iter().flatten());
    let mut exchanges = Vec::new();
    let mut findings = Vec::new();
    let mut forgotten = 0;
    for world in worlds {
        let first = exchanges.len();
        let calls = world["exchanges"].as_array().cloned().unwrap_or_default();
        let serials: Vec<u64> = calls.iter().filter_map(|call| call["serial"].as_u64()).collect();
        exchanges.extend(calls);
        let Ok(worlds) = conduct::read(&json!({ "worlds": [world] })) else { continue };
        let account = Account::of(&worlds);
        forgotten += account.forgotten;
        for mut finding in account.findings {
            for serial in &mut finding.calls {
                let place = serials.iter().position(|known| known == serial).unwrap_or_default();
                *serial = (first + place + 1) as u64;
            }
            findings.push(finding);
        }
    }
    let calls = exchanges.len();
    let findings = json!({ "calls": calls, "forgotten": forgotten, "findings": findings });
    RecordedCalls { exchanges: numbered(exchanges), findings: Some(findings) }
}

/// The same calls, numbered from 1.
fn numbered(mut exchanges: Vec<Value>) -> Vec<Value> {
    for (number, exchange) in (1_u64..).zip(&mut exchanges) {
        exchange["serial"] = json!(number);
    }
    exchanges
}

/// An entry of an HTTP archive as the journal shows a call.
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
    let answer = response["content"]["text"].as_str();
    let problem = answer.filter(|_| status >= 400).and_then(|text| serde_json::from_str(text).ok());
    let problem: Value = problem.unwrap_or_default();
    let decision = if status < 400 { "served" } else { "refused" };
    let parts = request["postData"]["params"].as_array().into_iter().flatten().map(|part| {
        json!({ "name": part["name"], "file_name": part["fileName"], "content_type": part["contentType"],
            "length": part["value"].as_str().map_or(0, str::len), "text": part["value"], "digest": null })
    });
    json!({
        "serial": 0,
        "at": entry["startedDateTime"],
        "client": entry["serverIPAddress"].as_str().unwrap_or("–"),
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
        "answer": answer,
        "section": null,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{numbered, of_entry, of_journals};

    #[test]
    fn an_entry_of_an_archive_becomes_a_call() {
        let entry = json!({
            "startedDateTime": "2026-03-05T14:30:00Z",
            "request": { "method": "GET", "url": "https://legal.example/api/v1/requests?page=2",
                "headers": [{ "name": "User-Agent", "value": "client/1" }], "bodySize": 0 },
            "response": { "status": 404, "headers": [], "content": { "size": 9, "mimeType": "application/problem+json",
                "text": "{\"type\": \"request_not_found\", \"detail\": \"No such request.\"}" } },
        });
        let call = of_entry(&entry);
        assert_eq!(call["path"], "/api/v1/requests");
        assert_eq!(call["query"], "page=2");
        assert_eq!(call["problem"], "request_not_found");
        assert_eq!(call["request"]["user_agent"], "client/1");
        let numbered = numbered(vec![call.clone(), call]);
        assert_eq!(numbered[1]["serial"], 2);
    }

    #[test]
    fn calls_of_several_journals_have_numbers_of_their_own() {
        let journal = json!({ "worlds": [{ "sandbox": null, "forgotten": 0, "exchanges": [{ "serial": 7 }] }] });
        let calls = of_journals([&journal, &journal].into_iter());
        let serials: Vec<_> = calls.exchanges.iter().map(|call| call["serial"].clone()).collect();
        assert_eq!(serials, [json!(1), json!(2)]);
    }
}
