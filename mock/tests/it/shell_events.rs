//! `GET /events`: the events for a reader, also after a disconnection and for a slow one. Also the routes that the
//! console calls beside it.

use std::time::Duration;

use moot_mock::shell::{ServeLimits, Site};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, MAIN, admin, call, client, create, done, register, request, send, served, sign, site,
    site_with_token, token,
};

/// Timeout of the tests.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// An event: its kind, its id and its data.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    kind: String,
    id: Option<u64>,
    data: Value,
}

fn events(text: &str) -> Vec<Event> {
    let field = |block: &str, name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    let blocks = text.split("\n\n").filter(|block| block.starts_with("event: "));
    blocks
        .map(|block| Event {
            kind: field(block, "event: ").expect("a kind"),
            id: field(block, "id: ").map(|id| id.parse().expect("a number")),
            data: serde_json::from_str(&field(block, "data: ").expect("data")).expect("JSON"),
        })
        .collect()
}

/// All events for a reader whose last event has this id.
async fn since(site: &Site, query: &str, last: &str) -> Vec<Event> {
    let mut request = request(&format!("GET {BASE}/__admin/events{query}"), "", None);
    if !last.is_empty() {
        request.headers_mut().insert("last-event-id", last.parse().expect("a value"));
    }
    let response = send(site, request).await.ok();
    events(&String::from_utf8_lossy(&response.body))
}

fn paths(events: &[Event]) -> Vec<&str> {
    events.iter().filter_map(|event| event.data["path"].as_str()).collect()
}

#[tokio::test]
async fn a_reader_gets_calls_changes_deliveries_the_clock_and_faults() {
    let (site, token) = site_with_token().await;
    let server = served(&site, ServeLimits::default()).await;
    let url = format!("http://{}{BASE}/__admin/events", server.address);
    let client = client().build().expect("a client");
    let mut reader = client.get(url).send().await.expect("a response");
    assert_eq!(reader.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    // The first event shows that the reader is connected.
    read_until(&mut reader, &mut text, &["hello"]).await;
    let hook = json!({ "name": "Own", "url": format!("http://moot.test{BASE}/__admin/receiver"),
        "auth_type": "bearer", "token": "receiver-token" });
    register(&site, BASE, &token, &hook).await.ok();
    let made = create(&site, BASE, &token).await.ok().text("/data/id");
    sign(&site, BASE, &made).await;
    admin(&site, BASE, "POST /clock", json!({ "advance_seconds": 60 })).await.ok();
    admin(&site, BASE, "POST /faults", json!({ "kind": "status", "status": 503 })).await.ok();
    let kinds = ["exchange", "change", "delivery", "clock", "fault"];
    read_until(&mut reader, &mut text, &kinds).await;
    admin(&site, BASE, "POST /reset", Value::Null).await.ok();
    read_until(&mut reader, &mut text, &["reset"]).await;
    let events = events(&text);
    assert!(paths(&events).contains(&"/v1/requests"), "{events:?}");
    let changed = events.iter().any(|event| event.data["legal_request_id"] == made.as_str());
    assert!(changed, "{events:?}");
}

/// Reads until each kind of event has come.
async fn read_until(reader: &mut reqwest::Response, text: &mut String, kinds: &[&str]) {
    let reading = async {
        while kinds.iter().any(|kind| !text.contains(&format!("event: {kind}\n"))) {
            let piece = reader.chunk().await.expect("the stream goes on").expect("more");
            text.push_str(&String::from_utf8_lossy(&piece));
        }
    };
    if tokio::time::timeout(WAIT_MAX, reading).await.is_err() {
        panic!("not all of {kinds:?} in {text}");
    }
}

#[tokio::test]
async fn a_stream_may_have_the_longest_timeout() {
    let site = site();
    let server = served(&site, ServeLimits::default()).await;
    let url =
        format!("http://{}{BASE}/__admin/events?timeout_seconds={}", server.address, u64::MAX);
    let client = client().build().expect("a client");
    let mut reader = client.get(url).send().await.expect("a response");
    read_until(&mut reader, &mut String::new(), &["hello"]).await;
}

#[tokio::test]
async fn a_reader_that_was_away_gets_the_missed_calls_once() {
    let site = site();
    for path in ["/v1/a", "/v1/b", "/v1/c"] {
        call(&site, &format!("GET {BASE}{path}"), "").await;
    }
    let all = since(&site, "", "0").await;
    assert_eq!(paths(&all), ["/v1/a", "/v1/b", "/v1/c"]);
    let ids: Vec<u64> = all.iter().filter_map(|event| event.id).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(paths(&since(&site, "", "2").await), ["/v1/c"]);
    assert!(paths(&since(&site, "", "3").await).is_empty());
    assert!(paths(&since(&site, "", "").await).is_empty(), "without an id only what is new");
    // An id of another process.
    assert!(paths(&since(&site, "", "99").await).is_empty());
    assert_eq!(paths(&since(&site, "?path=/v1/b", "0").await), ["/v1/b"]);
}

#[tokio::test]
async fn a_slow_reader_gets_the_number_of_lost_calls() {
    let site = site();
    for number in 0..130 {
        call(&site, &format!("GET {BASE}/v1/{number}"), "").await;
    }
    let events = since(&site, "", "0").await;
    let shown = paths(&events);
    assert_eq!((shown.first(), shown.last()), (Some(&"/v1/30"), Some(&"/v1/129")));
    let lost = events.iter().find(|event| event.kind == "lost").expect("an event `lost`");
    assert_eq!(lost.data, json!({ "lost": 30 }));
}

#[tokio::test]
async fn an_open_stream_does_not_delay_the_end_of_the_server() {
    let site = site();
    let server = served(&site, ServeLimits::default()).await;
    let url = format!("http://{}{BASE}/__admin/events", server.address);
    let mut reader = client().build().expect("a client").get(url).send().await.expect("a response");
    read_until(&mut reader, &mut String::new(), &["hello"]).await;
    let ended = tokio::time::timeout(Duration::from_secs(2), server.stop()).await;
    assert!(ended.is_ok(), "the server waits for the reader");
}

#[tokio::test]
async fn timers_are_listed_in_the_order_of_their_times() {
    let site = site();
    let none = done(&site, "GET /timers", Value::Null).await;
    let before = none["count"].as_u64().expect("a count");
    let token = token(&site, BASE, MAIN).await;
    admin(&site, BASE, "PUT /settings", json!({ "progression": "timed:3600" })).await.ok();
    let made = create(&site, BASE, &token).await.ok();
    let found = done(&site, "GET /timers", Value::Null).await;
    assert_eq!(found["count"], before + 1);
    let timers = found["timers"].as_array().expect("a list");
    let own = timers.iter().find(|timer| timer["id"] == made.text("/data/id").as_str());
    let own = own.expect("the step of the request");
    assert_eq!(own["in_seconds"], 3600);
    assert_eq!(own["kind"], "transition");
    assert_eq!(own["detail"], "draft -> initial_review");
    let times: Vec<&str> = timers.iter().filter_map(|timer| timer["at"].as_str()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let one = done(&site, "GET /timers?limit=1", Value::Null).await;
    assert_eq!(one["timers"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn legal_requests_are_listed_the_newest_first() {
    let site = site();
    let all = done(&site, "GET /legal_requests?limit=5", Value::Null).await;
    let rows = all["legal_requests"].as_array().expect("a list");
    assert_eq!(rows.len(), 5);
    assert!(all["count"].as_u64() > Some(5));
    let token = token(&site, BASE, MAIN).await;
    let made = create(&site, BASE, &token).await.ok();
    let drafts = admin(&site, BASE, "GET /legal_requests?status=draft", Value::Null).await.ok();
    assert_eq!(drafts.text("/legal_requests/0/id"), made.text("/data/id"));
    let statuses = drafts.json()["legal_requests"].as_array().cloned().unwrap_or_default();
    assert!(statuses.iter().all(|row| row["status"] == "draft"), "{statuses:?}");
    let wrong = admin(&site, BASE, "GET /legal_requests?status=done", Value::Null).await;
    assert_eq!(wrong.status, 422);
}

#[tokio::test]
async fn one_call_has_the_body_of_its_response_and_its_clause() {
    let (site, token) = site_with_token().await;
    call(&site, &format!("GET {BASE}/v1/requests/unknown0"), &token).await;
    let newest = done(&site, "GET /exchanges?limit=1", Value::Null).await;
    let serial = newest["exchanges"][0]["serial"].as_u64().expect("a number");
    let line = format!("GET /exchanges/{serial}");
    let one = admin(&site, BASE, &line, Value::Null).await.ok();
    assert_eq!(one.text("/section"), "4.7");
    assert_eq!(one.text("/application"), MAIN);
    let response: Value = serde_json::from_str(&one.text("/answer")).expect("JSON");
    assert_eq!(response["type"], "request_not_found");
    assert_eq!(admin(&site, BASE, "GET /exchanges/99999", Value::Null).await.status, 404);
}

/// The mock itself has no rules of conduct.
#[tokio::test]
async fn without_a_judge_there_are_no_findings() {
    let site = site();
    assert_eq!(admin(&site, BASE, "GET /findings", Value::Null).await.status, 404);
    let index = done(&site, "GET /", Value::Null).await.to_string();
    assert!(index.contains("/__admin/timers") && !index.contains("/__admin/findings"));
}
