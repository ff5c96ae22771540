//! Concurrent runs and suites on one mock do not affect each other.

use std::process::{Child, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::command_support::{Running, call, call_json, moot, read_json};

const FORM: &str = "multipart/form-data; boundary=b0";

/// A mock and its address.
fn shared() -> (Running, String, Value) {
    let running = Running::start(&["--format", "json", "--seed", "42", "--clock", "frozen"]);
    let (host, ready) = (running.host(), running.ready());
    (running, host, ready)
}

/// The response of the control plane.
fn get(host: &str, path: &str) -> Value {
    let (status, response) = call_json(host, &format!("GET {path}"), "", "");
    assert_eq!(status, 200, "{path}: {response}");
    response
}

#[test]
fn two_runs_on_one_mock_have_the_same_result_and_leave_no_sandbox() {
    let (running, host, ready) = shared();
    let before = get(&host, "/__admin/world");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let application = &ready["applications"][0];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let started: Vec<(Child, &str)> = ["first.json", "second.json"]
        .into_iter()
        .map(|report| {
            let url = text(&ready["base_url"]);
            let into = format!("json={report}");
            let words = ["run", "--target", &url, "--report", &into, "--jobs", "2", "--seed", "7"];
            let selected = ["section:4.6", "section:4.13", "section:6", "section:8"];
            let mut command = moot(&[&words[..], &selected].concat(), dir.path());
            command
                .env("MOOT_CLIENT_ID", text(&application["client_id"]))
                .env("MOOT_CLIENT_SECRET", text(&application["client_secret"]))
                .stdout(Stdio::null());
            (command.spawn().expect("the binary runs"), report)
        })
        .collect();
    let verdicts: Vec<Value> = started
        .into_iter()
        .map(|(mut child, report)| {
            assert_eq!(child.wait().expect("it ends").code(), Some(0), "{report}");
            let report = read_json(dir.path().join(report));
            assert_eq!(report["outcome"], json!("conformant"));
            report["counts"].clone()
        })
        .collect();
    assert_eq!(verdicts[0], verdicts[1]);
    assert!(verdicts[0].to_string().contains("pass"), "{}", verdicts[0]);
    assert_eq!(get(&host, "/__admin/world"), before, "the main world is as it was");
    assert_eq!(get(&host, "/__admin/sandboxes"), json!({ "sandboxes": [] }));
    running.stop("-TERM");
}

/// A suite in its own sandbox. It uses up its limit, moves its clock, arms faults, creates and signs requests. At each
/// step it gets the same responses as alone.
fn suite(host: &str, number: u64) {
    let asked = json!({ "seed": number, "clock": "frozen:2026-03-05T14:30:00Z" }).to_string();
    let (status, made) = call_json(host, "POST /__admin/sandboxes", "", &asked);
    assert_eq!(status, 201, "{made}");
    let id = made["id"].as_str().expect("an id").to_owned();
    let base = format!("/sandboxes/{id}");
    let admin = |line: &str, body: &str| {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        let line = format!("{method} {base}/__admin{path}");
        let (status, response) = call_json(host, &line, "", body);
        assert!((200..300).contains(&status), "{line}: {response}");
        response
    };
    let token = || {
        let minted = admin("POST /tokens", r#"{"client_id":"demo-main"}"#);
        minted["access_token"].as_str().expect("a token").to_owned()
    };
    let mut current = token();
    let total = |token: &str| {
        let (status, list) = call_json(host, &format!("GET {base}/v1/requests"), token, "");
        (status, list["pagination"]["total_count"].as_u64())
    };
    let (_, before) = total(&current);
    let before = before.expect("a count");
    admin("PUT /receiver", r#"{"statuses":[204]}"#);
    let url = format!("http://{host}{base}/__admin/receiver");
    let webhook = json!({ "name": "Mine", "url": url, "auth_type": "none" }).to_string();
    call_json(host, &format!("POST {base}/v1/webhooks"), &current, &webhook);
    for round in 1..=6_u64 {
        let line = format!("POST {base}/v1/requests");
        let (status, made) = call(host, &line, &current, (FORM, &legal_request()));
        assert_eq!(status, 201, "{made}");
        let id = made["data"]["id"].as_str().expect("an id");
        assert_eq!(total(&current), (200, Some(before + round)), "suite {number}");
        admin(&format!("POST /legal_requests/{id}/status"), r#"{"status":"signed","force":true}"#);
        admin("POST /deliveries/settle", "");
        let received = admin("GET /receiver", "");
        let arrived = received["received"].as_array().expect("a list");
        assert_eq!(arrived.len() as u64, round, "suite {number}: {received}");
        assert_eq!(arrived[arrived.len() - 1]["body"]["data"]["request_id"], json!(id));
        admin("POST /faults", r#"{"kind":"status","status":503}"#);
        assert_eq!(total(&current).0, 503, "suite {number}");
        admin("PUT /rate_limit", r#"{"exhaust":"all"}"#);
        assert_eq!(total(&current).0, 429, "suite {number}");
        admin("POST /clock", r#"{"advance_seconds":7200}"#);
        assert_eq!(total(&current).0, 401, "suite {number}: the token is over");
        current = token();
    }
    let now = admin("GET /clock", "")["now"].clone();
    assert_eq!(now, json!("2026-03-06T02:30:00Z"), "suite {number}");
    let journal = admin("GET /exchanges", "");
    let calls = journal["exchanges"].as_array().expect("a list");
    assert!(calls.iter().all(|call| call["application"] != json!("other-main")));
    assert_eq!(calls.len(), 1 + 1 + 6 * 5, "suite {number}: its own calls alone");
    call_json(host, &format!("DELETE /__admin/sandboxes/{id}"), "", "");
}

fn legal_request() -> Vec<u8> {
    let fields = [
        ("workflow_id", "wfMutualNda1"),
        ("requester_email", "requester@northwind.example"),
        ("counterparty_name", "Ada Sample"),
        ("counterparty_email", "ada@sample.example"),
        ("counterparty_organization_name", "Sample Works Ltd"),
        ("internal_signer_email", "legal@northwind.example"),
        ("variables", r#"{"purpose":"Test","duration":2,"duration_unit":"years"}"#),
    ];
    let parts = fields.map(|(name, value)| {
        format!("--b0\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n")
    });
    [&parts.concat(), "--b0--\r\n"].concat().into_bytes()
}

#[test]
fn suites_in_parallel_on_one_mock_never_see_each_other() {
    let (running, host, _) = shared();
    let before = get(&host, "/__admin/world");
    thread::scope(|scope| {
        for number in 1..=4 {
            let host = host.as_str();
            scope.spawn(move || suite(host, number));
        }
    });
    assert_eq!(get(&host, "/__admin/world"), before, "the main world is as it was");
    assert_eq!(get(&host, "/__admin/exchanges"), json!({ "count": 0, "exchanges": [] }));
    assert_eq!(get(&host, "/__admin/receiver")["received"], json!([]));
    running.stop("-TERM");
}
