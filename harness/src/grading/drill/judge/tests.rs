//! The judge on handwritten journals: each end, and both sides of each boundary.

mod pages;

use std::collections::BTreeMap;

use moot_fixtures::conduct::DrillEnd;
use serde_json::{Value, json};

use super::{calm, judge};
use crate::grading::drill::recording::{self, DrillRecording, ProbeReplies, answered_deliveries};
use crate::grading::drill::table::{self, Drill};

/// A call of a client with a token.
fn call(serial: u64, name: &str, status: u16) -> Value {
    let (operation, method, path) = match name {
        "token" => ("create_access_token", "POST", "/oauth/token"),
        "list" => ("list_legal_requests", "GET", "/v1/requests"),
        "list documents" => ("list_repository_documents", "GET", "/v1/repository_documents"),
        "schema" => ("get_workflow_schema", "GET", "/v1/workflows/w1/schema"),
        "create" => ("create_legal_request", "POST", "/v1/requests"),
        "read" => ("get_legal_request", "GET", "/v1/requests/r1"),
        "hook" => ("create_webhook", "POST", "/v1/webhooks"),
        "unhook" => ("delete_webhook", "DELETE", "/v1/webhooks/h1"),
        other => panic!("no call is named {other}"),
    };
    json!({
        "serial": serial, "at": "2026-03-05T14:30:00Z", "client": "127.0.0.1", "method": method, "path": path,
        "operation": operation, "application": "demo-main", "status": status, "problem": null, "detail": null,
        "response": {}, "decision": "served", "fault": null,
    })
}

/// A call that a fault struck.
fn struck(serial: u64, name: &str, status: u16, fault: &str) -> Value {
    let mut call = call(serial, name, status);
    call["fault"] = json!(fault);
    call
}

/// A run that ended with 0.
fn run(calls: &[Value]) -> DrillRecording {
    let world = json!({ "sandbox": null, "forgotten": 0, "exchanges": calls, "deliveries": [] });
    let journal = json!({ "worlds": [world], "control": [] });
    DrillRecording { exit_code: Some(0), journal, ..DrillRecording::default() }
}

fn made(recording: DrillRecording, legal_requests: i64) -> DrillRecording {
    let made = BTreeMap::from([("legal_requests".to_owned(), legal_requests)]);
    DrillRecording { made, ..recording }
}

fn ended(recording: DrillRecording, exit_code: i32) -> DrillRecording {
    DrillRecording { exit_code: Some(exit_code), ..recording }
}

fn drill(id: &str) -> &'static Drill {
    table::get(id).expect("there is such a drill")
}

/// The calm run of a client that lists, creates and looks.
fn calm_run() -> DrillRecording {
    let names = ["token", "list", "schema", "create", "read", "hook"];
    let calls: Vec<Value> =
        (1..).zip(names).map(|(serial, name)| call(serial, name, 200)).collect();
    made(run(&calls), 1)
}

#[track_caller]
fn check(id: &str, run: &DrillRecording, expected: DrillEnd) {
    let result = judge(drill(id), &calm_run(), run);
    assert_eq!(result.end, expected, "{id}: {}", result.why);
}

/// A list that got a 503, and one more that was answered with this status.
fn listed_again(status: u16) -> DrillRecording {
    let calls = [call(1, "token", 200), struck(2, "list", 503, "status"), call(3, "list", status)];
    made(run(&calls), 1)
}

#[test]
fn the_calm_run_holds_if_a_call_with_a_token_was_served_and_the_command_ended_with_0() {
    for (recording, expected) in [
        (calm_run(), DrillEnd::Held),
        (run(&[]), DrillEnd::Failed),
        (run(&[call(1, "token", 200)]), DrillEnd::Failed),
        (run(&[call(1, "list", 299)]), DrillEnd::Held),
        (run(&[call(1, "list", 300)]), DrillEnd::Failed),
        (ended(calm_run(), 1), DrillEnd::Failed),
        (DrillRecording { exit_code: None, ..calm_run() }, DrillEnd::Failed),
        (DrillRecording { is_timed_out: true, ..calm_run() }, DrillEnd::Failed),
        (DrillRecording { trouble: Some("no mock".to_owned()), ..calm_run() }, DrillEnd::Disturbed),
        (DrillRecording { journal: json!({}), ..calm_run() }, DrillEnd::Disturbed),
    ] {
        let result = calm(&recording);
        assert_eq!(result.end, expected, "{}", result.why);
    }
}

#[test]
fn a_client_that_recovers_holds() {
    check("unavailable", &listed_again(200), DrillEnd::Held);
    check("unavailable", &listed_again(299), DrillEnd::Held);
}

#[test]
fn a_call_that_was_never_answered_well_fails_though_the_command_ended_with_0() {
    check("unavailable", &listed_again(300), DrillEnd::Failed);
    check("unavailable", &listed_again(404), DrillEnd::Held);
    let gave_up = [call(1, "token", 200), struck(2, "list", 503, "status")];
    check("unavailable", &made(run(&gave_up), 1), DrillEnd::Failed);
    // Each struck call counts, not only the last one, and another filter is another list.
    let list = |serial, status| call(serial, "list", status);
    let documents = struck(2, "list documents", 503, "status");
    let one_lost =
        [call(1, "token", 200), documents, struck(3, "list", 503, "status"), list(4, 200)];
    check("unavailable", &made(run(&one_lost), 1), DrillEnd::Failed);
    let mut filtered = list(3, 200);
    filtered["query"] = json!("status=signed");
    let other = [call(1, "token", 200), struck(2, "list", 503, "status"), filtered];
    check("unavailable", &made(run(&other), 1), DrillEnd::Failed);
}

#[test]
fn a_client_that_gave_up_before_the_service_did_has_a_timeout() {
    let stalled = [call(1, "token", 200), struck(2, "list", 200, "stall")];
    let result = judge(drill("stalled"), &calm_run(), &made(run(&stalled), 1));
    assert_eq!(result.end, DrillEnd::Failed);
    let rules: Vec<_> = result.findings.iter().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules, ["gives-up"]);
}

#[test]
fn a_lost_page_is_not_made_up_by_another_page() {
    let page = |mut call: Value, page: u64, pages: u64| {
        call["query"] = json!(format!("page={page}"));
        call["response"] = json!({ "page": page, "pages": pages });
        call
    };
    for (again, expected) in [
        (page(call(3, "list", 200), 2, 3), DrillEnd::Held),
        (page(call(3, "list", 200), 3, 3), DrillEnd::Failed),
        (call(3, "list", 200), DrillEnd::Failed),
        // The list has become shorter.
        (page(call(3, "list", 200), 1, 1), DrillEnd::Held),
    ] {
        let lost = page(struck(2, "list", 503, "status"), 2, 3);
        check("unavailable", &made(run(&[call(1, "token", 200), lost, again]), 1), expected);
    }
}

#[test]
fn a_call_in_another_world_makes_nothing_up() {
    let mut recording = listed_again(200);
    let calls = recording.journal["worlds"][0]["exchanges"].as_array_mut().expect("a list");
    let answered = calls.pop().expect("a call");
    let world =
        json!({ "sandbox": "s1", "forgotten": 0, "exchanges": [answered], "deliveries": [] });
    recording.journal["worlds"].as_array_mut().expect("a list").push(world);
    check("unavailable", &recording, DrillEnd::Failed);
}

#[test]
fn the_code_of_the_command_counts_by_what_is_expected() {
    // `unavailable` wants 0, `secret-revoked` another code, `limited-silently` takes both.
    check("unavailable", &ended(listed_again(200), 1), DrillEnd::Failed);
    check("limited-silently", &listed_again(200), DrillEnd::Held);
    check("limited-silently", &ended(listed_again(200), 1), DrillEnd::Held);
    let mut refused = call(2, "token", 401);
    refused["problem"] = json!("invalid_client");
    let orders_done = 2;
    let refused = DrillRecording { orders_done, ..run(&[call(1, "list", 200), refused]) };
    check("secret-revoked", &ended(refused.clone(), 1), DrillEnd::Held);
    check("secret-revoked", &refused, DrillEnd::Failed);
}

#[test]
fn each_process_of_a_client_may_try_to_get_a_token() {
    let list = |serial, token: &str| {
        let mut list = call(serial, "list", 200);
        list["request"] = json!({ "authorization": token });
        list
    };
    let process = |serial, token: &str| vec![list(serial, token), list(serial + 1, token)];
    let two_processes = run(&[process(1, "a"), process(3, "b")].concat());
    let refusals = |count: u64| {
        let refused = (3..3 + count).map(|serial| {
            let mut refused = call(serial, "token", 401);
            refused["decision"] = json!("token");
            refused["problem"] = json!("invalid_client");
            refused
        });
        let calls = [process(1, "a"), refused.collect()].concat();
        ended(DrillRecording { orders_done: 2, ..run(&calls) }, 1)
    };
    let end = |calm: &DrillRecording, run| judge(drill("secret-revoked"), calm, &run).end;
    assert_eq!(end(&run(&process(1, "a")), refusals(3)), DrillEnd::Held);
    assert_eq!(end(&run(&process(1, "a")), refusals(4)), DrillEnd::Failed);
    assert_eq!(end(&two_processes, refusals(6)), DrillEnd::Held);
    assert_eq!(end(&two_processes, refusals(7)), DrillEnd::Failed);
}

#[test]
fn a_command_that_does_not_end_fails_where_it_met_the_situation() {
    let stuck = DrillRecording { is_timed_out: true, exit_code: None, ..listed_again(200) };
    check("unavailable", &stuck, DrillEnd::Failed);
    let nothing = DrillRecording { is_timed_out: true, exit_code: None, ..run(&[]) };
    check("unavailable", &nothing, DrillEnd::NotReached);
}

#[test]
fn what_was_made_is_compared_with_the_calm_run() {
    check("unavailable", &made(listed_again(200), 0), DrillEnd::Failed);
    check("unavailable", &made(listed_again(200), 1), DrillEnd::Held);
    check("unavailable", &made(listed_again(200), 2), DrillEnd::Failed);
    // A client that fails may have made less, and never more.
    check("limited-silently", &ended(made(listed_again(200), 0), 1), DrillEnd::Held);
    check("limited-silently", &ended(made(listed_again(200), 2), 1), DrillEnd::Failed);
}

#[test]
fn a_client_that_fails_may_leave_the_webhook_that_it_deletes_in_the_calm_run() {
    let names = ["token", "hook", "create", "unhook"];
    let calls: Vec<Value> =
        (1..).zip(names).map(|(serial, name)| call(serial, name, 200)).collect();
    let calm = made(run(&calls), 1);
    let left = |webhooks: i64, exit_code: i32| {
        let lost = struck(3, "create", 403, "status");
        let made = BTreeMap::from([("webhooks".to_owned(), webhooks)]);
        let run = run(&[call(1, "token", 200), call(2, "hook", 200), lost]);
        judge(drill("scope-lost"), &calm, &DrillRecording { made, ..ended(run, exit_code) })
    };
    assert_eq!(left(1, 1).end, DrillEnd::Held, "{}", left(1, 1).why);
    assert_eq!(left(2, 1).end, DrillEnd::Failed);
    assert_eq!(left(1, 0).why, "the command ended with 0 as if it had succeeded");
}

#[test]
fn the_finding_of_a_failed_drill_names_the_mistake() {
    let lost = |name: &str, fault: &str| {
        run(&[call(1, "token", 200), struck(2, name, 200, fault), call(3, name, 200)])
    };
    let created = |legal_requests| made(lost("create", "commit_then_fail"), legal_requests);
    let cut = made(lost("list", "truncate"), 1);
    let calls = [call(1, "token", 200), struck(2, "list", 200, "truncate")];
    let unread = made(run(&calls), 1);
    for (id, run, expected) in [
        ("answer-lost", created(0), "creation-lost"),
        ("answer-lost", created(2), "duplicate-made"),
        ("truncated", ended(cut, 1), "gives-up"),
        ("truncated", unread, "trusts-truncation"),
    ] {
        let result = judge(drill(id), &calm_run(), &run);
        let rules: Vec<String> = result.findings.into_iter().map(|it| it.rule).collect();
        assert_eq!(rules, [expected], "{id}: {}", result.why);
    }
}

#[test]
fn objects_count_by_the_calls_that_made_them() {
    let changed = |mut call: Value, changes: &[&str]| {
        call["changes"] = json!(changes);
        call
    };
    let calls = [
        changed(call(1, "create", 201), &["legal request r1 is draft"]),
        changed(struck(2, "create", 504, "commit_then_fail"), &["legal request r2 is draft"]),
        changed(struck(3, "create", 500, "reset_before"), &[]),
        // A timer was due.
        changed(call(4, "create", 422), &["legal request r1 is signed"]),
        changed(call(5, "hook", 201), &["webhook h1 registered"]),
        changed(call(6, "unhook", 204), &["webhook h1 deleted"]),
        // The service archives a document by itself.
        changed(call(7, "read", 200), &["document d1 stored"]),
    ];
    let expected = [("legal_requests".to_owned(), 2), ("webhooks".to_owned(), 0)];
    assert_eq!(recording::made(&run(&calls).journal), BTreeMap::from(expected));
}

#[test]
fn a_creation_that_is_looked_for_needs_no_second_one() {
    let lost = struck(2, "create", 201, "commit_then_fail");
    let looked = [call(1, "schema", 200), lost.clone(), call(3, "list", 200)];
    check("answer-lost", &made(run(&looked), 1), DrillEnd::Held);
    check("answer-lost", &made(run(&looked[..2]), 1), DrillEnd::Failed);
    check("answer-lost", &ended(made(run(&looked[..2]), 1), 1), DrillEnd::Held);
}

#[test]
fn what_was_not_met_is_not_reached_and_names_the_call() {
    let calls = [call(1, "token", 200), call(2, "list", 200)];
    let result = judge(drill("unavailable"), &calm_run(), &made(run(&calls), 1));
    assert_eq!(result.end, DrillEnd::NotReached);
    assert_eq!(result.why, format!("it would have needed {}", drill("unavailable").reach));
    assert!(result.met_by.is_empty());
}

#[test]
fn an_order_that_was_not_carried_out_is_not_reached() {
    let read = [call(1, "create", 201), call(2, "read", 200)];
    let with = |orders_done| DrillRecording { orders_done, ..run(&read) };
    check("declined", &with(0), DrillEnd::NotReached);
    check("declined", &with(1), DrillEnd::Held);
}

#[test]
fn deliveries_count_from_the_number_that_is_needed() {
    let with = |deliveries| DrillRecording { deliveries, ..made(run(&[call(1, "hook", 201)]), 1) };
    check("webhooks-again", &with(1), DrillEnd::NotReached);
    let mut deleted = with(1);
    let delivery =
        json!({ "id": 2, "event": "execution_complete", "state": "discarded", "attempts": [] });
    deleted.journal["worlds"][0]["deliveries"] = json!([delivery]);
    check("webhooks-again", &deleted, DrillEnd::NotApplicable);
    // That the client acted once does not show.
    check("webhooks-again", &with(2), DrillEnd::NotObservable);
    check("webhooks-again", &made(with(2), 2), DrillEnd::Failed);
    check("webhooks-late", &with(0), DrillEnd::NotReached);
    check("webhooks-late", &with(1), DrillEnd::Held);
}

#[test]
fn a_client_that_moves_the_clock_leaves_a_situation_of_time() {
    let with = |path: &str| {
        let mut recording =
            DrillRecording { deliveries: 1, ..made(run(&[call(1, "hook", 201)]), 1) };
        recording.journal["control"] =
            json!([{ "method": "POST", "path": path, "calls": 1, "refused": 0 }]);
        recording
    };
    check("webhooks-late", &with("/clock"), DrillEnd::NotReached);
    check("webhooks-late", &with("/sandboxes"), DrillEnd::Held);
    check("webhooks-early", &with("/clock"), DrillEnd::Held);
}

/// A client that only reacts to events still needs the known ones.
#[test]
fn no_drill_replaces_an_event() {
    let mut orders = table::all().iter().flat_map(|drill| &drill.orders);
    assert!(orders.all(|order| order.body.get("event").is_none()));
}

#[test]
fn what_the_calm_run_does_not_use_is_not_applicable() {
    let reader = run(&[call(1, "token", 200), call(2, "list", 200)]);
    let struck = run(&[struck(1, "create", 429, "status")]);
    let result = judge(drill("limited-creation"), &reader, &struck);
    assert_eq!(result.end, DrillEnd::NotApplicable, "{}", result.why);
    assert!(result.why.contains("create_legal_request"), "{}", result.why);
}

#[test]
fn trouble_of_ours_and_a_journal_with_holes_disturb() {
    let forgotten = |number: u64| {
        let mut recording = listed_again(200);
        recording.journal["worlds"][0]["forgotten"] = json!(number);
        recording
    };
    check("unavailable", &forgotten(0), DrillEnd::Held);
    check("unavailable", &forgotten(1), DrillEnd::Disturbed);
    let trouble = DrillRecording { trouble: Some("no mock".to_owned()), ..listed_again(200) };
    check("unavailable", &trouble, DrillEnd::Disturbed);
    let result = judge(drill("unavailable"), &trouble, &listed_again(200));
    assert_eq!(result.end, DrillEnd::Disturbed);
}

#[test]
fn a_token_for_another_host_fails_and_names_its_rule() {
    let sent = run(&[struck(1, "list", 307, "redirect")]);
    check("redirected", &sent, DrillEnd::Held);
    let trusted = DrillRecording { credentials_sent_elsewhere: 1, ..sent };
    let result = judge(drill("redirected"), &calm_run(), &trusted);
    assert_eq!(result.end, DrillEnd::Failed);
    let rules: Vec<&str> = result.findings.iter().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules, ["token-to-stranger"]);
}

/// A call at a real time, in microseconds.
fn at(mut call: Value, connection: u64, began_us: u64, ended_us: u64) -> Value {
    call["wire"] = json!({ "connection": connection, "number": 1, "began_us": began_us,
        "ended_us": ended_us, "client_left": false });
    call
}

/// Two seconds were asked for.
fn limited(pause_us: u64) -> DrillRecording {
    let mut refused = struck(1, "list", 429, "status");
    refused["response"] = json!({ "retry_after_seconds": 2 });
    let again = 1_000 + pause_us;
    let calls = [at(refused, 1, 0, 1_000), at(call(2, "list", 200), 1, again, again + 1_000)];
    made(run(&calls), 1)
}

#[test]
fn of_waiting_only_being_too_early_fails() {
    check("limited", &limited(500_000), DrillEnd::Failed);
    check("limited", &limited(2_000_000), DrillEnd::Held);
    check("limited", &limited(50_000_000), DrillEnd::Held);
}

#[test]
fn a_probe_shows_how_often_the_client_acted() {
    let acted = |times: &[u64]| {
        let ids = (1..).map(|number: u32| format!("r{number}"));
        Some(ProbeReplies { acted: ids.zip(times.iter().copied()).collect(), trouble: None })
    };
    let failed =
        Some(ProbeReplies { trouble: Some("it ended".to_owned()), ..ProbeReplies::default() });
    for (calmly, here, expected) in [
        (acted(&[1]), acted(&[0]), DrillEnd::Failed),
        (acted(&[1]), acted(&[1]), DrillEnd::Held),
        (acted(&[1]), acted(&[2]), DrillEnd::Failed),
        (acted(&[1]), acted(&[1, 2]), DrillEnd::Failed),
        (acted(&[2, 3]), acted(&[2]), DrillEnd::Held),
        // Without numbers of the calm run, once is expected.
        (acted(&[]), acted(&[1]), DrillEnd::Held),
        (acted(&[]), acted(&[2]), DrillEnd::Failed),
        (acted(&[1]), acted(&[]), DrillEnd::NotObservable),
        (acted(&[1]), failed, DrillEnd::NotObservable),
        (acted(&[1]), None, DrillEnd::NotObservable),
    ] {
        let calm = DrillRecording { probe: calmly.clone(), ..calm_run() };
        let run = made(run(&[call(1, "hook", 201)]), 1);
        let run = DrillRecording { deliveries: 2, probe: here.clone(), ..run };
        let result = judge(drill("webhooks-again"), &calm, &run);
        assert_eq!(result.end, expected, "{calmly:?} {here:?}: {}", result.why);
    }
}

/// A run with one delivery.
fn delivered(state: &str, status: Option<u16>, is_forged: bool) -> DrillRecording {
    let attempts: Vec<Value> = status.into_iter().map(|it| json!({ "status": it })).collect();
    let mut recording = made(run(&[call(1, "hook", 201)]), 1);
    recording.journal["worlds"][0]["deliveries"] = json!([{ "id": 1, "event": "execution_complete",
        "state": state, "attempts": attempts, "forged": is_forged }]);
    recording.deliveries = answered_deliveries(&recording.journal).count();
    recording
}

#[test]
fn a_forged_delivery_must_be_refused() {
    for (status, is_forged, expected) in [
        (Some(199), true, DrillEnd::Held),
        (Some(200), true, DrillEnd::Failed),
        (Some(299), true, DrillEnd::Failed),
        (Some(300), true, DrillEnd::Held),
        (Some(401), true, DrillEnd::Held),
        (None, true, DrillEnd::NotReached),
        (Some(200), false, DrillEnd::NotReached),
    ] {
        check("webhooks-forged", &delivered("delivered", status, is_forged), expected);
    }
}

#[test]
fn webhooks_are_lost_where_one_waits_and_one_came_in_the_calm_run() {
    let calm = |deliveries| DrillRecording { deliveries, ..calm_run() };
    for (calm, run, expected) in [
        (calm(1), delivered("queued", None, false), DrillEnd::Held),
        (calm(0), delivered("queued", None, false), DrillEnd::NotReached),
        (calm(1), delivered("queued", Some(500), false), DrillEnd::NotReached),
        (calm(1), delivered("failed", None, false), DrillEnd::NotReached),
        // The client deleted its webhook at the end.
        (calm(1), delivered("discarded", None, false), DrillEnd::Held),
    ] {
        let result = judge(drill("webhooks-lost"), &calm, &run);
        assert_eq!(result.end, expected, "{}", result.why);
    }
}

#[test]
fn a_client_that_ends_before_a_late_event_met_it() {
    let calm = |deliveries| DrillRecording { deliveries, ..calm_run() };
    for (calm, run, expected) in [
        (calm(1), ended(delivered("queued", None, false), 1), DrillEnd::Failed),
        (calm(1), ended(delivered("discarded", None, false), 1), DrillEnd::Failed),
        (calm(1), delivered("discarded", None, false), DrillEnd::Held),
        (calm(0), delivered("discarded", None, false), DrillEnd::NotReached),
        (calm(0), ended(delivered("queued", None, false), 1), DrillEnd::NotReached),
        (calm(1), ended(run(&[call(1, "hook", 201)]), 1), DrillEnd::NotReached),
    ] {
        let result = judge(drill("webhooks-late"), &calm, &run);
        assert_eq!(result.end, expected, "{}", result.why);
    }
}

#[test]
fn each_task_of_a_client_may_try_to_get_a_token() {
    let on = |mut call: Value, connection: u64| {
        call["wire"] = json!({ "connection": connection, "number": 1, "began_us": 1, "ended_us": 2,
                               "client_left": false });
        call
    };
    let calm = |connections: &[u64]| {
        run(&(1..)
            .zip(connections)
            .map(|(n, it)| on(call(n, "list", 200), *it))
            .collect::<Vec<_>>())
    };
    let mut refused = on(call(1, "token", 401), 1);
    refused["problem"] = json!("invalid_client");
    refused["decision"] = json!("token");
    let tries = |count: usize| ended(run(&vec![refused.clone(); count]), 1);
    let check = |calm: &DrillRecording, count: usize, expected: DrillEnd| {
        let with_orders = DrillRecording { orders_done: 2, ..tries(count) };
        assert_eq!(judge(drill("secret-revoked"), calm, &with_orders).end, expected);
    };
    check(&calm(&[1, 1]), 3, DrillEnd::Held);
    check(&calm(&[1, 1]), 4, DrillEnd::Failed);
    check(&calm(&[1, 1, 2, 2]), 6, DrillEnd::Held);
    check(&calm(&[1, 1, 2, 2]), 7, DrillEnd::Failed);
    // A connection for each call shows no task.
    check(&calm(&[1, 2, 3, 4]), 4, DrillEnd::Failed);
}

#[test]
fn a_client_with_a_timeout_that_repeats_nothing_gives_up() {
    let result =
        judge(drill("stalled"), &calm_run(), &ended(run(&[struck(1, "list", 500, "stall")]), 1));
    assert_eq!(result.end, DrillEnd::Failed);
    let rules: Vec<&str> = result.findings.iter().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules, ["gives-up"]);
}

#[test]
fn nothing_is_sent_to_a_service_with_a_wrong_certificate() {
    let calm = |is_tls| DrillRecording { is_tls, ..calm_run() };
    let tried = |connections| DrillRecording { connections, ..run(&[]) };
    let sent = DrillRecording { connections: 1, ..run(&[call(1, "token", 200)]) };
    for (calm, run, expected) in [
        (calm(true), ended(tried(1), 1), DrillEnd::Held),
        (calm(true), tried(1), DrillEnd::Failed),
        (calm(true), ended(tried(0), 1), DrillEnd::NotReached),
        (calm(true), ended(sent, 1), DrillEnd::Failed),
        (
            calm(true),
            DrillRecording { is_timed_out: true, exit_code: None, ..tried(1) },
            DrillEnd::Failed,
        ),
        (calm(false), DrillRecording::default(), DrillEnd::NotApplicable),
    ] {
        let result = judge(drill("wrong-certificate"), &calm, &run);
        assert_eq!(result.end, expected, "{}", result.why);
    }
}
