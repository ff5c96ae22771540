//! The journal on the control plane: filters, waiting, the archive, and no secrets.

use moot_mock::shell::{ServeLimits, Site};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, admin, call, client, create, done, form, request, send, served,
    site, site_with_token, token, upload,
};

async fn exchanges(site: &Site, query: &str) -> Vec<Value> {
    let line = format!("GET /exchanges{query}");
    let found = done(site, &line, Value::Null).await;
    found["exchanges"].as_array().expect("a list").clone()
}

/// A list, a refusal, a creation with a file, and an unknown path.
async fn conversation(site: &Site) -> String {
    let token = token(site, BASE, MAIN).await;
    call(site, &format!("GET {BASE}/v1/requests?page=1"), &token).await.ok();
    let reader = self::token(site, BASE, "demo-reader").await;
    create(site, BASE, &reader).await;
    upload(site, BASE, &token, &["file@terms.txt=Twelve bytes"]).await.ok();
    call(site, &format!("GET {BASE}/nowhere?client_secret=hidden-words"), &token).await;
    token
}

#[tokio::test]
async fn exchanges_are_filtered() {
    let site = site();
    conversation(&site).await;
    let serials = async |query: &str| -> Vec<u64> {
        let found = exchanges(&site, query).await;
        found.iter().map(|one| one["serial"].as_u64().expect("a number")).collect()
    };
    let all = serials("").await;
    assert_eq!(all.len(), 4);
    assert_eq!(serials("?operation=list_legal_requests").await, all[..1]);
    assert_eq!(serials("?status=403").await, all[1..2]);
    assert_eq!(serials("?status=4xx").await, [all[1], all[3]]);
    assert_eq!(serials("?application=demo-reader").await, all[1..2]);
    assert_eq!(serials(&format!("?since={}", all[1])).await, all[2..]);
    assert_eq!(serials("?status=2xx&limit=1").await, all[2..3]);
    assert_eq!(serials("?method=post").await, all[1..3]);
    assert_eq!(serials("?path=/v1/requests").await, all[..2]);
    assert_eq!(serials("?path=/v1/*&method=POST&status=2xx").await, all[2..3]);
    assert_eq!(serials("?path=*where").await, all[3..]);
    for (query, count) in
        [("", 4), ("?status=4xx", 2), ("?path=/none", 0), ("?status=4xx&limit=1", 2)]
    {
        let line = format!("GET /exchanges{query}");
        let found = done(&site, &line, Value::Null).await;
        assert_eq!(found["count"], json!(count), "{query}");
    }
    let counted = admin(&site, BASE, "GET /exchanges/count?method=POST", Value::Null).await;
    assert_eq!(counted.ok().json(), json!({ "count": 2 }));
    for (query, says) in [
        ("?path=v1", "/v1/requests/*"),
        ("?operation=list_request", "there is no operation"),
        ("?status=6xx", "such as 422 or 4xx"),
        ("?sinse=1", "did you mean `since`?"),
    ] {
        let response = admin(&site, BASE, &format!("GET /exchanges{query}"), Value::Null).await;
        assert!(response.text("/detail").contains(says), "{query}: {response:?}");
    }
}

#[tokio::test]
async fn a_refusal_has_its_rule_and_advice() {
    let site = site();
    conversation(&site).await;
    let refused = &exchanges(&site, "?status=403").await[0];
    assert_eq!(refused["decision"], json!("scope"));
    assert_eq!(refused["passed"], json!(["limit", "route", "token"]));
    let detail = refused["detail"].as_str().expect("a refusal says why");
    assert!(detail.starts_with("This call needs a token with scope `write`. ("), "{detail}");
    assert_eq!(refused["changes"], json!([]));
}

#[tokio::test]
async fn a_form_is_shown_by_its_parts_and_a_call_by_its_changes() {
    let site = site();
    conversation(&site).await;
    let stored = &exchanges(&site, "?operation=create_repository_document").await[0];
    let digest = stored["request"]["parts"][0]["digest"].clone();
    assert!(digest.as_str().is_some_and(|it| it.starts_with("fingerprint:")), "{stored}");
    let parts = json!([{
        "name": "file", "file_name": "terms.txt", "content_type": null, "length": 12,
        "text": null, "digest": digest,
    }]);
    assert_eq!(stored["request"]["parts"], parts);
    let changes = stored["changes"].as_array().expect("a list");
    assert!(changes[0].as_str().is_some_and(|line| line.starts_with("document ")), "{stored}");
    assert_eq!(stored["passed"].as_array().map(Vec::len), Some(7));
}

#[tokio::test]
async fn secrets_are_fingerprints() {
    let site = site();
    let token = conversation(&site).await;
    call(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok();
    let all = exchanges(&site, "?application=demo-main").await;
    let prints: Vec<&Value> = all.iter().map(|one| &one["request"]["authorization"]).collect();
    assert!(prints.len() >= 3 && prints.iter().all(|print| **print == *prints[0]), "{prints:?}");
    assert!(prints[0].as_str().is_some_and(|print| print.starts_with("fingerprint:")));
    let har = done(&site, "GET /exchanges/har", Value::Null).await.to_string();
    let all = Value::from(exchanges(&site, "").await).to_string();
    for text in [har, all] {
        assert!(!text.contains(&token) && !text.contains("hidden-words"), "{text}");
    }
}

#[tokio::test]
async fn the_journal_is_an_http_archive_too() {
    let site = site();
    conversation(&site).await;
    let line = "GET /exchanges/har?operation=create_repository_document";
    let har = done(&site, line, Value::Null).await;
    assert_eq!(har["log"]["version"], json!("1.2"));
    let entries = har["log"]["entries"].as_array().expect("a list");
    assert_eq!(entries.len(), 1);
    let entry = &entries[0];
    let members = ["startedDateTime", "time", "request", "response", "cache", "timings"];
    assert!(members.iter().all(|member| entry.get(member).is_some()), "{entry}");
    assert_eq!(entry["request"]["url"], json!("http://moot.test/api/v1/repository_documents"));
    assert_eq!(entry["request"]["postData"]["params"][0]["fileName"], json!("terms.txt"));
    assert!(entry["response"]["status"].as_u64().is_some_and(|status| status < 300), "{entry}");
}

#[tokio::test]
async fn a_call_is_waited_for_through_the_socket() {
    let site = site();
    let served = served(&site, ServeLimits::default()).await;
    let url = format!("http://{}{BASE}", served.address);
    let client = client().build().expect("a client");
    let wait = json!({ "operation": "list_webhooks", "status": "401", "timeout_seconds": 30 });
    let waiting = client
        .post(format!("{url}/__admin/exchanges/wait"))
        .header("host", "moot.test")
        .body(wait.to_string());
    let waiting = tokio::spawn(waiting.send());
    client.get(format!("{url}/v1/requests")).send().await.expect("a response");
    admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
    client.get(format!("{url}/v1/webhooks")).send().await.expect("a response");
    let found = waiting.await.expect("no panic").expect("a response");
    let found: Value = found.json().await.expect("JSON");
    assert_eq!(found["exchanges"][0]["operation"], json!("list_webhooks"), "{found}");

    let since = found["exchanges"][0]["serial"].clone();
    let wait = json!({ "since": since, "timeout_seconds": 0 });
    let response = admin(&site, BASE, "POST /exchanges/wait", wait).await;
    assert_eq!(response.status, 408, "{response:?}");
    let wait = json!({ "timeout_seconds": 61 });
    assert_eq!(admin(&site, BASE, "POST /exchanges/wait", wait).await.status, 422);
}

/// Every kind of refusal, with its rule and a word of its advice.
#[tokio::test]
async fn every_refusal_has_advice() {
    let site = site();
    let main = token(&site, BASE, MAIN).await;
    let reader = token(&site, BASE, "demo-reader").await;
    let other = token(&site, BASE, "other-main").await;
    let old = json!({ "client_id": MAIN, "age_seconds": 7200 });
    let old = admin(&site, BASE, "POST /tokens", old).await.ok().text("/access_token");
    let revoked = token(&site, BASE, MAIN).await;
    let asked = json!({ "token": revoked });
    admin(&site, BASE, "POST /tokens/revoke", asked).await.ok();
    let list = call(&site, &format!("GET {BASE}/v1/requests"), &main).await.ok();
    let foreign = format!("GET {BASE}/v1/requests/{}", list.text("/data/0/id"));
    let create = format!("POST {BASE}/v1/requests");
    let get = format!("GET {BASE}/v1/requests");
    let stranger = ["workflow_id=wfMutualNda1", "requester_email=nobody@northwind.example"];
    let unknown_workflow = ["workflow_id=nope", "requester_email=requester@northwind.example"];
    let no_body: &[&str] = &[];
    for (line, token, body, decision, status, says) in [
        (get.as_str(), "", None, "token", 401, "Authorization: Bearer"),
        (&get, "nonsense", None, "token", 401, "token"),
        (&get, &old, None, "token", 401, "expired"),
        (&get, &revoked, None, "token", 401, "revoked"),
        (&create, &reader, Some(LEGAL_REQUEST), "scope", 403, "`write`"),
        (&format!("GET {BASE}/v1/nowhere"), &main, None, "route", 404, "path"),
        (&format!("PUT {BASE}/v1/requests"), &main, None, "route", 405, "GET"),
        (&format!("GET {BASE}/v1/requests/nope"), &main, None, "existence", 404, "nope"),
        (&foreign, &other, None, "existence", 404, "company"),
        (&format!("GET {BASE}/v1/requests?page=0"), &main, None, "body", 400, "page"),
        (&format!("GET {BASE}/v1/requests?status=x"), &main, None, "body", 400, "status"),
        (&create, &main, Some(no_body), "body", 400, "workflow_id"),
        (&create, &main, Some(&unknown_workflow), "rule", 404, "workflow"),
        (&create, &main, Some(&stranger), "rule", 422, "requester_email"),
    ] {
        let body = body.map(form);
        let response = send(&site, request(line, token, body)).await;
        assert_eq!(response.status, status, "{line}: {response:?}");
        let all = exchanges(&site, "").await;
        let last = all.last().expect("the call");
        assert_eq!(last["decision"], json!(decision), "{line}: {last}");
        let detail = last["detail"].as_str().expect("a refusal says why");
        assert!(detail.contains(says), "{line}: {detail}");
    }
    let limit = json!({ "mode": "enforce", "exhaust": "all" });
    admin(&site, BASE, "PUT /rate_limit", limit).await.ok();
    assert_eq!(call(&site, &get, &main).await.status, 429);
    let all = exchanges(&site, "?status=429").await;
    assert_eq!(all[0]["decision"], json!("limit"));
    assert_eq!(all[0]["operation"], json!("list_legal_requests"), "{}", all[0]);
    assert!(all[0]["response"]["retry_after_seconds"].as_u64().is_some(), "{}", all[0]);
}

/// A member, and whether its value is of its type.
type Member = (&'static str, fn(&Value) -> bool);

/// The required members of HAR 1.2, and their types.
#[tokio::test]
async fn the_archive_has_the_shape_of_har() {
    let site = site();
    conversation(&site).await;
    let har = done(&site, "GET /exchanges/har", Value::Null).await;
    let check = |value: &Value, members: &[Member]| {
        for (name, is_sound) in members {
            assert!(value.get(name).is_some_and(is_sound), "{name}: {value}");
        }
    };
    let log = &har["log"];
    check(log, &[("version", Value::is_string), ("entries", Value::is_array)]);
    check(&log["creator"], &[("name", Value::is_string), ("version", Value::is_string)]);
    for entry in log["entries"].as_array().expect("a list") {
        let started = entry["startedDateTime"].as_str().expect("a time");
        assert!(started.parse::<jiff::Timestamp>().is_ok(), "{started}");
        check(entry, &[("time", Value::is_number), ("cache", Value::is_object)]);
        for timing in ["send", "wait", "receive"] {
            assert!(entry["timings"][timing].as_f64().is_some_and(|time| time >= 0.0), "{entry}");
        }
        for side in ["request", "response"] {
            check(
                &entry[side],
                &[
                    ("httpVersion", Value::is_string),
                    ("cookies", Value::is_array),
                    ("headers", Value::is_array),
                    ("headersSize", Value::is_i64),
                    ("bodySize", Value::is_i64),
                ],
            );
            for header in entry[side]["headers"].as_array().expect("a list") {
                check(header, &[("name", Value::is_string), ("value", Value::is_string)]);
            }
        }
        let request: [Member; 3] = [
            ("method", Value::is_string),
            ("url", Value::is_string),
            ("queryString", Value::is_array),
        ];
        check(&entry["request"], &request);
        if let Some(sent) = entry["request"].get("postData") {
            check(sent, &[("mimeType", Value::is_string)]);
            let is_told = |name: &str| sent.get(name).is_some();
            assert!(is_told("text") != is_told("params"), "one of both: {sent}");
        }
        let response: [Member; 3] = [
            ("status", Value::is_u64),
            ("statusText", Value::is_string),
            ("redirectURL", Value::is_string),
        ];
        check(&entry["response"], &response);
        let content: [Member; 2] = [("size", Value::is_i64), ("mimeType", Value::is_string)];
        check(&entry["response"]["content"], &content);
    }
}

/// The filter `delivery` finds the call that queued a delivery. Waiting for a delivery works through the socket.
#[tokio::test]
async fn calls_are_found_by_their_delivery() {
    let (site, token) = site_with_token().await;
    let progression = json!({ "progression": "immediate" });
    admin(&site, BASE, "PUT /settings", progression).await.ok();
    let made = create(&site, BASE, &token).await.ok();
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let url = format!("http://{}{BASE}/__admin", served.address);
    let wanted = json!({ "legal_request_id": made.text("/data/id"), "timeout_seconds": 5 });
    let waiting = client.post(format!("{url}/deliveries/wait")).body(wanted.to_string());
    let found: Value = serde_json::from_slice(
        &waiting.send().await.expect("a response").bytes().await.expect("a body"),
    )
    .expect("JSON");
    let id = found["deliveries"][0]["id"].as_u64().expect("an id");
    let calls = exchanges(&site, &format!("?delivery={id}")).await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0]["operation"], json!("create_legal_request"));
    assert!(calls[0]["deliveries"].as_array().is_some_and(|all| all.contains(&json!(id))));
    assert_eq!(exchanges(&site, "?delivery=999999").await.len(), 0);
    let none = json!({ "event": "none", "timeout_seconds": 0 });
    let response = admin(&site, BASE, "POST /deliveries/wait", none).await;
    assert_eq!(response.status, 408, "{response:?}");
    assert!(response.json()["deliveries"].as_array().is_some_and(|all| !all.is_empty()));
    let wrong = admin(&site, BASE, "GET /deliveries?state=deliverd", Value::Null).await;
    assert!(wrong.text("/detail").contains("did you mean `delivered`?"), "{wrong:?}");
}

#[tokio::test]
async fn a_wait_that_timed_out_shows_the_nearest_miss() {
    let site = site();
    conversation(&site).await;
    let wait = async |json: Value| admin(&site, BASE, "POST /exchanges/wait", json).await;
    let wanted = json!({ "path": "/v1/requests", "application": "demo-reader", "status": "201",
        "timeout_seconds": 0 });
    let response = wait(wanted).await;
    assert_eq!(response.status, 408, "{response:?}");
    let problem = response.json();
    assert_eq!(problem["count"], json!(0));
    let nearest = &problem["nearest_miss"];
    assert_eq!(nearest["differs_in"], json!(["status"]));
    assert_eq!(nearest["exchange"]["status"], json!(403));
    let three = wait(json!({ "status": "2xx", "count": 3, "timeout_seconds": 0 })).await;
    assert_eq!((three.status.as_u16(), &three.json()["count"]), (408, &json!(2)));
    let two = wait(json!({ "status": "2xx", "count": 2, "timeout_seconds": 0 })).await;
    assert_eq!(two.ok().json()["exchanges"].as_array().map(Vec::len), Some(2));
    admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
    let none = wait(json!({ "timeout_seconds": 0 })).await.json();
    assert_eq!(none["nearest_miss"], Value::Null);
}
