//! Routes, tokens and scopes: refusals before the body is read.

use http::Method;
use moot_fixtures::contract::{CheckOrder, Operation, Scopes, TokenNeed};
use moot_fixtures::journal::RuleGroup;
use moot_mock::control::ControlAction;

use crate::support::{Sent, bench, bench_answering, get, post, sent};

#[track_caller]
fn check(sent: &Sent, expected: (u16, &str)) {
    let response = bench().send(sent);
    assert_eq!(response.outcome(), (expected.0, expected.1.to_owned()), "{response:?}");
}

#[test]
fn paths_and_methods_outside_the_table_are_refused() {
    for path in [
        "/",
        "",
        "/v1",
        "/v1/",
        "/v1/requests/",
        "/v1/requests/a/b",
        "/v2/requests",
        "/V1/requests",
        "/oauth/token/",
        "/v1/requests//activity",
        "//v1/requests",
    ] {
        check(&get(path), (404, "request_not_found"));
    }
    let other = bench_answering(|answers| answers.other_errors.unknown_path = 400);
    assert_eq!(other.send(&get("/v2/requests")).outcome(), (400, "parameter_missing".to_owned()));
    for (method, path, allow) in [
        (Method::PUT, "/v1/requests", "POST, GET"),
        (Method::HEAD, "/v1/requests", "POST, GET"),
        (Method::OPTIONS, "/v1/webhooks/x", "DELETE"),
        (Method::POST, "/v1/workflows/x/schema", "GET"),
        (Method::from_bytes(b"BREW").expect("a token"), "/v1/workflows", "GET"),
    ] {
        let response = bench().send(&sent(method, path));
        assert_eq!(response.outcome(), (405, "method_not_allowed".to_owned()));
        assert_eq!(response.header("allow"), allow, "{path}");
        assert_eq!(response.rule_group, Some(RuleGroup::Route));
    }
}

#[test]
fn a_wrong_method_at_a_token_endpoint_is_a_token_failure() {
    for (method, path) in [(Method::GET, "/oauth/token"), (Method::PUT, "/oauth/revoke")] {
        let response = bench().send(&sent(method, path));
        assert_eq!(response.outcome(), (405, "invalid_request".to_owned()), "§7: {response:?}");
        assert_eq!(response.header("allow"), "POST", "{path}");
        assert_eq!(response.rule_group, Some(RuleGroup::Route));
    }
}

#[test]
fn authorization_headers_that_are_no_bearer_token_are_invalid() {
    let bench = bench();
    let token = bench.token();
    let call = || get("/v1/requests");
    let garbled = format!("Bearer {}A", &token[..token.len() - 1]);
    for (sent, status, challenge) in [
        (call(), 401, r#"Bearer realm="legal requests""#),
        (call().header("authorization", &format!("Bearer {token}")), 200, ""),
        (call().header("authorization", &format!("bearer {token}")), 200, ""),
        (call().header("authorization", &format!("BEARER   {token}")), 200, ""),
        (call().header("authorization", &format!("Basic {token}")), 401, "invalid_token"),
        (call().header("authorization", &token), 401, "invalid_token"),
        (call().header("authorization", "Bearer"), 401, "invalid_token"),
        (call().header("authorization", "Bearer "), 401, "invalid_token"),
        (call().header("authorization", &format!("Bearer {token}x")), 401, "invalid_token"),
        (call().header("authorization", &format!("{garbled}_")), 401, "invalid_token"),
        (call().token(&token).token(&token), 401, "invalid_token"),
    ] {
        let response = bench.send(&sent);
        assert_eq!(response.status, status, "{sent:?}");
        assert!(response.header("www-authenticate").contains(challenge), "{sent:?}");
    }
    let missing = bench.send(&call());
    assert!(!missing.header("www-authenticate").contains("error"), "RFC 6750 §3: no code");
    assert_eq!(missing.outcome().1, "invalid_token");
}

#[test]
fn every_single_changed_letter_makes_a_token_invalid() {
    let bench = bench();
    let token = bench.token();
    for place in 0..token.len() {
        let other = if &token[place..=place] == "A" { "B" } else { "A" };
        let forged = format!("{}{other}{}", &token[..place], &token[place + 1..]);
        let response = bench.send(&get("/v1/requests").token(&forged));
        assert_eq!(response.outcome(), (401, "invalid_token".to_owned()), "letter {place}");
    }
}

#[test]
fn each_operation_asks_for_its_scope() {
    let bench = bench();
    let reader = bench.token_of("demo-reader", "read");
    let writer = bench.token_of("demo-writer", "write");
    for operation in Operation::ALL {
        let call = sent(operation.method(), &operation.path().replace("{id}", "unknown1"));
        let needed = operation.token();
        let is_refused = |token: &str| {
            let response = bench.send(&call.clone().token(token));
            let is_refused = response.outcome() == (403, "insufficient_scope".to_owned());
            assert_eq!(is_refused, response.rule_group == Some(RuleGroup::Scope));
            is_refused
        };
        assert_eq!(is_refused(&reader), needed == TokenNeed::Write, "{operation:?}");
        assert_eq!(is_refused(&writer), needed == TokenNeed::Read, "{operation:?}");
    }
}

#[test]
fn the_token_comes_before_the_id_in_any_order_of_checks() {
    for (order, with_reader) in [
        (CheckOrder::TokenFirst, (403, "insufficient_scope")),
        (CheckOrder::ExistenceFirst, (404, "request_not_found")),
    ] {
        let bench = bench_answering(|answers| answers.check_order = order);
        let reader = bench.token_of("demo-reader", "read");
        let call = sent(Method::DELETE, "/v1/webhooks/unknown1");
        assert_eq!(bench.send(&call).outcome(), (401, "invalid_token".to_owned()), "{order:?}");
        let (status, problem) = with_reader;
        let refused = bench.send(&call.token(&reader)).outcome();
        assert_eq!(refused, (status, problem.to_owned()), "{order:?}");
    }
}

#[test]
fn any_valid_token_reads_where_the_answers_say_so() {
    let bench = bench_answering(|answers| {
        answers.read_scope = moot_fixtures::contract::ReadScope::Any;
    });
    let writer = bench.token_of("demo-writer", "write");
    assert_eq!(bench.send(&get("/v1/requests").token(&writer)).status, 200);
}

#[test]
fn the_token_is_asked_for_before_the_scope_and_the_scope_before_the_body() {
    let bench = bench();
    let reader = bench.token_of("demo-reader", "read");
    let broken = post("/v1/requests");
    assert_eq!(bench.send(&broken).rule_group, Some(RuleGroup::Token));
    assert_eq!(bench.send(&broken.clone().token(&reader)).rule_group, Some(RuleGroup::Scope));
    assert_eq!(bench.send(&broken.token(&bench.token())).rule_group, Some(RuleGroup::Body));
}

#[test]
fn problems_have_the_six_members_and_instance_is_the_path() {
    let bench = bench();
    let response = bench.send(&get("/v1/requests/unknown1?page=2").token(&bench.token()));
    assert_eq!(response.header("content-type"), "application/problem+json");
    let json = response.json();
    let names: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["type", "status", "title", "detail", "instance", "request_id"]);
    assert_eq!(json["instance"], "/api/v1/requests/unknown1");
    assert_eq!(json["status"], 404);
    assert_eq!(json["title"], "Request not found");
    assert_eq!(response.header("date"), "Thu, 05 Mar 2026 14:30:00 GMT");

    let bare = bench_answering(|answers| answers.instance_prefix = false);
    assert_eq!(bare.send(&get("/v1/requests")).text("/instance"), "/v1/requests");
}

#[test]
fn request_ids_are_unique() {
    let bench = bench();
    let ids: std::collections::BTreeSet<String> =
        (0..1000).map(|_| bench.send(&get("/")).text("/request_id")).collect();
    assert_eq!(ids.len(), 1000);
}

#[test]
fn endpoints_that_the_answers_name_are_routed() {
    let bench = bench_answering(|answers| {
        answers.workflow_schema_endpoint.path = "/v1/workflow_schemas/{id}".to_owned();
        answers.webhook_create_endpoint.path = "/v1/webhooks/register".to_owned();
        answers.webhook_create_endpoint.method = "PUT".to_owned();
        answers.token_revocation.endpoint = false;
    });
    let token = bench.token();
    let schema = bench.send(&get("/v1/workflow_schemas/wfMutualNda1").token(&token));
    assert_eq!(schema.status, 200);
    assert_eq!(bench.send(&get("/v1/workflows/wfMutualNda1/schema").token(&token)).status, 404);
    let hook = serde_json::json!({ "name": "hook", "url": "https://hooks.example/" });
    let registered =
        bench.send(&sent(Method::PUT, "/v1/webhooks/register").token(&token).json(&hook));
    assert_eq!(registered.status, 201);
    assert_eq!(bench.send(&post("/v1/webhooks").token(&token).json(&hook)).status, 405);
    assert_eq!(bench.send(&post("/oauth/revoke")).status, 404);
}

#[test]
fn an_id_is_decoded_once() {
    let bench = bench();
    let id = bench.get("/v1/requests").ids().remove(0);
    let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
    assert_eq!(bench.get(&format!("/v1/requests/{encoded}")).text("/data/id"), id);
    assert_eq!(bench.get("/v1/requests/%FF%00").status, 404);
}

#[test]
fn a_minted_token_may_have_other_scopes_than_its_application() {
    let bench = bench();
    let ask = |scopes| ControlAction::MintToken {
        client_id: "demo-reader".to_owned(),
        scopes,
        age_seconds: 0,
    };
    let minted = bench.ask(ask(Some(Scopes::WRITE))).expect("the application exists");
    let token = minted["access_token"].as_str().expect("a token");
    assert_eq!(bench.send(&get("/v1/requests").token(token)).status, 403);
    let minted = bench.ask(ask(None)).expect("the application exists");
    assert_eq!(minted["scope"], "read");
}
