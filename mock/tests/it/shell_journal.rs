//! The journal through the control plane: filters, waiting, the archive, and no secret in any.

use moot_mock::shell::{ServeLimits, Site};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, admin, call, client, form, request, send, served, site, token,
};

async fn exchanges(site: &Site, query: &str) -> Vec<Value> {
    let line = format!("GET /exchanges{query}");
    let found = admin(site, BASE, &line, Value::Null).await.ok().json();
    found["exchanges"].as_array().expect("a list").clone()
}

/// A list, a refusal, a creation with a file, and a path that is none.
async fn conversation(site: &Site) -> String {
    let token = token(site, BASE, MAIN).await;
    call(site, &format!("GET {BASE}/v1/requests?page=1"), &token).await.ok();
    let reader = self::token(site, BASE, "demo-reader").await;
    let line = format!("POST {BASE}/v1/requests");
    send(site, request(&line, &reader, Some(form(LEGAL_REQUEST)))).await;
    let file = form(&["file@terms.txt=Twelve bytes"]);
    let line = format!("POST {BASE}/v1/repository_documents");
    send(site, request(&line, &token, Some(file))).await.ok();
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
    for (query, says) in [
        ("?operation=list_request", "there is no operation"),
        ("?status=6xx", "such as 422 or 4xx"),
        ("?sinse=1", "did you mean `since`?"),
    ] {
        let answer = admin(&site, BASE, &format!("GET /exchanges{query}"), Value::Null).await;
        assert!(answer.text("/detail").contains(says), "{query}: {answer:?}");
    }
}

#[tokio::test]
async fn a_refusal_says_how_far_it_came_and_what_would_have_worked() {
    let site = site();
    conversation(&site).await;
    let refused = &exchanges(&site, "?status=403").await[0];
    assert_eq!(refused["decision"], json!("scope"));
    assert_eq!(refused["passed"], json!(["limit", "route", "token"]));
    assert_eq!(refused["detail"], json!("This call needs a token with scope `write`."));
    assert_eq!(refused["changes"], json!([]));
}

#[tokio::test]
async fn a_form_is_shown_by_its_parts_and_a_call_by_what_it_changed() {
    let site = site();
    conversation(&site).await;
    let stored = &exchanges(&site, "?operation=create_repository_document").await[0];
    let parts = json!([{
        "name": "file", "file_name": "terms.txt", "content_type": null, "length": 12,
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
    let har = admin(&site, BASE, "GET /exchanges/har", Value::Null).await.ok().json().to_string();
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
    let har = admin(&site, BASE, line, Value::Null).await.ok().json();
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
    client.get(format!("{url}/v1/requests")).send().await.expect("an answer");
    client.get(format!("{url}/v1/webhooks")).send().await.expect("an answer");
    let found = waiting.await.expect("no panic").expect("an answer");
    let found: Value = found.json().await.expect("JSON");
    assert_eq!(found["exchanges"][0]["operation"], json!("list_webhooks"), "{found}");

    let since = found["exchanges"][0]["serial"].clone();
    let wait = json!({ "since": since, "timeout_seconds": 0 });
    let answer = admin(&site, BASE, "POST /exchanges/wait", wait).await;
    assert_eq!(answer.status, 408, "{answer:?}");
    let wait = json!({ "timeout_seconds": 61 });
    assert_eq!(admin(&site, BASE, "POST /exchanges/wait", wait).await.status, 422);
}
