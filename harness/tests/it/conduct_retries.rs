//! The rules of conduct about waiting and repeating find their violations, and accept the most similar correct
//! behaviour.

use serde_json::{Value, json};

use crate::conduct_support::{at_once, call, check, create, list, times};

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
    // It was sent before the response, or soon after it by a client with calls at the same time, on another connection.
    let of_two_tasks = [next(8, 0), at_once(next(9, 0)), limit(1, 3_000)];
    check(&[limit(1, 0), at_once(limit(2, 0))], None);
    check(&[&of_two_tasks[..], &[limit(2, 249)]].concat(), None);
    check(&[&of_two_tasks[..], &[limit(2, 250)]].concat(), Some("impatient-retry"));
    check(&[limit(1, 0), limit(2, 1)], Some("impatient-retry"));
    // A call that the client gave up goes on in the service, but is not one at the same time.
    let refused_twice = [at_once(limit(2, 0)), limit(3, 1)];
    let given_up = list(&json!({ "connection": 1, "client_left": true }));
    check(&[&[next(1, 0)], &refused_twice[..]].concat(), None);
    check(&[&[given_up], &refused_twice[..]].concat(), Some("impatient-retry"));
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
    check(&[beside.clone(), at_once(lost.clone()), soon.clone()], None);
    check(&[beside.clone(), lost.clone(), soon.clone()], None);
    soon["connection"] = 3.into();
    check(&[beside, lost.clone(), soon], Some("blind-repeat"));
    check(&[lost.clone(), list(&json!({})), again.clone()], None);
    check(&[lost.clone(), create(&[("file", "y")], 201, &json!({}))], None);
    check(&times(3, &again), Some("creation-repeated"));
    check(&times(2, &again), None);
    check(&[times(2, &again), vec![list(&json!({}))], times(2, &again)].concat(), None);
    // Each of two threads repeats its creation.
    let of_other_thread = create(&[("file", "y")], 201, &json!({ "connection": 2 }));
    check(&vec![[again.clone(), of_other_thread]; 3].concat(), Some("creation-repeated"));
    // Three threads create the same at the same time.
    let of_thread =
        |connection: u64| create(&[("file", "x")], 201, &json!({ "connection": connection }));
    check(&[of_thread(1), at_once(of_thread(2)), at_once(of_thread(3))], None);
    check(&[1, 2, 3].map(of_thread), Some("creation-repeated"));
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
