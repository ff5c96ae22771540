//! Clients on a real socket. A correct client breaks no rule. `moot selftest --conduct` tests clients that break one.

use std::sync::Arc;

use moot_harness::grading::conduct::{findings, read};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode, Settings};
use moot_mock::shell::{ServeLimits, Site, SiteOptions, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::command_support::run;

#[path = "../../../examples/rust/client.rs"]
mod honest;

/// A mock on a socket.
async fn mock() -> (Site, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base_url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let seed_world = Arc::new(moot_fixtures::world::named("demo").expect("embedded").clone());
    let settings = Settings {
        seed: 1,
        base_url: base_url.clone(),
        answers: moot_fixtures::answers::default().clone(),
        seed_world,
        clock: ClockSetting::Real,
        rate_limit: RateLimitMode::Observe,
        progression: Progression::OnRead { reads: 1 },
    };
    let site = Site::new(SiteOptions::new(settings)).expect("it starts");
    tokio::spawn(serve(
        listener,
        site.clone(),
        ServeLimits::default(),
        None,
        Box::pin(std::future::pending()),
    ));
    (site, base_url)
}

#[tokio::test]
async fn a_correct_client_breaks_no_rule() {
    let (site, base_url) = mock().await;
    let described = site.describe();
    let application = &described["applications"][0];
    let of = |name: &str| application[name].as_str().expect("a text");
    let mut client =
        honest::Client::new(&base_url, of("client_id"), of("client_secret")).expect("a client");
    client.every("/v1/requests").await.expect("a list");
    let values = json!({
        "requester_email": "requester@northwind.example",
        "counterparty_name": "Granite Works Kft",
        "counterparty_signer_name": "Sam Signer",
        "counterparty_signer_email": "signer@granite.invalid",
    });
    let id = client.create("wfThirdParty3", &values, b"Their terms.\n").await.expect("created");
    client.wait_for(&id, "signed").await.expect("signed");
    assert_eq!(findings(&read(&site.journals()).expect("these are journals")), []);
}

#[test]
fn the_selftest_finds_a_broken_rule_and_says_which_are_not_shown() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["selftest", "--conduct", "--rule", "no-token", "--rule", "breaks-on-member"];
    let ran = run(&[&words[..], &["--format", "json"]].concat(), dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(told["proven"], true);
    let row = |rule: &str, severity: &str, situation: &str| {
        json!({ "rule": rule, "severity": severity, "situation": situation, "is_found": true,
                "others": [], "trouble": null })
    };
    let rows = [row("no-token", "must", "calm"), row("breaks-on-member", "must", "new-members")];
    assert_eq!(told["rules"], json!(rows));
    assert_eq!(told["honest"][0]["end"], "held");
    let messages = ["no-tokn", "fixed-ids"].map(|rule| {
        let ran = run(&["selftest", "--conduct", "--rule", rule], dir.path());
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: the self-test has no client that breaks a rule `no-tokn`
    help: did you mean `no-token`?
    error: the self-test has no client that breaks `fixed-ids`: A test that asks for a missing id on purpose makes the same call. `reads-id-shape` finds three of them.
    ");
    let ran = run(&["selftest", "--misbehave", "no-token"], dir.path());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("MOOT_BASE_URL is not set"), "{}", ran.stderr);
}
