//! Faults on a real socket: the response to the client, the stored change, and the counts.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, SocketSite, admin, call, done, form, sandbox, site, token,
};

impl SocketSite {
    async fn list(&self) -> reqwest::Result<reqwest::Response> {
        self.client.get(self.url("/v1/requests")).bearer_auth(&self.token).send().await
    }

    async fn create(&self) -> reqwest::Result<reqwest::Response> {
        let (content_type, body) = form(LEGAL_REQUEST);
        let call = self.client.post(self.url("/v1/requests")).bearer_auth(&self.token);
        call.header("content-type", content_type).body(body).send().await
    }

    /// The number of legal requests of the company, read without any fault.
    async fn total(&self) -> u64 {
        let world = done(&self.site, "GET /world", Value::Null).await;
        let count = &world["companies"][0]["counts"]["legal_requests"];
        count.as_u64().expect("a count")
    }

    async fn hits(&self) -> Vec<u64> {
        let all = done(&self.site, "GET /faults", Value::Null).await;
        let all = all["faults"].as_array().expect("a list").clone();
        all.iter().map(|fault| fault["hits"].as_u64().expect("a count")).collect()
    }

    /// The kinds of faults in the journal, oldest first.
    async fn marked(&self) -> Vec<Value> {
        let all = done(&self.site, "GET /exchanges", Value::Null).await;
        let all = all["exchanges"].as_array().expect("a list").clone();
        all.iter().map(|exchange| exchange["fault"].clone()).collect()
    }
}

#[tokio::test]
async fn a_status_replaces_the_response_and_nothing_is_done() {
    let on_socket = SocketSite::new().await;
    let before = on_socket.total().await;
    on_socket
        .arm(json!({ "kind": "status", "operation": "create_legal_request", "status": 503,
            "retry_after_seconds": 7 }))
        .await;
    let response = on_socket.create().await.expect("a response");
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()["retry-after"], "7");
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let body: Value = response.json().await.expect("JSON");
    assert_eq!((&body["type"], &body["status"]), (&json!("service_unavailable"), &json!(503)));
    assert_eq!(on_socket.total().await, before);
    assert_eq!(on_socket.create().await.expect("a response").status(), 201);
    assert_eq!(on_socket.hits().await, [1]);
    assert_eq!(on_socket.marked().await, [json!("status"), Value::Null]);
}

/// The date in `Retry-After` is as far away as the journal says.
#[tokio::test]
async fn retry_after_can_be_a_date() {
    let on_socket = SocketSite::new().await;
    let date = json!({ "kind": "status", "status": 429, "retry_after_seconds": 60, "retry_after_date": true });
    on_socket.arm(date).await;
    let response = on_socket.create().await.expect("a response");
    let header = |name: &str| response.headers()[name].to_str().expect("a text").to_owned();
    let seconds = |name: &str| {
        let at = httpdate::parse_http_date(&header(name)).expect("an HTTP date");
        at.duration_since(std::time::SystemTime::UNIX_EPOCH).expect("after 1970").as_secs()
    };
    assert_eq!(seconds("retry-after") - seconds("date"), 61, "the next whole second");
    let all = done(&on_socket.site, "GET /exchanges", Value::Null).await;
    let shown = all["exchanges"][0]["response"]["retry_after_seconds"].as_u64().expect("a number");
    assert!((59..=60).contains(&shown), "{shown}");
    let alone = json!({ "kind": "status", "status": 429, "retry_after_date": true });
    let refused = admin(&on_socket.site, BASE, "POST /faults", alone).await;
    assert!(refused.status.is_client_error(), "a date of nothing: {refused:?}");
}

#[tokio::test]
async fn a_fault_applies_from_its_nth_call_for_its_number_of_calls() {
    let on_socket = SocketSite::new().await;
    let fault = json!({ "kind": "status", "status": 500, "nth": 2, "times": 2,
        "operation": "list_legal_requests", "application": MAIN, "client": "127.0.0.1" });
    on_socket.arm(fault).await;
    on_socket.create().await.expect("another operation");
    let other = token(&on_socket.site, BASE, "demo-reader").await;
    assert_eq!(call(&on_socket.site, "GET /api/v1/requests", &other).await.status, 200);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(on_socket.list().await.expect("a response").status().as_u16());
    }
    assert_eq!(statuses, [200, 500, 500, 200]);
    let shown = done(&on_socket.site, "GET /faults", Value::Null).await;
    let fault = &shown["faults"][0];
    assert_eq!(
        (&fault["matched"], &fault["hits"], &fault["spent"]),
        (&json!(4), &json!(2), &json!(true))
    );
}

#[tokio::test]
async fn a_response_is_delayed_or_its_body_is_slow() {
    let on_socket = SocketSite::new().await;
    for kind in ["delay", "slow_body"] {
        on_socket.arm(json!({ "kind": kind, "milliseconds": 300 })).await;
        let started = Instant::now();
        let response = on_socket.list().await.expect("a response");
        let headed = started.elapsed();
        let body: Value = response.json().await.expect("a whole body");
        assert!(body["data"].is_array(), "{body}");
        assert!(started.elapsed() >= Duration::from_millis(290), "{kind}");
        assert_eq!(headed >= Duration::from_millis(290), kind == "delay", "{kind}: {headed:?}");
    }
}

#[tokio::test]
async fn a_body_breaks_off_after_its_head_was_sent() {
    let on_socket = SocketSite::new().await;
    for kind in ["truncate", "reset_during"] {
        on_socket.arm(json!({ "kind": kind })).await;
        let mut response = on_socket.list().await.expect("the head");
        assert_eq!(response.status(), 200, "{kind}");
        let promised = response.content_length().expect("a length");
        let mut received = 0;
        let error = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => received += chunk.len() as u64,
                Ok(None) => panic!("{kind}: the body seemed whole"),
                Err(error) => break format!("{error:?}"),
            }
        };
        assert_eq!(received, promised / 2, "{kind}");
        assert_eq!(error.contains("ConnectionReset"), kind == "reset_during", "{kind}: {error}");
    }
    assert_eq!(on_socket.hits().await, [1, 1]);
}

#[tokio::test]
async fn a_reset_before_the_response_does_nothing_and_commit_then_fail_keeps_the_change() {
    let on_socket = SocketSite::new().await;
    for (fault, made) in
        [(json!({ "kind": "reset_before" }), 0), (json!({ "kind": "commit_then_fail" }), 1)]
    {
        let before = on_socket.total().await;
        on_socket.arm(fault.clone()).await;
        let error = format!("{:?}", on_socket.create().await.expect_err("no response"));
        assert!(error.contains("ConnectionReset"), "{fault}: {error}");
        assert_eq!(on_socket.total().await, before + made, "{fault}");
    }
    let before = on_socket.total().await;
    on_socket.arm(json!({ "kind": "commit_then_fail", "status": 504 })).await;
    assert_eq!(on_socket.create().await.expect("a response").status(), 504);
    assert_eq!(on_socket.total().await, before + 1);
    let kinds = ["reset_before", "commit_then_fail", "commit_then_fail"];
    assert_eq!(on_socket.marked().await, kinds.map(Value::from));
}

/// The change is stored, for every operation. A client that repeats the call finds it.
#[tokio::test]
async fn commit_then_fail_stores_the_change_of_every_operation() {
    let on_socket = SocketSite::new().await;
    let webhooks = async || -> Vec<String> {
        let list =
            on_socket.client.get(on_socket.url("/v1/webhooks")).bearer_auth(&on_socket.token);
        let list: Value = list.send().await.expect("a response").json().await.expect("JSON");
        let rows = list["data"].as_array().expect("a list").iter();
        rows.map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
    };
    let arm = async |operation: &str| {
        on_socket
            .arm(json!({ "kind": "commit_then_fail", "operation": operation, "status": 502 }))
            .await;
    };
    let before = webhooks().await;
    arm("create_webhook").await;
    let webhook = json!({ "name": "Mine", "url": "https://hooks.example/a", "auth_type": "none" });
    let call = on_socket.client.post(on_socket.url("/v1/webhooks")).bearer_auth(&on_socket.token);
    let call = call.header("content-type", "application/json").body(webhook.to_string());
    assert_eq!(call.send().await.expect("a response").status(), 502);
    let made = webhooks().await;
    let new: Vec<&String> = made.iter().filter(|id| !before.contains(id)).collect();
    assert_eq!(new.len(), 1, "it was made");

    arm("delete_webhook").await;
    let delete = || {
        let path = format!("/v1/webhooks/{}", new[0]);
        on_socket.client.delete(on_socket.url(&path)).bearer_auth(&on_socket.token).send()
    };
    assert_eq!(delete().await.expect("a response").status(), 502);
    assert_eq!(webhooks().await, before, "it is gone");
    assert_eq!(delete().await.expect("a response").status(), 404, "so repeating finds nothing");

    let documents = async || -> u64 {
        let world = done(&on_socket.site, "GET /world", Value::Null).await;
        let count = &world["companies"][0]["counts"]["repository_documents"];
        count.as_u64().unwrap_or_else(|| panic!("no count: {world}"))
    };
    let before = documents().await;
    arm("create_repository_document").await;
    let (kind, body) = form(&["file@notes.txt=Some text"]);
    let call = on_socket
        .client
        .post(on_socket.url("/v1/repository_documents"))
        .bearer_auth(&on_socket.token);
    let response = call.header("content-type", kind).body(body).send().await.expect("a response");
    assert_eq!(response.status(), 502);
    assert_eq!(documents().await, before + 1, "it was stored");
    assert_eq!(on_socket.hits().await, [1, 1, 1]);
}

/// All faults through the socket: each is counted, marked in the journal, and used up.
#[tokio::test]
async fn every_kind_strikes_once_is_counted_and_marked() {
    let on_socket = SocketSite::new().await;
    let faults = [
        json!({ "kind": "status", "status": 500 }),
        json!({ "kind": "delay", "milliseconds": 1 }),
        json!({ "kind": "slow_body", "milliseconds": 1 }),
        json!({ "kind": "truncate" }),
        json!({ "kind": "reset_before" }),
        json!({ "kind": "reset_during" }),
        json!({ "kind": "malformed_json" }),
        json!({ "kind": "wrong_content_type" }),
        json!({ "kind": "html_page" }),
        json!({ "kind": "missing_member", "member": "/data" }),
        json!({ "kind": "extra_member", "member": "/zz" }),
        json!({ "kind": "commit_then_fail" }),
    ];
    let whole = async || -> Option<Value> { on_socket.list().await.ok()?.json().await.ok() };
    let sound = whole().await.expect("a sound response");
    for fault in &faults {
        on_socket.arm(fault.clone()).await;
        // Of a delay only the time is visible, and of a content type only the header.
        let kind = fault["kind"].as_str().expect("a kind");
        let is_seen = !matches!(kind, "delay" | "slow_body" | "wrong_content_type");
        assert_eq!(whole().await != Some(sound.clone()), is_seen, "{fault}");
        assert_eq!(whole().await.as_ref(), Some(&sound), "{fault} is over");
    }
    assert_eq!(on_socket.hits().await, [1; 12]);
    let marked: Vec<Value> =
        on_socket.marked().await.into_iter().filter(|mark| !mark.is_null()).collect();
    let kinds: Vec<Value> = faults.iter().map(|fault| fault["kind"].clone()).collect();
    assert_eq!(marked, kinds);
}

#[tokio::test]
async fn the_json_of_a_response_is_damaged() {
    let on_socket = SocketSite::new().await;
    on_socket.arm(json!({ "kind": "malformed_json" })).await;
    let response = on_socket.list().await.expect("a response");
    let bytes = response.bytes().await.expect("a whole body");
    serde_json::from_slice::<Value>(&bytes).expect_err("broken off");

    on_socket.arm(json!({ "kind": "wrong_content_type" })).await;
    let response = on_socket.list().await.expect("a response");
    assert_eq!(response.headers()["content-type"], "text/html");

    let gateway = json!([{ "kind": "status", "status": 502 }, { "kind": "html_page" }]);
    on_socket.arm(json!({ "effects": gateway })).await;
    let response = on_socket.list().await.expect("a response");
    assert_eq!(response.status(), 502);
    assert_eq!(response.headers()["content-type"], "text/html");
    let page = response.text().await.expect("a whole body");
    assert!(page.starts_with("<html>"), "{page}");

    on_socket.arm(json!({ "kind": "missing_member", "member": "/data/0/id" })).await;
    let body: Value = on_socket.list().await.expect("a response").json().await.expect("JSON");
    assert!(body["data"][0].get("id").is_none() && body["data"][1].get("id").is_some());

    let extra = json!({ "kind": "extra_member", "member": "/data/0/zz", "value": { "a": [1] } });
    on_socket.arm(extra).await;
    let body: Value = on_socket.list().await.expect("a response").json().await.expect("JSON");
    assert_eq!(body["data"][0]["zz"], json!({ "a": [1] }));
    assert_eq!(on_socket.hits().await, [1, 1, 1, 1, 1]);
}

/// A fault is not counted if the response has no such value. It waits for a response that has one.
#[tokio::test]
async fn a_fault_without_effect_is_not_counted() {
    let on_socket = SocketSite::new().await;
    on_socket.arm(json!({ "kind": "missing_member", "member": "/data/attributes" })).await;
    assert_eq!(on_socket.list().await.expect("a response").status(), 200);
    assert_eq!(on_socket.hits().await, [0]);
    on_socket.create().await.expect("a response");
    assert_eq!(on_socket.hits().await, [1]);
    assert_eq!(on_socket.marked().await, [Value::Null, json!("missing_member")]);
    admin(&on_socket.site, BASE, "DELETE /faults", Value::Null).await.ok();
    assert!(on_socket.hits().await.is_empty());
}

#[tokio::test]
async fn a_fault_that_can_never_strike_is_refused() {
    let site = site();
    let check = async |fault: Value, status: u16, says: &str| {
        let response = admin(&site, BASE, "POST /faults", fault.clone()).await;
        assert_eq!(response.status, status, "{fault}: {response:?}");
        assert!(response.text("/detail").contains(says), "{fault}: {}", response.json());
    };
    check(json!({}), 400, "kind").await;
    check(json!({ "kind": "trunkate" }), 422, "did you mean `truncate`?").await;
    let operation = json!({ "kind": "truncate", "operation": "list_webhook" });
    check(operation, 422, "did you mean `list_webhooks`?").await;
    check(json!({ "kind": "truncate", "nth": 0 }), 422, "`nth` counts from 1").await;
    check(json!({ "kind": "truncate", "times": 0 }), 422, "`times` counts from 1").await;
    check(json!({ "kind": "truncate", "application": "nobody" }), 404, "nobody").await;
    check(json!({ "kind": "truncate", "status": 500 }), 422, "`status` has no meaning").await;
    check(json!({ "kind": "status" }), 422, "needs `status`").await;
    check(json!({ "kind": "status", "status": 200 }), 422, "400 to 599").await;
    check(json!({ "kind": "status", "status": 99 }), 422, "400 to 599").await;
    check(json!({ "kind": "delay" }), 422, "needs `milliseconds`").await;
    check(json!({ "kind": "delay", "milliseconds": 120_001 }), 422, "120000").await;
    check(json!({ "kind": "missing_member", "member": "data" }), 422, "JSON pointer").await;
    check(json!({ "kind": "commit_then_fail", "problem": "x" }), 422, "`problem`").await;
    let no_token = json!({ "kind": "truncate", "operation": "create_access_token",
        "application": MAIN });
    check(no_token, 422, "carry no token").await;
    let no_scope = json!({ "kind": "truncate", "operation": "create_legal_request",
        "application": "demo-reader" });
    check(no_scope, 422, "`demo-reader` cannot call `create_legal_request`").await;
    let shown = done(&site, "GET /faults", Value::Null).await;
    assert_eq!(shown, json!({ "faults": [] }));
}

#[tokio::test]
async fn faults_are_of_one_world_and_go_with_a_reset() {
    let on_socket = SocketSite::new().await;
    let (base, _) = sandbox(&on_socket.site, json!({})).await;
    let fault = json!({ "kind": "status", "status": 500, "times": 9 });
    admin(&on_socket.site, &base, "POST /faults", fault).await.ok();
    assert_eq!(on_socket.list().await.expect("a response").status(), 200);
    let token = token(&on_socket.site, &base, MAIN).await;
    let line = format!("GET {base}/v1/requests");
    assert_eq!(call(&on_socket.site, &line, &token).await.status, 500);
    admin(&on_socket.site, &base, "POST /reset", Value::Null).await.ok();
    assert_eq!(call(&on_socket.site, &line, &token).await.status, 200);
}

#[tokio::test]
async fn one_fault_is_disarmed_by_its_id() {
    let on_socket = SocketSite::new().await;
    for status in [500, 502] {
        on_socket.arm(json!({ "kind": "status", "status": status, "times": 9 })).await;
    }
    assert_eq!(on_socket.list().await.expect("a response").status(), 500);
    let left = done(&on_socket.site, "DELETE /faults/1", Value::Null).await;
    assert_eq!(left["faults"].as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(on_socket.list().await.expect("a response").status(), 502);
    for unknown in ["1", "x"] {
        let line = format!("DELETE /faults/{unknown}");
        assert_eq!(admin(&on_socket.site, BASE, &line, Value::Null).await.status, 404, "{unknown}");
    }
    admin(&on_socket.site, BASE, "DELETE /faults/2", Value::Null).await.ok();
    assert_eq!(on_socket.list().await.expect("a response").status(), 200);
}
