//! An account of a client: its findings over several worlds, and the open questions that it relies on.

use std::collections::BTreeSet;

use moot_harness::grading::conduct::{Account, findings};
use serde_json::{Value, json};

use crate::conduct_support::{call, journal, list, token};

#[test]
fn a_finding_names_its_calls_and_the_correct_request() {
    let found =
        findings(&[journal(&[list(&json!({})), list(&json!({ "query": "state=signed" }))])]);
    assert_eq!(found[0].calls, [2]);
    let command =
        r#"curl -H "Authorization: Bearer $TOKEN" "$MOOT_BASE_URL"'/v1/requests?state=signed'"#;
    assert_eq!(found[0].excerpt.as_deref(), Some(command));
    assert_eq!(found[0].clause, "§4");
}

#[test]
fn only_a_client_that_receives_webhooks_relies_on_their_content() {
    let relies = |calls: &[Value]| {
        let account = Account::of(&[journal(calls)]);
        account.relies_on.iter().any(|it| it.question == "delivery_payload")
    };
    // The seed world has webhooks too.
    let created = call("create_legal_request", 201, &json!({ "deliveries": [1] }));
    assert!(!relies(std::slice::from_ref(&created)));
    let registered = call("create_webhook", 201, &json!({}));
    assert!(relies(&[registered.clone(), created]));
    // The clock queued the event.
    let mut world = journal(&[registered]);
    let delivery = json!([{ "id": 1, "event": "execution_complete", "state": "delivered",
                            "attempts": [{ "status": 200 }] }]);
    world.deliveries = serde_json::from_value(delivery).expect("deliveries");
    let account = Account::of(&[world]);
    assert!(account.relies_on.iter().any(|it| it.question == "delivery_payload"));
}

#[test]
fn a_client_whose_processes_have_tokens_of_their_own_relies_on_their_revocation() {
    let relies = |calls: &[Value]| {
        let account = Account::of(&[journal(calls)]);
        account.relies_on.iter().any(|it| it.question == "token_revocation")
    };
    let issued = |print: &str| token(&json!({ "answer": { "access_token": print } }));
    let used = |print: &str, application: &str| {
        list(&json!({ "request": { "authorization": print }, "application": application }))
    };
    let (a, b) = (used("a", "demo-main"), used("b", "demo-main"));
    let in_turn = [issued("a"), a.clone(), issued("b"), b.clone()];
    assert!(!relies(&in_turn));
    assert!(relies(&[&in_turn[..], std::slice::from_ref(&a)].concat()));
    let of_other = used("b", "demo-reader");
    assert!(!relies(&[issued("a"), a.clone(), issued("b"), of_other, a]));
}

#[test]
fn the_same_in_several_worlds_is_one_finding() {
    let world = |sandbox: Option<&str>| {
        let mut world = journal(&[list(&json!({ "query": "state=signed" }))]);
        world.sandbox = sandbox.map(str::to_owned);
        world
    };
    let account = Account::of(&[world(None), world(Some("s1")), world(Some("s2"))]);
    assert_eq!((account.calls, account.sandboxes), (3, 2));
    let found = &account.findings[0];
    assert_eq!((found.times, found.worlds, found.sandbox.as_deref()), (3, 3, None));
    let rules: BTreeSet<&str> = account.findings.iter().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules.len(), 1);
}

#[test]
fn the_same_twice_in_one_world_is_one_finding_with_all_calls() {
    let first = |status: &str| {
        let query = format!("status={status}");
        list(&json!({ "query": query, "response": { "page": 1, "pages": 3 } }))
    };
    let found = findings(&[journal(&[first("signed"), first("draft")])]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].times, found[0].worlds, &found[0].calls[..]), (2, 1, &[1, 2][..]));
}
