//! The token file: a run saves a token, and a run two hours later uses it as its expired token.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::command_support::{Running, message, read_json};
use crate::deployment::{judged, target};

const WORDS: [&str; 5] = [
    "05_authentication/token-expired-for-reading",
    "--token-file",
    "tokens",
    "--report",
    "json=report.json",
];

async fn ordered(base_url: &str, path: &str, body: Value) -> Value {
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let asked = client.post(format!("{base_url}/__admin{path}")).body(body.to_string());
    let response =
        asked.header("content-type", "application/json").send().await.expect("it answers");
    assert!(response.status().is_success(), "{}", response.status());
    let text = response.text().await.expect("it has a body");
    serde_json::from_str(&text).expect("it is JSON")
}

async fn advance(base_url: &str, seconds: u64) {
    ordered(base_url, "/clock", json!({ "advance_seconds": seconds })).await;
}

async fn minted(base_url: &str, age_seconds: u64) -> String {
    let asked = json!({ "client_id": "demo-main", "age_seconds": age_seconds });
    let minted = ordered(base_url, "/tokens", asked).await;
    minted["access_token"].as_str().expect("a token").to_owned()
}

fn kept(dir: &Path) -> String {
    let kept = read_json(dir.join("tokens"));
    let first = kept.as_object().and_then(|it| it.values().next()).expect("one target");
    first["token"].as_str().expect("a token").to_owned()
}

#[cfg(unix)]
#[tokio::test]
async fn a_token_of_a_run_two_hours_ago_is_the_expired_one() {
    use std::os::unix::fs::PermissionsExt;
    let mock = Running::start(&["--format", "json"]);
    let base_url = &mock.base_url();
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), base_url, "");

    let report = judged(dir.path(), &[WORDS[0], "--format", "json"], 3).json();
    let setting = "expired_token in the target file, or --token-file FILE, two hours before";
    assert_eq!(report["not_run"][0]["setting"], setting, "{}", report["not_run"]);
    judged(dir.path(), &WORDS, 3);
    let file = dir.path().join("tokens");
    let mode = || fs::metadata(&file).expect("it was written").permissions().mode() & 0o7777;
    assert_eq!(mode(), 0o600);
    let token = kept(dir.path());

    advance(base_url, 7_200).await;
    judged(dir.path(), &WORDS, 3);
    assert_eq!(kept(dir.path()), token, "it is kept until it is old enough");
    advance(base_url, 120).await;
    let ran = judged(dir.path(), &WORDS, 0);
    let report = fs::read_to_string(dir.path().join("report.json")).expect("it was written");
    assert!(!ran.stdout.contains(&token) && !report.contains(&token), "it is masked");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert!(report["counts"]["pass"].as_u64() > Some(10), "{}", report["counts"]);

    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let refused = judged(dir.path(), &WORDS, 2);
    insta::assert_snapshot!(message(&refused.stderr), @"error: the token file `tokens` has mode 0640, so others can read it; run `chmod 600 tokens`");
}

#[tokio::test]
async fn an_expired_and_a_revoked_token_are_named_in_the_target_file() {
    const SELECTED: [&str; 4] = [
        "05_authentication/token-expired-for-reading",
        "05_authentication/token-revoked-for-reading",
        "--report",
        "json=report.json",
    ];
    let mock = Running::start(&["--format", "json"]);
    let base_url = &mock.base_url();
    let dir = tempfile::tempdir().expect("a folder");
    let (expired, revoked) = (minted(base_url, 7_200).await, minted(base_url, 0).await);
    ordered(base_url, "/tokens/revoke", json!({ "token": revoked })).await;

    target(dir.path(), base_url, &format!("expired_token: {expired}\nrevoked_token: {revoked}\n"));
    judged(dir.path(), &SELECTED, 0);
    let report = fs::read_to_string(dir.path().join("report.json")).expect("it was written");
    assert!(!report.contains(&expired) && !report.contains(&revoked), "they are masked");

    // This token is neither expired nor revoked. The checks fail for exactly these tokens.
    let sound = minted(base_url, 0).await;
    target(dir.path(), base_url, &format!("expired_token: {sound}\nrevoked_token: {sound}\n"));
    judged(dir.path(), &SELECTED, 1);
    let report = read_json(dir.path().join("report.json"));
    let checks = report["checks"].as_array().expect("a list");
    for id in ["authentication.expired-401", "authentication.revoked-401"] {
        let is_failed = |it: &Value| it["requirement"] == id && it["verdict"] == "fail";
        assert!(checks.iter().any(is_failed), "{id}: {}", report["findings"]);
    }
}
