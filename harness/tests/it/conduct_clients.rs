//! Clients on a real socket: each that breaks a rule is found by this rule and by no other `must` rule, and
//! an honest one by none.

use std::collections::BTreeSet;
use std::sync::Arc;

use moot_fixtures::contract::Severity;
use moot_harness::conduct::{ConductFinding, findings, judged_rules, read};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode, Settings};
use moot_mock::shell::{ServeLimits, Site, SiteOptions, serve};
use serde_json::json;
use tokio::net::TcpListener;

#[path = "../../../examples/rust/client.rs"]
mod honest;
#[path = "../../../examples/clients/misbehaving.rs"]
mod misbehaving;

use misbehaving::{RULES, Service, misbehave};

/// Rules whose breaking takes too long for a test: 10 s of a receiver.
const SLOW_RULES: [&str; 1] = ["hook-slow"];

/// A mock on a socket.
async fn mock(progression: Progression) -> (Site, Service) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base_url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let seed_world = Arc::new(moot_fixtures::world::named("demo").expect("embedded").clone());
    let applications = &seed_world.companies[0].applications;
    let service = Service {
        base_url: base_url.clone(),
        client_id: applications[0].client_id.clone(),
        client_secret: applications[0].client_secret.clone(),
        reader_id: applications[1].client_id.clone(),
        reader_secret: applications[1].client_secret.clone(),
        requester_email: "requester@northwind.example".to_owned(),
        workflow_id: "wfMutualNda1".to_owned(),
    };
    let settings = Settings {
        seed: 1,
        base_url,
        answers: moot_fixtures::answers::default().clone(),
        seed_world,
        clock: ClockSetting::Real,
        rate_limit: RateLimitMode::Observe,
        progression,
    };
    let site = Site::new(SiteOptions::new(settings)).expect("it starts");
    let stop = std::future::pending();
    tokio::spawn(serve(listener, site.clone(), ServeLimits::default(), stop));
    (site, service)
}

fn found(site: &Site) -> Vec<ConductFinding> {
    findings(&read(&site.journals()).expect("these are journals"))
}

/// What is wrong with what was found of a client that breaks `rule`.
async fn complaint(rule: &str) -> Option<String> {
    let (site, service) = mock(Progression::Manual).await;
    if let Err(error) = misbehave(&service, rule).await {
        return Some(format!("{rule}: {error}"));
    }
    let found = found(&site);
    let is_found = found.iter().any(|it| it.rule == rule);
    let others: Vec<&ConductFinding> =
        found.iter().filter(|it| it.severity == Severity::Must && it.rule != rule).collect();
    (!is_found || !others.is_empty()).then(|| {
        let journal = if is_found { String::new() } else { site.journals().to_string() };
        format!("{rule}: found {is_found}, others {others:?} {journal}")
    })
}

#[tokio::test]
async fn each_broken_rule_is_found_and_no_other_must() {
    // One after the other: a rule of pauses finds nothing on a machine that is busy with all the others.
    let mut complaints = Vec::new();
    for rule in RULES {
        complaints.extend(complaint(rule).await);
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_misbehaving_client_can_break_every_rule_of_traffic() {
    let broken: BTreeSet<&str> = RULES.into_iter().chain(SLOW_RULES).collect();
    assert_eq!(broken, judged_rules().collect());
}

#[tokio::test]
async fn an_honest_client_breaks_no_rule() {
    let (site, service) = mock(Progression::OnRead { reads: 1 }).await;
    let Service { base_url, client_id, client_secret, .. } = &service;
    let mut client = honest::Client::new(base_url, client_id, client_secret).expect("a client");
    client.every("/v1/requests").await.expect("a list");
    let values = json!({
        "requester_email": service.requester_email,
        "counterparty_name": "Granite Works Kft",
        "counterparty_signer_name": "Sam Signer",
        "counterparty_signer_email": "signer@granite.invalid",
    });
    let id = client.create("wfThirdParty3", &values, b"Their terms.\n").await.expect("created");
    client.wait_for(&id, "signed").await.expect("signed");
    assert_eq!(found(&site), []);
}
