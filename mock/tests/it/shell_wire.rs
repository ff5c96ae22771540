//! The journal has the connection of each call, its begin and end in real time, and whether its client
//! disconnected.

use std::time::Duration;

use moot_mock::shell::{ServeLimits, Site};
use serde_json::{Value, json};

use crate::shell_support::{BASE, MAIN, admin, client, done, served, site, token};

/// The largest number of reads of an entry, until its response was written.
const LOOKS_MAX: usize = 500;

async fn exchanges(site: &Site) -> Vec<Value> {
    let path = "GET /exchanges?operation=list_legal_requests";
    let found = done(site, path, Value::Null).await;
    found["exchanges"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn calls_have_a_connection_and_real_times() {
    let site = site();
    let served = served(&site, ServeLimits::default()).await;
    let token = token(&site, BASE, MAIN).await;
    let url = format!("http://{}{BASE}/v1/requests", served.address);
    for _ in 0..2 {
        let client = client().user_agent("tests/1").build().expect("a client");
        for _ in 0..2 {
            let response = client.get(&url).bearer_auth(&token).header("Idempotency-Key", "k");
            response.send().await.expect("a response").bytes().await.expect("a body");
        }
    }
    let calls = exchanges(&site).await;
    let wire = |at: usize, member: &str| calls[at]["wire"][member].as_u64().expect("a number");
    let numbers: Vec<u64> = (0..4).map(|at| wire(at, "number")).collect();
    assert_eq!(numbers, [1, 2, 1, 2]);
    assert_eq!(wire(0, "connection"), wire(1, "connection"));
    assert!(wire(1, "connection") < wire(2, "connection"), "{calls:?}");
    for (at, call) in calls.iter().enumerate() {
        assert!(wire(at, "began_us") < wire(at, "ended_us"), "{call}");
        assert_eq!(call["wire"]["client_left"], json!(false));
    }
    assert!(wire(0, "ended_us") <= wire(1, "began_us"), "{calls:?}");
    let request = &calls[0]["request"];
    assert_eq!((&request["user_agent"], &request["scheme"]), (&json!("tests/1"), &json!("bearer")));
    assert_eq!(request["credentials"], json!(1));
    assert!(
        request["idempotency_key"].as_str().is_some_and(|key| !key.ends_with("k")),
        "{request}"
    );
}

#[tokio::test]
async fn the_journal_shows_that_a_client_disconnected() {
    let site = site();
    let served = served(&site, ServeLimits::default()).await;
    let token = token(&site, BASE, MAIN).await;
    let fault = json!({ "kind": "delay", "milliseconds": 200 });
    assert_eq!(admin(&site, BASE, "POST /faults", fault).await.status, 201);
    let client = client().timeout(Duration::from_millis(50)).build().expect("a client");
    let url = format!("http://{}{BASE}/v1/requests", served.address);
    client.get(url).bearer_auth(&token).send().await.expect_err("it left");
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    for _ in 0..LOOKS_MAX {
        looks.tick().await;
        if exchanges(&site).await[0]["wire"]["client_left"] == json!(true) {
            return;
        }
    }
    panic!("{:?}", exchanges(&site).await);
}
