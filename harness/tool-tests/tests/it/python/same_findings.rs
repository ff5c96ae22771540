//! The same seed gives the same findings. A client with several mistakes is judged twenty times.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::python;
use crate::support::moot;

const RUNS: usize = 20;
/// The number of concurrent runs. It is larger than the number of processors, so that the machine is busy.
const LANES: usize = 4;

/// Mistakes of the client: only 200 counts as success, each call requests a token, it never waits, and `state` is no
/// parameter.
const CLIENT: &str = r#"
import os, requests
base = os.environ["MOOT_BASE_URL"]
def token():
    form = {"grant_type": "client_credentials", "client_id": os.environ["MOOT_CLIENT_ID"],
            "client_secret": os.environ["MOOT_CLIENT_SECRET"], "scope": "read write"}
    return requests.post(base + "/oauth/token", data=form).json()["access_token"]
def call(method, path, **options):
    for _ in range(3):
        try:
            response = requests.request(method, base + path, headers={"Authorization": "Bearer " + token()}, **options)
            if response.status_code == 200:
                return response.json()
        except (requests.RequestException, ValueError):
            pass
call("GET", "/v1/requests", params={"state": "signed"})
fields = {"workflow_id": os.environ["MOOT_GENERATED_WORKFLOW_ID"], "requester_email": os.environ["MOOT_REQUESTER_EMAIL"],
          "counterparty_name": "Granite Works Kft", "nickname": "x"}
call("POST", "/v1/requests", files={name: (None, value) for name, value in fields.items()})
call("GET", "/v1/requests/unknown0")
call("DELETE", "/v1/webhooks/unknown0")
"#;

/// A finding without the address of the mock, which differs each time.
fn steady(finding: &Value) -> Value {
    let mut finding = finding.clone();
    let excerpt = finding["excerpt"].as_str().unwrap_or_default();
    let parts: Vec<&str> = excerpt.split("http://127.0.0.1:").collect();
    let without_port =
        |part: &&str| part.trim_start_matches(|it: char| it.is_ascii_digit()).to_owned();
    let parts: Vec<String> = parts.iter().map(without_port).collect();
    finding["excerpt"] = json!(parts.join("http://127.0.0.1"));
    finding
}

fn findings(value: &Value) -> Vec<Value> {
    value.as_array().expect("a list").iter().map(steady).collect()
}

/// The findings of `moot exec`.
fn of_traffic() -> Value {
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["exec", "--seed", "7", "--format", "json", "--", python(), "-c", CLIENT];
    let output = moot(&words, dir.path());
    let report = output.stdout.lines().last().expect("a report");
    let report: Value = serde_json::from_str(report).expect("the last line is JSON");
    json!(findings(&report["conduct"]["findings"]))
}

/// The findings and the outcomes of some drills.
fn of_drills() -> Value {
    let dir = tempfile::tempdir().expect("a folder");
    let only = "limited,unavailable";
    let words =
        ["drill", "--seed", "7", "--only", only, "--format", "json", "--", python(), "-c", CLIENT];
    let output = moot(&words, dir.path());
    let certificate: Value = serde_json::from_str(&output.stdout).expect("a certificate");
    let drills = certificate["drills"].as_array().expect("drills").iter();
    let drills = drills.map(|it| {
        json!([it["drill"], it["end"], it["why"], it["met_by"], findings(&it["findings"])])
    });
    json!([certificate["grade"], certificate["reasons"], drills.collect::<Vec<_>>()])
}

/// Asserts that all runs have the same result, and returns it.
#[track_caller]
fn the_same(judged: fn() -> Value) -> Value {
    let left = Mutex::new(0..RUNS);
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while left.lock().expect("no thread failed").next().is_some() {
                    let found = judged();
                    seen.lock().expect("no thread failed").push(found);
                }
            });
        }
    });
    let seen = seen.into_inner().expect("no thread failed");
    assert_eq!(seen.len(), RUNS);
    let first = seen[0].clone();
    for other in &seen {
        assert_eq!(other, &first);
    }
    first
}

#[test]
fn the_same_seed_gives_the_same_findings_in_traffic() {
    let found = the_same(of_traffic);
    let rules: Vec<&str> =
        found.as_array().expect("findings").iter().filter_map(|it| it["rule"].as_str()).collect();
    for rule in ["token-per-call", "unknown-parameter", "refused-repeated", "unknown-field"] {
        assert!(rules.contains(&rule), "{rules:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_findings_in_drills() {
    let found = the_same(of_drills);
    assert_eq!(found[0], "not_ready", "{found}");
}
