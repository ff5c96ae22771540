//! Each rule that needs a drill finds its violation, and accepts the most similar correct behaviour.

use moot_fixtures::conduct;
use moot_fixtures::contract::ConductOccasion;
use moot_harness::grading::conduct::{WorldJournal, disturbed_findings};
use moot_harness::grading::misbehaving_client::{misbehaviours, not_shown};
use serde_json::{Value, json};

use crate::conduct_support::{call, journal};

#[track_caller]
fn check_world(world: WorldJournal, expected: Option<&str>) {
    let found: Vec<String> =
        disturbed_findings(&[world]).into_iter().map(|finding| finding.rule).collect();
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
}

#[track_caller]
fn check(calls: &[Value], expected: Option<&str>) {
    check_world(journal(calls), expected);
}

#[test]
fn every_rule_has_a_misbehaviour_or_a_reason() {
    let broken: Vec<&str> = misbehaviours().iter().map(|it| it.rule.as_str()).collect();
    let is_not_shown = |id: &str| not_shown().contains_key(id);
    let expected: Vec<&str> =
        conduct::all().iter().map(|rule| rule.id.as_str()).filter(|id| !is_not_shown(id)).collect();
    assert_eq!(broken, expected, "in the order of the register");
    for (id, reason) in not_shown() {
        let rule = conduct::get(id).expect("a rule");
        assert_eq!(rule.seen, ConductOccasion::Drill, "any calls show {id}");
        assert!(reason.ends_with('.'), "{id} has a reason");
    }
}

#[test]
fn a_token_is_renewed_once() {
    let dead = |token: &str| {
        let more = json!({ "problem": "token_expired", "request": { "authorization": token } });
        call("list_legal_requests", 401, &more)
    };
    let renewal = call("create_access_token", 200, &json!({ "after_ms": 10, "connection": 2 }));
    let renewals = |count: usize| vec![renewal.clone(); count];
    check(&[vec![dead("a")], renewals(3)].concat(), Some("renewal-stampede"));
    check(&[vec![dead("a")], renewals(2)].concat(), None);
    // Two processes, each with its own token.
    let mut second = dead("b");
    second["after_ms"] = 1.into();
    check(&[vec![dead("a"), second], renewals(4)].concat(), None);
    let late = call("create_access_token", 200, &json!({ "after_ms": 1_100, "connection": 2 }));
    check(&[vec![dead("a")], renewals(2), vec![late]].concat(), None);
    // Two processes start at the same time, and use tokens of their own.
    let of_process = |token: &str| {
        let issued =
            json!({ "after_ms": 10, "connection": 3, "answer": { "access_token": token } });
        let used = json!({ "after_ms": 10, "request": { "authorization": token } });
        let used = call("list_legal_requests", 200, &used);
        vec![call("create_access_token", 200, &issued), used.clone(), used]
    };
    check(&[vec![dead("a")], of_process("b"), of_process("c"), of_process("d")].concat(), None);
    check(&[vec![dead("a")], of_process("b"), renewals(2)].concat(), Some("renewal-stampede"));
    check(&renewals(3), None);
}

#[test]
fn a_call_without_a_response_is_given_up_but_not_too_soon() {
    let stalled = |ended: bool| {
        let mut world = journal(&[
            call("list_legal_requests", 500, &json!({ "fault": "stall" })),
            call("list_legal_requests", 200, &json!({ "connection": 2, "after_ms": 10_000 })),
        ]);
        if let Some(wire) = world.calls[0].wire.as_mut().filter(|_| !ended) {
            wire.ended_us = None;
        }
        world
    };
    check_world(stalled(true), Some("no-timeout"));
    check_world(stalled(false), None);
    let mut soon = stalled(false);
    soon.calls[1].wire.as_mut().expect("a wire").began_us -= 9_000_000;
    check_world(soon, Some("too-short-timeout"));
    // Another process with the same token makes the same call before the timeout.
    let mut shared = stalled(false);
    let mut later = shared.calls[1].clone();
    later.serial = 3;
    shared.calls[1].wire.as_mut().expect("a wire").began_us -= 9_000_000;
    shared.calls.push(later);
    check_world(shared, None);
    // Two tasks that made the same call at the same time. One of them repeats it later.
    let mut parallel = stalled(false);
    let mut other = parallel.calls[1].clone();
    other.serial = 3;
    parallel.calls[1].wire = parallel.calls[0].wire;
    parallel.calls.push(other);
    check_world(parallel, None);
    let list = |token: &str, fault: Value| {
        let request = json!({ "authorization": token });
        let more = json!({ "fault": fault, "request": request, "after_ms": 500 });
        call("list_legal_requests", 200, &more)
    };
    let processes = [list("a", Value::Null), list("a", "stall".into()), list("b", Value::Null)];
    let mut processes = journal(&[&processes[..], &[list("b", Value::Null)]].concat());
    processes.calls[1].wire.as_mut().expect("a wire").ended_us = None;
    check_world(processes, None);
}

#[test]
fn pages_are_counted_by_the_service() {
    let rows = |count: usize| json!({ "data": vec![json!({ "id": "r1" }); count] });
    let page = |page: u64, pages: u64, count: usize| {
        let more = json!({ "query": format!("page={page}"), "answer": rows(count),
                           "response": { "page": page, "pages": pages } });
        call("list_legal_requests", 200, &more)
    };
    check(&[page(1, 3, 7)], Some("assumes-25"));
    check(&[page(1, 3, 25)], None);
    check(&[page(1, 1, 7)], None);
    check(&[page(1, 2, 7), page(2, 2, 3)], None);
    let refused = call("list_legal_requests", 503, &json!({ "query": "page=2" }));
    check(&[page(1, 3, 7), refused], None);
    // The wanted row is on this page.
    let get = call("get_legal_request", 200, &json!({ "path": "/v1/requests/r1" }));
    check(&[page(1, 3, 1), get.clone()], None);
    check(&[page(1, 3, 7), get], Some("assumes-25"));
}

#[test]
fn a_refused_creation_leads_back_to_the_schema() {
    let create = |status: u16| {
        let mut one = call("create_legal_request", status, &json!({}));
        one["request"]["parts"] = json!([{ "name": "workflow_id", "length": 2, "text": "w1" }]);
        one
    };
    let schema = call("get_workflow_schema", 200, &json!({ "path": "/v1/workflows/w1/schema" }));
    check(&[create(422), create(201)], Some("stale-schema"));
    check(&[create(422), schema, create(201)], None);
    check(&[create(422)], None);
    // Another creation waited for the connection.
    let mut queued = create(422);
    queued["request"]["parts"] = json!([{ "name": "workflow_id", "length": 2, "text": "w1" },
                                        { "name": "counterparty_name", "length": 1, "text": "B" }]);
    queued["after_ms"] = 1.into();
    check(&[create(422), queued], None);
    check(&[create(503), create(201)], None);
    let other = call("get_workflow_schema", 200, &json!({ "path": "/v1/workflows/w2/schema" }));
    check(&[create(422), other, create(201)], Some("stale-schema"));
}

#[test]
fn events_of_unknown_kinds_are_accepted() {
    let world = |event: &str, status: u16| {
        let mut world = journal(&[]);
        let delivery = json!([{ "id": 1, "event": event, "state": "queued",
                                "attempts": [{ "status": status }] }]);
        world.deliveries = serde_json::from_value(delivery).expect("deliveries");
        world
    };
    check_world(world("moot_unknown_event", 400), Some("hook-unknown-event"));
    check_world(world("moot_unknown_event", 204), None);
    check_world(world("execution_complete", 400), None);
}

#[test]
fn a_receiver_that_breaks_at_an_unknown_kind_does_not_accept_it() {
    let lost = json!([{ "error": "closed" }]);
    let answered = json!([{ "status": 204 }]);
    let world = |attempts: [&Value; 3]| {
        let events = ["execution_complete", "moot_unknown_event", "execution_complete"];
        let deliveries = (1..).zip(events).zip(attempts).map(|((id, event), attempts)| {
            json!({ "id": id, "event": event, "state": "queued", "attempts": attempts })
        });
        let mut world = journal(&[]);
        let deliveries = Value::Array(deliveries.collect());
        world.deliveries = serde_json::from_value(deliveries).expect("deliveries");
        world
    };
    check_world(world([&answered, &lost, &answered]), Some("hook-unknown-event"));
    check_world(world([&answered, &answered, &answered]), None);
    // The receiver may be gone, or was away for a time.
    check_world(world([&answered, &lost, &json!([])]), None);
    check_world(world([&lost, &lost, &answered]), None);
}
