//! The receiver on a real socket, with valid and invalid deliveries of a mock in another process.

use std::net::TcpListener;

use crate::command_support::{Running, run};
use crate::deployment::{deployed, judged, start};

const EVENTS: [&str; 2] = ["06_events/*", "journey_webhook/*"];

/// Starts a mock, and returns its base address.
fn mock(words: &[&str]) -> (Running, String) {
    let mock = Running::start(&[&["--format", "json"], words].concat());
    let base_url = mock.base_url();
    (mock, base_url)
}

/// Runs against this base address with the exit code `code`, and returns the failed requirements.
#[track_caller]
fn failed(base_url: &str, words: &[&str], code: i32) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let own = ["run", "--target", base_url, "--format", "json"];
    let report = run(&[&own, &EVENTS[..], words].concat(), dir.path()).ended(code).json();
    let checks = report["checks"].as_array().expect("a list");
    let failed = checks.iter().filter(|check| check["verdict"] == "fail");
    failed.map(|check| check["requirement"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn correct_deliveries_to_the_configured_address_pass() {
    let (_mock, base_url) = mock(&[]);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let (address, url) = (free.to_string(), format!("http://{free}/below/a/path"));
    let words = ["--receiver", &address, "--receiver-url", &url];
    assert_eq!(failed(&base_url, &words, 0), Vec::<String>::new());
}

#[test]
fn each_wrong_delivery_is_noticed() {
    for (defect, row) in [
        ("events.never-sent", "events.execution-complete-is-sent"),
        ("events.without-credential", "events.authenticated-as-registered"),
        ("events.credential-as-basic", "events.authenticated-as-registered"),
        ("events.other-kind", "events.only-subscribed-kinds"),
        ("delete-webhook.stays-listed", "delete-webhook.no-new-deliveries"),
    ] {
        let (_mock, base_url) = mock(&["--defect", defect]);
        let failed = failed(&base_url, &[], 1);
        assert!(failed.iter().any(|id| id == row), "{defect}: {failed:?}");
    }
}

#[tokio::test]
async fn without_a_receiver_a_run_says_which_setting_enables_it() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: [write, delete]\n");
    std::fs::write(dir.path().join("receives.yaml"), RECEIVES).expect("writable");
    let report =
        judged(dir.path(), &["--scenarios", "receives.yaml", "--format", "json"], 3).json();
    let not_run = &report["not_run"];
    assert_eq!(not_run[0]["setting"], "--receiver ADDR and --receiver-url URL", "{not_run}");
}

const RECEIVES: &str = r#"section: "6"
title: A sample
scenarios:
  - id: receives
    title: Something comes
    needs: [read, write, receiver]
    receivers: [hook]
    steps:
      - receive: { receiver: hook, none_for: 1s }
        expect: { events.not-before-full-execution: { /deliveries: { length: 0 } } }
"#;
