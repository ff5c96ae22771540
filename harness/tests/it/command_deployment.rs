//! The whole suite on a deployment. Without consent it changes nothing, and with consent its verdicts are correct.

use std::collections::BTreeMap;
use std::fs;

use serde_json::json;
use wiremock::MockServer;

use crate::command_support::{read_json, run};
use crate::deployment::{ALL_BUT_LOAD, base_url, deployed, judged, start, target};

/// The number of requests by method. Token requests count as `token`.
async fn reached(server: &MockServer) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in server.received_requests().await.expect("they are kept") {
        let is_token = request.method == "POST" && request.url.path() == "/api/oauth/token";
        let kind = if is_token { "token".to_owned() } else { request.method.to_string() };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn without_consent_only_reads_and_token_requests_leave() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: []\n");
    let report = judged(dir.path(), &["--format", "json"], 3).json();
    let not_run = report["not_run"].as_array().expect("a list").iter();
    let settings: Vec<&str> = not_run.filter_map(|row| row["setting"].as_str()).collect();
    assert!(settings.iter().any(|it| it.contains("consent: [write]")), "{settings:?}");
    let counts = reached(&server).await;
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["GET", "token"], "{counts:?}");
    assert!(counts["GET"] > 200, "{counts:?}");
    let left: Vec<_> = fs::read_dir(dir.path()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "no ledger: {left:?}");
}

#[tokio::test]
async fn with_consent_a_sound_deployment_conforms() {
    for answers in ["default", "documented"] {
        let server = start(answers).await;
        let dir = deployed(&server, ALL_BUT_LOAD);
        let ran = judged(dir.path(), &["--report", "json=report.json"], 0);
        let report = read_json(dir.path().join("report.json"));
        for verdict in ["error", "fail", "drift"] {
            assert_eq!(report["counts"][verdict], 0, "{answers}: {verdict}\n{}", ran.stdout);
        }
        for row in report["not_run"].as_array().expect("a list") {
            assert_eq!(row["is_tolerated"], true, "{answers}: {row}");
        }
        assert!(report["residue"].as_array().is_some_and(|it| !it.is_empty()), "it says so");
        assert!(fs::read_dir(dir.path()).expect("a folder").count() > 2, "there is a ledger");
    }
}

#[tokio::test]
async fn documented_answers_leave_nothing_out_on_a_mock() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = start("documented").await;
    let base = base_url(&server);
    for words in [["--answers", "documented"], ["--target", base.as_str()]] {
        let ran = run(&[&["run", "--format", "json"][..], &words].concat(), dir.path());
        let report = ran.json();
        assert_eq!(report["exit_code"], 0, "{words:?}: {:?} {}", report["not_run"], ran.stderr);
        assert_eq!(report["not_run"], json!([]), "{words:?}");
        // This requirement depends on the answers.
        let pinned = report["answers"].as_array().into_iter().flatten();
        let seen = pinned.filter(|row| row["question"] == "webhook_https_only").count();
        assert_eq!(seen, 1, "{words:?}");
    }
}

#[tokio::test]
async fn the_command_of_a_secret_runs_once_in_a_run() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let base = base_url(&server);
    target(dir.path(), &base, "headers:\n  x-gateway: { command: [sh, ./secret.sh] }\n");
    let script = "echo once >> runs.txt\nprintf the-secret-of-a-gateway\n";
    fs::write(dir.path().join("secret.sh"), script).expect("writable");
    judged(dir.path(), &["section:4.3"], 0);
    let runs = fs::read_to_string(dir.path().join("runs.txt")).expect("it ran");
    assert_eq!(runs, "once\n");
}
