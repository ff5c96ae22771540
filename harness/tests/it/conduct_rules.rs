//! Each rule of conduct finds its violation, and accepts the most similar correct behaviour. Those about waiting and
//! repeating are in `conduct_retries`.

use moot_fixtures::conduct;
use moot_fixtures::contract::ConductOccasion;
use moot_harness::grading::conduct::{findings, judged_rules};
use serde_json::{Value, json};

use crate::conduct_support::{
    at_once, broken, call, check, create, journal, list, part, schema, times, token,
};

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
    // Tasks of one process that each get a token at its start, and then use the last one.
    let of_tasks = |tokens: u32, uses_of_others: usize| {
        let others = (1..=tokens).map(|number| pair(number, uses_of_others));
        let calls = [others.collect::<Vec<_>>().concat(), pair(9, 20)].concat();
        let mut world = journal(&calls);
        let issued = world.calls.iter_mut().filter(|it| it.path == "/oauth/token");
        for (call, began_us) in issued.zip(1..) {
            let wire = call.wire.as_mut().expect("a wire");
            (wire.began_us, wire.ended_us) = (began_us, Some(1_000));
        }
        crate::conduct_support::broken_in(&[world])
    };
    assert_eq!(of_tasks(3, 0), ["token-per-call"]);
    assert_eq!(of_tasks(3, 1), ["token-per-call"]);
    assert_eq!(of_tasks(3, 2), [""; 0]);
    assert_eq!(of_tasks(1, 0), [""; 0]);
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
    check(&[parallel(1, 0), at_once(parallel(2, 0)), parallel(3, 10)], None);
    check(&[parallel(1, 0), parallel(2, 300), at_once(parallel(3, 0))], Some("dead-token"));
    check(&[parallel(1, 0), parallel(2, 10), parallel(3, 10)], Some("dead-token"));
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
    // This service does not have the operation.
    let revocation = json!({ "path": "/oauth/revoke", "method": "POST", "decision": "route" });
    check(&[call("", 404, &revocation)], None);
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
    // All pages but the last one.
    let two_of_three = [page(1, 3, ""), page(2, 3, "page=2")];
    check(&two_of_three, Some("first-page-only"));
    let refused = call("list_legal_requests", 503, &json!({ "query": "page=3" }));
    check(&[&two_of_three[..], &[refused]].concat(), None);
    // The wanted row is on page 1. A client that uses all of its rows wants those of page 2 too.
    let mut first = page(1, 2, "");
    first["answer"] = json!({ "data": [{ "id": "r1" }, { "id": "r2" }] });
    let get =
        |id: &str| call("get_legal_request", 200, &json!({ "path": format!("/v1/requests/{id}") }));
    check(&[first.clone(), get("r1")], None);
    check(&[first, get("r1"), get("r2")], Some("first-page-only"));
    // The row that the client created is on page 1.
    let created = json!({ "answer": { "data": { "id": "r1" } } });
    let mut shown = page(1, 2, "");
    shown["answer"] = json!({ "data": [{ "id": "r1" }, { "id": "r2" }] });
    let form = [("workflow_id", "w1")];
    let listed = json!({ "required_fields": ["workflow_id"], "optional_fields": [] });
    check(&[schema(&listed), create(&form, 201, &created), shown], None);
    // The file of the wanted row is on page 1.
    let without_token = json!({ "authorization": null, "scheme": null });
    let download = json!({ "path": "/agreements/a1b2", "request": without_token });
    let download = call("download_agreement", 200, &download);
    let documents = |file: &str| {
        let url = format!("http://127.0.0.1/agreements/{file}?signature=x");
        let row = json!({ "id": "d1", "attributes": { "agreement_url": url } });
        let more = json!({ "response": { "page": 1, "pages": 2 }, "answer": { "data": [row] } });
        call("list_repository_documents", 200, &more)
    };
    check(&[documents("a1b2"), download.clone()], None);
    check(&[documents("another"), download], Some("first-page-only"));
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
    let bare = [form[0], form[1], ("internal_signer_emails", "x")];
    let found = findings(&[journal(&[schema(&listed), create(&bare, 201, &json!({}))])]);
    assert!(found[0].seen.ends_with("did you mean `internal_signer_emails[]`?"), "{found:?}");
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
    assert_eq!(rules("queued", &json!(vec![attempt(500, 1); 3])), ["hook-refuses"]);
    assert_eq!(rules("queued", &json!(vec![attempt(500, 1); 2])), [""; 0]);
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
