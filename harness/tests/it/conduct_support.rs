//! Journals for the tests of the rules of conduct.

use jiff::{SignedDuration, Timestamp};
use moot_harness::grading::conduct::{WorldJournal, findings, read};
use serde_json::{Value, json};

/// A call of an operation with a status, a second after the previous one, on connection 1. `more` replaces members:
/// `after_ms` is the pause before the call, `connection` its connection.
pub(crate) fn call(operation: &str, status: u16, more: &Value) -> Value {
    let decision = match status {
        429 => "limit",
        401 => "token",
        403 => "scope",
        400..=499 => "rule",
        _ => "served",
    };
    let is_let_in = !matches!(status, 429 | 401) && operation != "create_access_token";
    let mut call = json!({
        "client": "127.0.0.1", "method": "GET", "path": "/v1/requests",
        "operation": (!operation.is_empty()).then_some(operation), "status": status,
        "decision": decision, "problem": null, "detail": null, "fault": null,
        "application": is_let_in.then_some("demo-main"),
        "request": { "user_agent": "client/1", "authorization": "fingerprint:1", "scheme": "bearer",
                     "credentials": 1, "parts": [] },
        "response": { "page": null, "pages": null, "retry_after_seconds": null },
        "after_ms": 1_000, "connection": 1,
    });
    if operation == "create_access_token" {
        call["method"] = "POST".into();
        call["path"] = "/oauth/token".into();
        call["request"] = json!({ "user_agent": "client/1", "length": 10, "text": "scope=read",
                                  "content_type": "application/x-www-form-urlencoded" });
    }
    if operation.starts_with("create_") && operation != "create_access_token" {
        call["method"] = "POST".into();
    }
    merge(&mut call, more);
    call
}

fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

/// The duration of a call.
const CALL_US: i64 = 1_000;

/// The journal of these calls. Each takes a millisecond. The clock of the world is the real clock.
pub(crate) fn journal(calls: &[Value]) -> WorldJournal {
    let mut now_us: i64 = 1;
    let exchanges: Vec<Value> = calls
        .iter()
        .zip(1..)
        .map(|(call, serial)| {
            let mut call = call.clone();
            now_us += call["after_ms"].as_i64().unwrap_or_default() * 1_000;
            if call["at_once"] == true {
                now_us -= CALL_US;
            }
            let at = Timestamp::UNIX_EPOCH + SignedDuration::from_micros(now_us);
            call["wire"] = json!({ "connection": call["connection"], "began_us": now_us,
                                   "ended_us": now_us + CALL_US, "client_left": call["client_left"] == true });
            now_us += CALL_US;
            call["serial"] = serial.into();
            call["at"] = at.to_string().into();
            if !call["answer"].is_null() {
                call["answer"] = call["answer"].to_string().into();
            }
            call
        })
        .collect();
    let worlds = json!({ "worlds": [{ "sandbox": null, "forgotten": 0, "exchanges": exchanges }] });
    read(&worlds).expect("these are journals").remove(0)
}

/// The rules that these calls break.
pub(crate) fn broken(calls: &[Value]) -> Vec<String> {
    broken_in(&[journal(calls)])
}

pub(crate) fn broken_in(worlds: &[WorldJournal]) -> Vec<String> {
    let mut rules: Vec<String> = findings(worlds).into_iter().map(|it| it.rule).collect();
    rules.dedup();
    rules
}

/// Asserts that the calls break exactly this rule, or none.
#[track_caller]
pub(crate) fn check(calls: &[Value], expected: Option<&str>) {
    assert_eq!(broken(calls), expected.into_iter().collect::<Vec<_>>(), "{calls:#?}");
}

/// The call at the same time as the one before it.
pub(crate) fn at_once(mut one: Value) -> Value {
    one["after_ms"] = 0.into();
    one["at_once"] = true.into();
    one
}

/// The same call several times.
pub(crate) fn times(count: usize, one: &Value) -> Vec<Value> {
    vec![one.clone(); count]
}

/// A read of the list of legal requests.
pub(crate) fn list(more: &Value) -> Value {
    call("list_legal_requests", 200, more)
}

/// A token request.
pub(crate) fn token(more: &Value) -> Value {
    call("create_access_token", 200, more)
}

/// A part of a form, as the journal has it.
pub(crate) fn part(name: &str, text: &str) -> Value {
    json!({ "name": name, "length": text.len(), "text": text })
}

/// A creation of a legal request with these parts.
pub(crate) fn create(parts: &[(&str, &str)], status: u16, more: &Value) -> Value {
    let parts: Vec<Value> = parts.iter().map(|(name, text)| part(name, text)).collect();
    let mut one = call("create_legal_request", status, more);
    one["request"]["parts"] = parts.into();
    one
}

/// A read of a schema of a workflow, with this body in its response.
pub(crate) fn schema(more: &Value) -> Value {
    let path = json!({ "path": "/v1/workflows/w1/schema", "answer": more });
    call("get_workflow_schema", 200, &path)
}
