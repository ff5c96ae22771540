//! Faults with several effects, on consecutive calls, and on paths without an operation, through the socket.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::shell_support::{BASE, SocketSite, admin, done, site};

/// The mock closes idle connections after 30 s. A connection that a fault closes must end before this time.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

impl SocketSite {
    /// The status of a call; `None` without a response.
    async fn get(&self, path: &str) -> Option<u16> {
        let url = format!("http://{}{BASE}{path}", self.served.address);
        let response = self.client.get(url).bearer_auth(&self.token).send().await.ok()?;
        Some(response.status().as_u16())
    }

    async fn gets(&self, path: &str, count: usize) -> Vec<Option<u16>> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.get(path).await);
        }
        all
    }

    /// All bytes that a call gets until the connection ends.
    async fn raw(&self) -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.served.address).await?;
        let head = format!(
            "GET {BASE}/v1/requests HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
            self.token
        );
        stream.write_all(head.as_bytes()).await?;
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(ENDS_WITHIN, stream.read_to_end(&mut bytes)).await;
        read.expect("the connection ends").map(|_| bytes)
    }
}

#[tokio::test]
async fn consecutive_calls_have_effects_of_their_own() {
    let on_socket = SocketSite::new().await;
    let sequence = json!([{ "kind": "status", "status": 503 }, { "kind": "reset_before" }, null]);
    let fault = json!({ "operation": "list_legal_requests", "nth": 2, "times": 2,
        "sequence": sequence });
    let armed = on_socket.arm(fault).await;
    assert_eq!(armed["sequence"], json!([["status"], ["reset_before"], []]));
    assert_eq!(armed["kind"], Value::Null);
    let (ok, failed) = (Some(200), Some(503));
    let expected = [ok, failed, None, ok, failed, None, ok, ok];
    assert_eq!(on_socket.gets("/v1/requests", 8).await, expected);
}

#[tokio::test]
async fn one_call_has_several_effects() {
    let on_socket = SocketSite::new().await;
    let effects = json!([{ "kind": "delay", "milliseconds": 300 },
        { "kind": "status", "status": 503 }, { "kind": "malformed_json" }]);
    on_socket.arm(json!({ "effects": effects })).await;
    let started = Instant::now();
    let url = format!("http://{}{BASE}/v1/requests", on_socket.served.address);
    let response =
        on_socket.client.get(url).bearer_auth(&on_socket.token).send().await.expect("a response");
    assert!(started.elapsed() >= Duration::from_millis(290));
    assert_eq!(response.status(), 503);
    assert!(response.json::<Value>().await.is_err(), "the body is cut");
    let journal = done(&on_socket.site, "GET /exchanges", Value::Null).await;
    assert_eq!(journal["exchanges"][0]["fault"], json!("delay, status, malformed_json"));
    assert_eq!(on_socket.get("/v1/requests").await, Some(200));
}

#[tokio::test]
async fn a_path_pattern_matches_unknown_routes_too() {
    let on_socket = SocketSite::new().await;
    let fault = json!({ "kind": "status", "status": 502, "path": "/v2/*", "times": 2 });
    on_socket.arm(fault).await;
    on_socket
        .arm(json!({ "kind": "status", "status": 504, "path": "*/activity", "method": "GET" }))
        .await;
    on_socket
        .arm(json!({ "kind": "status", "status": 500, "path": "/v1/requests", "method": "POST" }))
        .await;
    assert_eq!(on_socket.gets("/v2/requests", 3).await, [Some(502), Some(502), Some(404)]);
    assert_eq!(on_socket.get("/v1/requests").await, Some(200));
    assert_eq!(on_socket.gets("/v1/requests/x/activity", 2).await, [Some(504), Some(404)]);
    // A fault without a path pattern does not affect calls without an operation.
    on_socket.arm(json!({ "kind": "status", "status": 500 })).await;
    assert_eq!(on_socket.get("/v2/requests").await, Some(404));
    assert_eq!(on_socket.get("/v1/requests").await, Some(500));
}

#[tokio::test]
async fn a_call_gets_no_response_or_no_http() {
    let on_socket = SocketSite::new().await;
    on_socket.arm(json!({ "kind": "close" })).await;
    assert_eq!(on_socket.raw().await.expect("a close is not a reset"), b"");
    on_socket.arm(json!({ "kind": "garbage" })).await;
    let garbage = on_socket.raw().await.expect("a close is not a reset");
    assert!(!garbage.is_empty() && !garbage.starts_with(b"HTTP"), "{garbage:?}");
    on_socket.arm(json!({ "kind": "garbage" })).await;
    assert_eq!(on_socket.get("/v1/requests").await, None);
    on_socket.arm(json!({ "kind": "stall", "milliseconds": 300 })).await;
    let started = Instant::now();
    assert_eq!(on_socket.raw().await.expect("a close is not a reset"), b"");
    assert!(started.elapsed() >= Duration::from_millis(290));
    assert_eq!(on_socket.get("/v1/requests").await, Some(200));
}

#[tokio::test]
async fn a_client_is_sent_elsewhere() {
    let on_socket = SocketSite::new().await;
    for (fault, status) in [
        (json!({ "kind": "redirect", "location": "/elsewhere" }), 302),
        (json!({ "kind": "redirect", "location": "/elsewhere", "status": 308 }), 308),
    ] {
        on_socket.arm(fault).await;
        let url = format!("http://{}{BASE}/v1/requests", on_socket.served.address);
        let call = on_socket.client.get(url).bearer_auth(&on_socket.token);
        let response = call.send().await.expect("a response");
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["location"], "/elsewhere");
    }
}

#[tokio::test]
async fn an_invalid_fault_is_explained() {
    let site = site();
    let status = json!({ "kind": "status", "status": 503 });
    for (fault, status, says) in [
        (json!({}), 400, "exactly one of"),
        (json!({ "kind": "close", "effects": [] }), 400, "exactly one of"),
        (json!({ "effects": [] }), 422, "needs an effect"),
        (json!({ "sequence": [null] }), 422, "needs an effect"),
        (json!({ "sequence": [{ "kind": "stal" }] }), 422, "did you mean `stall`?"),
        (json!({ "sequence": [{ "kind": "delay", "millis": 1 }] }), 422, "unknown field `millis`"),
        (json!({ "effects": [{ "status": 503 }] }), 422, "needs `kind`"),
        (json!({ "effects": [status.clone()], "status": 503 }), 422, "`status`"),
        (json!({ "kind": "redirect" }), 422, "needs `location`"),
        (json!({ "kind": "redirect", "location": "/", "status": 503 }), 422, "300 to 399"),
        (json!({ "kind": "close", "path": "v1" }), 422, "/v1/requests/*"),
        (json!({ "sequence": vec![status.clone(); 51] }), 422, "50 calls"),
    ] {
        let response = admin(&site, BASE, "POST /faults", fault.clone()).await;
        assert_eq!(response.status, status, "{fault}: {response:?}");
        assert!(response.text("/detail").contains(says), "{fault}: {}", response.json());
    }
}
