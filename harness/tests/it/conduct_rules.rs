//! Each rule of conduct finds its violation, and accepts the most similar correct behaviour.

use std::collections::BTreeSet;

use moot_fixtures::conduct;
use moot_fixtures::contract::ConductOccasion;
use moot_harness::grading::conduct::{Account, findings, judged_rules};
use serde_json::{Value, json};

use crate::conduct_support::{broken, call, check, journal};

fn times(count: usize, one: &Value) -> Vec<Value> {
    vec![one.clone(); count]
}

fn list(more: &Value) -> Value {
    call("list_legal_requests", 200, more)
}

fn token(more: &Value) -> Value {
    call("create_access_token", 200, more)
}

fn part(name: &str, text: &str) -> Value {
    json!({ "name": name, "length": text.len(), "text": text })
}

fn create(parts: &[(&str, &str)], status: u16, more: &Value) -> Value {
    let parts: Vec<Value> = parts.iter().map(|(name, text)| part(name, text)).collect();
    let mut one = call("create_legal_request", status, more);
    one["request"]["parts"] = parts.into();
    one
}

fn schema(more: &Value) -> Value {
    let path = json!({ "path": "/v1/workflows/w1/schema", "answer": more });
    call("get_workflow_schema", 200, &path)
}

#[test]
fn the_functions_are_those_of_the_register() {
    let of_traffic = conduct::all().iter().filter(|rule| rule.seen == ConductOccasion::Traffic);
    let registered: Vec<&str> = of_traffic.map(|rule| rule.id.as_str()).collect();
    assert_eq!(judged_rules().collect::<Vec<_>>(), registered);
}

#[test]
fn a_sound_client_breaks_no_rule() {
    check(&[], None);
    let row = json!({ "answer": { "access_token": "fingerprint:1", "scope": "read" } });
    check(&[token(&row), list(&json!({})), list(&json!({}))], None);
}

#[test]
fn tokens_are_sent_in_one_right_way() {
    let bare = json!({ "problem": "invalid_token", "request": { "authorization": null, "credentials": 0, "scheme": null } });
    let without = call("list_legal_requests", 401, &bare);
    check(std::slice::from_ref(&without), Some("no-token"));
    check(&[without.clone(), token(&json!({})), list(&json!({}))], None);
    let wrong = call("list_legal_requests", 401, &json!({ "problem": "invalid_token" }));
    check(&times(2, &wrong), None);
    check(&times(3, &wrong), Some("no-token"));
    let expected = call(
        "list_legal_requests",
        401,
        &json!({ "problem": "invalid_token", "request": { "expects_refusal": true } }),
    );
    check(&times(3, &expected), None);
    let query = json!({ "query": "access_token=fingerprint:1", "request": { "authorization": null, "credentials": 0 } });
    check(&[list(&query)], Some("token-in-address"));
    check(&[list(&json!({ "query": "access_token=fingerprint:1" }))], Some("two-token-ways"));
    check(&[list(&json!({ "request": { "credentials": 2 } }))], Some("two-token-ways"));
    check(&[list(&json!({ "query": "page=1" }))], None);
}

#[test]
fn token_requests_are_forms_with_the_secret_in_one_place() {
    let query =
        json!({ "query": "grant_type=client_credentials&client_id=a&client_secret=fingerprint:2" });
    check(&[token(&query)], Some("secret-in-address"));
    let both = json!({ "request": { "scheme": "basic", "text": "client_id=a&client_secret=fingerprint:2" } });
    check(&[token(&both)], Some("two-client-ways"));
    check(&[token(&json!({ "request": { "scheme": "basic" } }))], None);
    check(&[token(&json!({ "request": { "scheme": "bearer" } }))], Some("token-call-form"));
    let json = json!({ "request": { "content_type": "application/json" } });
    check(&[token(&json)], Some("token-call-form"));
    let charset = "application/x-www-form-urlencoded; charset=utf-8";
    check(&[token(&json!({ "request": { "content_type": charset } }))], None);
    let refused = call("create_access_token", 401, &json!({ "problem": "invalid_client" }));
    check(&times(3, &refused), None);
    check(&times(4, &refused), Some("token-endpoint-hammered"));
}

#[test]
fn a_token_is_kept_while_it_is_valid() {
    let pair = |number: u32, uses: usize| {
        let print = format!("fingerprint:{number}");
        let issued = token(&json!({ "answer": { "access_token": print, "scope": "read" } }));
        let used = list(&json!({ "request": { "authorization": print } }));
        [vec![issued], times(uses, &used)].concat()
    };
    let row = |uses: usize| [pair(1, uses), pair(2, uses), pair(3, uses)].concat();
    check(&row(1), Some("token-per-call"));
    check(&row(2), None);
    check(&[pair(1, 1), pair(2, 1)].concat(), None);
    // A client that forgets its token in one call, and gets a new one after the refusal.
    let bare = json!({ "problem": "invalid_token", "request": { "authorization": null, "credentials": 0, "scheme": null } });
    let forgot = [
        call("get_workflow_schema", 401, &bare),
        token(&json!({ "answer": { "access_token": "fingerprint:9" } })),
    ];
    check(&[vec![list(&json!({}))], vec![forgot; 3].concat()].concat(), Some("no-token"));
}

#[test]
fn a_dead_token_is_renewed() {
    let dead = call("list_legal_requests", 401, &json!({ "problem": "token_expired" }));
    check(&times(3, &dead), Some("dead-token"));
    check(&times(2, &dead), None);
    // These were sent before the first response was written.
    let parallel = |connection: u64, after_ms: u64| {
        let more =
            json!({ "problem": "token_expired", "connection": connection, "after_ms": after_ms });
        call("list_legal_requests", 401, &more)
    };
    check(&[parallel(1, 0), parallel(2, 10), parallel(3, 10)], None);
    check(&[parallel(1, 0), parallel(2, 300), parallel(3, 10)], Some("dead-token"));
    // These waited for the only connection.
    let queued = |path: &str, after_ms: u64| {
        let more = json!({ "problem": "token_expired", "path": path, "after_ms": after_ms });
        call("get_legal_request", 401, &more)
    };
    check(&[queued("/a", 0), queued("/b", 1), queued("/c", 1)], None);
    check(&[queued("/a", 0), queued("/b", 1_000), queued("/c", 1)], Some("dead-token"));
    check(&times(3, &queued("/a", 1)), Some("dead-token"));
    check(&[queued("/a", 0), queued("/b", 1_000), queued("/c", 1_000)], Some("dead-token"));
    let renewed =
        |print: &str| token(&json!({ "answer": { "access_token": print, "scope": "read" } }));
    let again = |path: &str, print: &str| {
        let more = json!({ "path": path, "request": { "authorization": print } });
        call("get_legal_request", 200, &more)
    };
    // Each of three tasks sends the old token once, and then the one that the first of them has got.
    let first = [queued("/a", 0), renewed("fingerprint:2"), again("/a", "fingerprint:2")];
    let later = |path: &str| [queued(path, 1_000), again(path, "fingerprint:2")];
    check(&[&first[..], &later("/b"), &later("/c")].concat(), None);
    // A client that does not keep its new token.
    let forgotten =
        |path: &str, print: &str| [queued(path, 1_000), renewed(print), again(path, print)];
    let calls = [
        forgotten("/a", "fingerprint:2"),
        forgotten("/b", "fingerprint:3"),
        forgotten("/c", "fingerprint:4"),
    ];
    assert!(broken(&calls.concat()).contains(&"dead-token".to_owned()));
}

#[test]
fn scopes_are_those_that_are_used() {
    let wide =
        token(&json!({ "answer": { "access_token": "fingerprint:1", "scope": "read write" } }));
    let calls = |count| [vec![wide.clone()], times(count, &list(&json!({})))].concat();
    check(&calls(10), Some("wide-scope"));
    check(&calls(9), None);
    check(&[calls(10), vec![create(&[], 201, &json!({}))]].concat(), None);
    let forbidden = call("delete_webhook", 403, &json!({ "problem": "insufficient_scope" }));
    check(&times(3, &forbidden), Some("forbidden-repeated"));
    check(&times(2, &forbidden), None);
    // Each of three creations is tried once.
    let other = |file: &str| {
        let problem = json!({ "problem": "insufficient_scope" });
        create(&[("file", file)], 403, &problem)
    };
    check(&["x", "y", "z"].map(other), None);
    let mut by_fault = other("x");
    by_fault["fault"] = "status".into();
    by_fault["decision"] = "served".into();
    check(&times(3, &by_fault), Some("forbidden-repeated"));
}

#[test]
fn a_download_gets_no_token_unasked() {
    let with = call("download_agreement", 200, &json!({ "path": "/agreements/a" }));
    let bare =
        json!({ "path": "/agreements/a", "request": { "authorization": null, "scheme": null } });
    check(std::slice::from_ref(&with), Some("token-to-download"));
    check(&[call("download_agreement", 200, &bare)], None);
    check(&[call("download_agreement", 401, &bare), with], None);
}

#[test]
fn a_client_waits_for_retry_after() {
    let limit = |connection: u64, after_ms: u64| {
        let more = json!({ "connection": connection, "after_ms": after_ms, "response": { "retry_after_seconds": 2 } });
        call("list_legal_requests", 429, &more)
    };
    let next = |connection: u64, after_ms: u64| {
        list(&json!({ "connection": connection, "after_ms": after_ms }))
    };
    check(&[limit(1, 0), next(1, 1_900)], Some("impatient-retry"));
    let mut expected = limit(1, 0);
    expected["request"]["expects_refusal"] = true.into();
    check(&[expected, next(1, 1_900)], None);
    check(&[limit(1, 0), next(1, 1_950)], None);
    check(&[limit(1, 0), next(1, 2_100)], None);
    // It was sent before the response, on another connection.
    check(&[limit(1, 0), limit(2, 1)], None);
    check(&[limit(1, 0), limit(2, 300)], Some("impatient-retry"));
    let mut of_another_process = limit(2, 300);
    of_another_process["request"]["authorization"] = "fingerprint:2".into();
    let again = limit(1, 1_800);
    check(&[limit(1, 0), of_another_process.clone(), again], None);
    // The same process, with a new token and a new connection for each try.
    check(&[limit(1, 0), of_another_process], Some("impatient-retry"));
    // Of two processes with the same token, the refused one asks again in time.
    check(&[next(2, 0), limit(1, 0), next(2, 300), next(1, 1_800)], None);
    check(&[next(2, 0), limit(1, 0), next(2, 300)], Some("impatient-retry"));
    // Of two threads with two connections, the other one gets the connection of the refused one.
    let threads = [next(2, 0), next(2, 0), limit(1, 0), next(1, 300), next(1, 1_800)];
    check(&threads, None);
    check(&threads[2..], Some("impatient-retry"));
    // A new connection for each try.
    check(&[limit(1, 0), next(2, 300), next(3, 1_800)], Some("impatient-retry"));
    // Of two processes that ask for a token, the refused one asks again in time.
    let token = |connection: u64, after_ms: u64, status: u16| {
        let seconds = (status == 429).then_some(2);
        let more = json!({ "connection": connection, "after_ms": after_ms, "response": { "retry_after_seconds": seconds } });
        call("create_access_token", status, &more)
    };
    let (refused, of_other) = (token(1, 0, 429), token(2, 500, 200));
    check(&[refused.clone(), of_other.clone(), token(1, 1_600, 200)], None);
    check(&[refused.clone(), of_other], Some("impatient-retry"));
    check(&[refused, token(1, 500, 200), token(1, 1_600, 200)], Some("impatient-retry"));
    // Another thread does not know the response.
    let other = call("list_workflows", 200, &json!({ "connection": 2, "path": "/v1/workflows" }));
    check(&[limit(1, 0), other], None);
    let mut same = call("list_workflows", 200, &json!({ "path": "/v1/workflows" }));
    check(&[limit(1, 0), same.clone()], Some("impatient-retry"));
    // It waited for the connection.
    let mut queued = same.clone();
    queued["after_ms"] = 20.into();
    check(&[limit(1, 0), queued], None);
    check(&[limit(1, 0), next(1, 20)], Some("impatient-retry"));
    same["request"]["user_agent"] = "other/1".into();
    check(&[limit(1, 0), same], None);
}

#[test]
fn tries_have_pauses_and_an_end() {
    let busy = |after_ms: u64| call("list_legal_requests", 503, &json!({ "after_ms": after_ms }));
    check(&times(4, &busy(100)), Some("no-back-off"));
    check(&times(3, &busy(100)), None);
    check(&times(4, &busy(167)), None);
    check(&times(6, &busy(1_000)), Some("retry-storm"));
    check(&times(5, &busy(1_000)), None);
    check(&times(6, &busy(10_000)), None);
    // Each try comes after the time that the service named.
    let mut told = call("list_legal_requests", 429, &json!({ "after_ms": 2_100 }));
    told["response"]["retry_after_seconds"] = 2.into();
    check(&times(6, &told), None);
    let mut of_another_process = busy(1_000);
    of_another_process["request"]["authorization"] = "fingerprint:2".into();
    check(&vec![[busy(1_000), of_another_process]; 3].concat(), None);
    // The same process, with a new token for each try.
    let with_token = |token: usize, after_ms: u64| {
        let mut call = busy(after_ms);
        call["request"]["authorization"] = format!("fingerprint:{token}").into();
        call
    };
    let tries: Vec<Value> = (0..6).map(|number| with_token(number, 1_000)).collect();
    check(&tries, Some("retry-storm"));
    check(&tries[..5], None);
    // Three processes, one after the other.
    let tries: Vec<Value> = (0..9).map(|number| with_token(number / 3, 100)).collect();
    check(&tries, None);
}

#[test]
fn a_refused_call_is_not_repeated_unchanged() {
    let refused = create(&[("file", "x")], 422, &json!({ "detail": "no" }));
    check(&times(3, &refused), Some("refused-repeated"));
    check(&times(2, &refused), None);
    let other = create(&[("file", "y")], 422, &json!({ "detail": "no" }));
    check(&[times(2, &refused), times(2, &other)].concat(), None);
    // The service did not read these bodies, so they may differ.
    let json = json!({ "path": "/v1/requests", "detail": "no",
                       "request": { "content_type": "application/json", "length": 9 } });
    check(&times(3, &call("create_legal_request", 415, &json)), None);
}

#[test]
fn a_lost_creation_is_looked_for() {
    let lost = create(&[("file", "x")], 504, &json!({ "fault": "commit_then_fail" }));
    let again = create(&[("file", "x")], 201, &json!({}));
    check(&[lost.clone(), again.clone()], Some("blind-repeat"));
    // After a reset, a client with one connection opens a new one immediately.
    let mut soon = again.clone();
    soon["connection"] = 2.into();
    soon["after_ms"] = 1.into();
    check(&[lost.clone(), soon.clone()], Some("blind-repeat"));
    // A client with several connections may have sent both at the same time.
    let mut beside = list(&json!({ "connection": 2 }));
    beside["status"] = 500.into();
    check(&[beside, lost.clone(), soon], None);
    check(&[lost.clone(), list(&json!({})), again.clone()], None);
    check(&[lost.clone(), create(&[("file", "y")], 201, &json!({}))], None);
    check(&times(3, &again), Some("creation-repeated"));
    check(&times(2, &again), None);
    check(&[times(2, &again), vec![list(&json!({}))], times(2, &again)].concat(), None);
    // Each of two threads repeats its creation.
    let of_other_thread = create(&[("file", "y")], 201, &json!({ "connection": 2 }));
    check(&vec![[again.clone(), of_other_thread]; 3].concat(), Some("creation-repeated"));
    // Three threads create the same at the same time.
    let at_once = |connection: u64| {
        create(&[("file", "x")], 201, &json!({ "connection": connection, "after_ms": 0 }))
    };
    check(&[1, 2, 3].map(at_once), None);
    let upload = |digest: &str| {
        let file =
            json!([{ "name": "file", "file_name": "scan.pdf", "length": 9, "digest": digest }]);
        call("create_repository_document", 201, &json!({ "request": { "parts": file } }))
    };
    check(&times(3, &upload("fingerprint:1")), Some("creation-repeated"));
    check(&["fingerprint:1", "fingerprint:2", "fingerprint:3"].map(upload), None);
}

#[test]
fn a_repeated_upload_is_complete() {
    let upload = |status: u16, length: u64| {
        let file = json!([{ "name": "file", "file_name": "a.pdf", "length": length }]);
        call("create_repository_document", status, &json!({ "request": { "parts": file } }))
    };
    let looked = call("list_repository_documents", 200, &json!({}));
    check(&[upload(503, 9), looked.clone(), upload(201, 0)], Some("emptied-repeat"));
    check(&[upload(503, 9), looked.clone(), upload(201, 9)], None);
    for status in [401, 429] {
        check(&[upload(status, 9), looked.clone(), upload(201, 0)], Some("emptied-repeat"));
        // Another file with the same name.
        check(&[upload(status, 9), looked.clone(), upload(201, 8)], None);
    }
    check(&[upload(422, 9), looked, upload(201, 0)], None);
}

#[test]
fn an_idempotency_key_is_not_relied_on() {
    let keyed = |key: &str, file: &str| {
        create(&[("file", file)], 201, &json!({ "request": { "idempotency_key": key } }))
    };
    check(&[keyed("k1", "x"), keyed("k1", "y")], Some("trusts-idempotency-key"));
    check(&[keyed("k1", "x"), keyed("k2", "y")], None);
    let lost = create(&[("file", "x")], 504, &json!({ "request": { "idempotency_key": "k1" } }));
    let looked = list(&json!({}));
    check(&[lost, looked, keyed("k1", "x")], Some("trusts-idempotency-key"));
    // The service did not process the first one.
    let key = json!({ "request": { "idempotency_key": "k1" } });
    for status in [401, 429] {
        check(&[create(&[("file", "x")], status, &key), keyed("k1", "x")], None);
    }
}

#[test]
fn an_address_sends_600_calls_a_minute() {
    // Each call takes a millisecond in addition to its pause.
    let calls = |count, after_ms: u64| times(count, &list(&json!({ "after_ms": after_ms })));
    check(&calls(600, 10), None);
    check(&calls(601, 10), Some("over-the-limit"));
    check(&calls(601, 99), None);
}

#[test]
fn ids_addresses_and_parameters_are_those_of_the_service() {
    let unknown =
        |id: &str| call("get_legal_request", 404, &json!({ "path": format!("/v1/requests/{id}") }));
    check(&[unknown("a"), unknown("b"), unknown("c")], Some("reads-id-shape"));
    check(&[unknown("a"), unknown("b")], None);
    let named = list(&json!({ "answer": { "data": [{ "id": "c" }] } }));
    check(&[named, unknown("a"), unknown("b"), unknown("c")], None);
    let path = |path: &str| call("", 404, &json!({ "path": path, "decision": "route" }));
    check(&[path("/v1/request")], Some("unknown-address"));
    check(&[path("/requests")], Some("unknown-address"));
    check(&[path("/v1/requests/8pWwLkl0/activity_log")], Some("unknown-address"));
    check(&[path("/requests/a1/activity")], Some("unknown-address"));
    check(&[path("/favicon.ico")], None);
    // A right address with a method of HTTP itself.
    for method in ["HEAD", "OPTIONS"] {
        let asked = json!({ "path": "/v1/requests", "method": method, "decision": "route" });
        check(&[call("", 405, &asked)], None);
    }
    let found = findings(&[journal(&[path("/requests/a1"), path("/requests/b2")])]);
    assert_eq!((found.len(), found[0].times), (1, 2));
    for (sent, right) in [
        ("/v1/workflows/", "GET /v1/workflows"),
        ("//v1/workflows", "GET /v1/workflows"),
        ("/v1/requests&page=2", "GET /v1/requests?page=2"),
        ("/v1/requests%3Fpage=2", "GET /v1/requests?page=2"),
        ("/v1/requests/a1/", "GET /v1/requests/{id}"),
    ] {
        let found = findings(&[journal(&[path(sent)])]);
        assert_eq!(found[0].seen, format!("GET {sent}; did you mean `{right}`?"));
    }
    let found = findings(&[journal(&[list(&json!({ "query": "state=signed&page=1" }))])]);
    assert_eq!(found[0].rule, "unknown-parameter");
    assert!(found[0].seen.ends_with("did you mean `status`?"), "{}", found[0].seen);
    check(&[list(&json!({ "query": "status=signed" }))], None);
    check(
        &[token(&json!({ "query": "grant_type=client_credentials" }))],
        Some("unknown-parameter"),
    );
}

#[test]
fn lists_are_read_to_their_end() {
    let page = |page: u64, pages: u64, query: &str| {
        list(&json!({ "query": query, "response": { "page": page, "pages": pages } }))
    };
    check(&[page(1, 2, "")], Some("first-page-only"));
    check(&[page(1, 2, ""), page(2, 2, "page=2")], None);
    check(&[page(1, 1, "")], None);
    // Page 2 was requested.
    let refused = call("list_legal_requests", 503, &json!({ "query": "page=2" }));
    check(&[page(1, 2, ""), refused], None);
    // The wanted row is on page 1.
    let mut first = page(1, 2, "");
    first["answer"] = json!({ "data": [{ "id": "r1" }] });
    let get = call("get_legal_request", 200, &json!({ "path": "/v1/requests/r1" }));
    check(&[first, get], None);
    let walk = [page(1, 2, ""), page(2, 2, "page=2"), page(3, 2, "page=3")];
    check(&walk, None);
    check(&[&walk[..], &[page(4, 2, "page=4")]].concat(), Some("past-the-end"));
}

#[test]
fn polling_is_slow_and_ends() {
    let look = |status: &str, after_ms: u64| {
        let body = json!({ "data": { "id": "r1", "attributes": { "status": status } } });
        let more = json!({ "path": "/v1/requests/r1", "answer": body, "after_ms": after_ms });
        call("get_legal_request", 200, &more)
    };
    check(&times(10, &look("draft", 4_998)), Some("polls-fast"));
    check(&times(9, &look("draft", 10)), None);
    check(&times(10, &look("draft", 5_000)), None);
    // Two processes, each with its own token.
    let mut of_another_process = look("draft", 2_500);
    of_another_process["request"]["authorization"] = "fingerprint:2".into();
    let in_turn = [look("draft", 2_500), of_another_process];
    check(&vec![in_turn; 10].concat(), None);
    // A client reads the schema before each creation.
    let read = schema(&json!({ "required_fields": ["workflow_id"], "optional_fields": [] }));
    check(&times(10, &read), None);
    let dead = look("declined", 6_000);
    check(&times(6, &dead), Some("polls-the-dead"));
    check(&times(5, &dead), None);
    let mut dead_for_another = dead.clone();
    dead_for_another["request"]["authorization"] = "fingerprint:2".into();
    check(&[times(4, &dead), times(4, &dead_for_another)].concat(), None);
    check(&times(6, &look("archived", 6_000)), None);
}

#[test]
fn a_request_is_created_by_its_schema() {
    let form = [("workflow_id", "w1"), ("counterparty_email", "a@b.example")];
    let listed =
        json!({ "required_fields": ["workflow_id", "counterparty_email"], "optional_fields": [] });
    check(&[schema(&listed), create(&form, 201, &json!({}))], None);
    check(&[create(&form, 201, &json!({}))], Some("schema-unread"));
    check(&[create(&form, 404, &json!({}))], None);
    let other = json!({ "required_fields": ["workflow_id"], "optional_fields": [] });
    check(&[schema(&other), create(&form, 201, &json!({}))], Some("field-not-listed"));
    let refused: Vec<Value> =
        (0..3).map(|n| create(&form, 422, &json!({ "detail": format!("{n}") }))).collect();
    check(&[&[schema(&other)], &refused[..]].concat(), Some("field-not-listed"));
    check(&[&[schema(&other)], &refused[..2]].concat(), None);
    let missing = json!({ "data": { "required_fields": ["file"], "optional_fields": [] } });
    check(&[schema(&missing), create(&form[..1], 201, &json!({}))], Some("field-not-listed"));
    let extra = [form[0], form[1], ("counterparty_mail", "x")];
    check(&[schema(&listed), create(&extra, 201, &json!({}))], Some("unknown-field"));
}

#[test]
fn signers_and_workflows_are_those_on_offer() {
    let offer = json!({
        "required_fields": ["workflow_id", "internal_signer_email"], "optional_fields": [],
        "fields_properties": { "internal_signer_email": { "properties": { "options": ["s@b.example"] } } },
    });
    let form = |signer| [("workflow_id", "w1"), ("internal_signer_email", signer)];
    check(&[schema(&offer), create(&form("s@b.example"), 201, &json!({}))], None);
    check(
        &[schema(&offer), create(&form("t@b.example"), 201, &json!({}))],
        Some("signer-not-offered"),
    );
    let workflow = |status: &str| {
        let row = json!({ "id": "w1", "type": "workflow", "attributes": { "status": status } });
        call(
            "list_workflows",
            200,
            &json!({ "path": "/v1/workflows", "answer": { "data": [row] } }),
        )
    };
    let read = schema(&json!({ "required_fields": [], "optional_fields": [] }));
    let used = create(&[("workflow_id", "w1")], 201, &json!({}));
    check(&[workflow("unpublished"), read.clone(), used.clone()], Some("unpublished-used"));
    check(&[workflow("published"), read, used], None);
}

#[test]
fn json_fields_hold_objects() {
    let upload = |metadata: &str| {
        let mut one = call("create_repository_document", 201, &json!({}));
        one["request"]["parts"] = json!([part("metadata", metadata)]);
        one
    };
    check(&[upload("{'a': 1}")], Some("bad-json-field"));
    check(&[upload("[1]")], Some("bad-json-field"));
    check(&[upload(r#"{"a": 1}"#)], None);
}

#[test]
fn connections_are_kept_and_clients_have_names() {
    let on = |connection: u64| list(&json!({ "connection": connection }));
    let apart: Vec<Value> = (1..=21).map(on).collect();
    check(&apart, Some("connection-per-call"));
    check(&apart[..20], None);
    let kept: Vec<Value> = (1..=21).map(|n| on(n / 2)).collect();
    check(&kept, None);
    let nameless = list(&json!({ "request": { "user_agent": null } }));
    check(&times(3, &nameless), Some("nameless"));
    check(&times(2, &nameless), None);
    check(&[times(3, &nameless), vec![list(&json!({}))]].concat(), None);
}

#[test]
fn receivers_answer_soon_and_well() {
    let rules = |state: &str, attempts: &Value| {
        let mut world = journal(&[]);
        let delivery = json!([{ "id": 1, "event": "execution_complete", "state": state, "attempts": attempts }]);
        world.deliveries = serde_json::from_value(delivery).expect("deliveries");
        crate::conduct_support::broken_in(&[world])
    };
    let attempt =
        |status: u16, milliseconds: u64| json!({ "status": status, "milliseconds": milliseconds });
    assert_eq!(rules("delivered", &json!([attempt(200, 10_001)])), ["hook-slow"]);
    assert_eq!(rules("delivered", &json!([attempt(200, 10_000)])), [""; 0]);
    assert_eq!(rules("queued", &json!([attempt(404, 1)])), ["hook-refuses"]);
    assert_eq!(rules("delivered", &json!([attempt(503, 1), attempt(200, 1)])), [""; 0]);
    assert_eq!(rules("failed", &json!([attempt(503, 1)])), ["hook-refuses"]);
    assert_eq!(rules("failed", &json!([{ "error": "refused" }])), [""; 0]);
    assert_eq!(rules("queued", &json!([attempt(301, 1)])), ["hook-redirects"]);
    // A receiver that accepts nothing, although the mock would still try again.
    let many = |statuses: &[u16]| {
        let mut world = journal(&[]);
        let of_status = |status: &u16| {
            json!({ "id": 1, "event": "execution_complete", "state": "queued",
                    "attempts": [attempt(*status, 1)] })
        };
        let deliveries: Vec<Value> = statuses.iter().map(of_status).collect();
        world.deliveries = serde_json::from_value(deliveries.into()).expect("deliveries");
        crate::conduct_support::broken_in(&[world])
    };
    assert_eq!(many(&[500, 503, 500]), ["hook-refuses"]);
    assert_eq!(many(&[500, 500]), [""; 0]);
    assert_eq!(many(&[500, 500, 500, 200]), [""; 0]);
    let forged = json!([{ "id": 1, "event": "execution_complete", "state": "failed", "forged": true,
                          "attempts": [attempt(401, 1)] }]);
    let mut world = journal(&[]);
    world.deliveries = serde_json::from_value(forged).expect("deliveries");
    assert_eq!(crate::conduct_support::broken_in(&[world]), [""; 0]);
    let hook = |auth_type: &str| {
        let body = json!({ "data": { "attributes": { "auth_type": auth_type } } });
        call("create_webhook", 201, &json!({ "answer": body }))
    };
    check(&[hook("none")], Some("hook-open"));
    check(&[hook("bearer")], None);
}

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
