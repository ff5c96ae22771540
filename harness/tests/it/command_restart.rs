//! `moot mock --state`, stopped and started again: what a flag says, what is kept, and what is printed.

use std::path::Path;

use serde_json::{Value, json};

use crate::command_support::{Running, call, call_json, moot};

const FROZEN: &str = "frozen:2026-03-05T14:30:00Z";

/// A mock with its state in `dir`, on a port of its own.
struct Kept {
    running: Running,
    ready: Value,
}

impl Kept {
    fn start(dir: &Path, words: &[&str]) -> Self {
        let common = ["mock", "--listen", "127.0.0.1:0", "--state", "state", "--format", "json"];
        let running = Running::of(moot(&[&common, words].concat(), dir));
        let ready = serde_json::from_str(&running.first_line).expect("one JSON line");
        Self { running, ready }
    }

    fn host(&self) -> &str {
        self.ready["listen"].as_str().expect("an address")
    }

    fn admin(&self, line: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = call_json(self.host(), line, "", &body);
        assert_eq!(status, 200, "{line}: {answer}");
        answer
    }

    fn stop(self) {
        assert_eq!(self.running.stop("-TERM").0, Some(0));
    }
}

#[test]
fn a_clock_that_is_given_wins_over_the_kept_one_and_is_printed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &["--clock", FROZEN]);
    assert_eq!(first.ready["clock"], json!({ "now": "2026-03-05T14:30:00Z", "frozen": true }));
    first.admin("POST /__admin/clock", &json!({ "advance_seconds": 1 }));
    first.stop();
    let kept = Kept::start(dir.path(), &[]);
    assert_eq!(kept.ready["clock"], json!({ "now": "2026-03-05T14:30:01Z", "frozen": true }));
    kept.stop();
    let real = Kept::start(dir.path(), &["--clock", "real"]);
    assert_eq!(real.ready["clock"]["frozen"], json!(false));
    let now = real.admin("GET /__admin/clock", &Value::Null);
    assert_eq!(now["frozen"], json!(false), "what is printed is what holds");
    assert_ne!(&now["now"].as_str().expect("a time")[..10], "2026-03-05");
    real.stop();
    let still_real = Kept::start(dir.path(), &[]);
    assert_eq!(still_real.ready["clock"]["frozen"], json!(false), "a flag is kept too");
    still_real.stop();
}

#[test]
fn a_rate_limit_that_is_given_wins_over_the_kept_one_and_is_printed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &[]);
    assert_eq!(first.ready["rate_limit"], "enforce");
    first.admin("PUT /__admin/rate_limit", &json!({ "mode": "observe" }));
    first.stop();
    for (words, expected) in [(vec![], "observe"), (vec!["--rate-limit", "off"], "off")] {
        let again = Kept::start(dir.path(), &words);
        assert_eq!(again.ready["rate_limit"], expected);
        let mode = again.admin("GET /__admin/rate_limit", &Value::Null)["mode"].clone();
        assert_eq!(mode, expected, "what is printed is what holds");
        again.stop();
    }
}

#[test]
fn kept_data_wins_over_seed_and_world_and_a_person_is_told() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    Kept::start(dir.path(), &["--seed", "7", "--world", "demo"]).stop();
    for (words, is_told) in [
        (vec!["--seed", "7", "--world", "demo"], false),
        (vec!["--seed", "8"], true),
        (vec!["--world", "empty"], true),
    ] {
        let common = ["mock", "--listen", "127.0.0.1:0", "--state", "state"];
        let mut command = moot(&[&common[..], &words].concat(), dir.path());
        let errors = std::fs::File::create(dir.path().join("errors")).expect("a file");
        command.stderr(errors);
        let (code, rest) = Running::of(command).stop("-TERM");
        assert_eq!(code, Some(0));
        assert!(rest.contains("from the state folder"), "{rest}");
        assert!(rest.lines().any(|line| line.trim() == "seed           7"), "{rest}");
        let errors = std::fs::read_to_string(dir.path().join("errors")).expect("a file");
        assert_eq!(
            errors.contains("--seed and --world are ignored"),
            is_told,
            "{words:?}: {errors}"
        );
    }
}

#[test]
fn a_token_outlives_a_restart_on_another_port() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &[]);
    let sandbox = call_json(first.host(), "POST /__admin/sandboxes", "", "{}").1;
    let id = sandbox["id"].as_str().expect("an id").to_owned();
    let bases = [String::new(), format!("/sandboxes/{id}")];
    let tokens = bases.clone().map(|base| {
        let line = format!("POST {base}/__admin/tokens");
        let minted = call_json(first.host(), &line, "", r#"{"client_id":"demo-main"}"#).1;
        minted["access_token"].as_str().expect("a token").to_owned()
    });
    let port = first.host().to_owned();
    first.stop();
    // The second mock can't get the port of the first.
    let _blocker = std::net::TcpListener::bind(&port).expect("a free port");
    let again = Kept::start(dir.path(), &[]);
    assert_ne!(again.host(), port, "another port, so another base address");
    for (at, base) in bases.iter().enumerate() {
        for (of, token) in tokens.iter().enumerate() {
            let line = format!("GET {base}/v1/workflows");
            let (status, answer) = call(again.host(), &line, token, ("text/plain", b""));
            assert_eq!(status, if at == of { 200 } else { 401 }, "{line} with {of}: {answer}");
        }
    }
    again.stop();
}
