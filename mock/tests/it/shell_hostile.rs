//! Hostile input costs little, is never answered 5xx, and does not delay other clients.

use std::time::{Duration, Instant};

use moot_mock::shell::ServeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::shell_support::{BASE, Served, call, request, send, served, site_with_token};

const SLOW_CLIENTS: usize = 500;
/// The longest time of an ordinary read meanwhile.
const READ_MAX: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(20);

/// Sends `bytes` and returns all that the server sends until the connection ends.
async fn exchange(served: &Served, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(served.address).await.expect("it listens");
    // A server may close the connection while the client still writes.
    let _ = stream.write_all(bytes).await;
    let mut response = Vec::new();
    let read = tokio::time::timeout(LONG, stream.read_to_end(&mut response)).await;
    let _ = read.expect("the server closes in time");
    String::from_utf8_lossy(&response).into_owned()
}

async fn read_is_answered(served: &Served, token: &str) {
    let started = Instant::now();
    let head = format!(
        "GET {BASE}/v1/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    let response = exchange(served, head.as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(started.elapsed() < READ_MAX, "{:?}", started.elapsed());
}

#[tokio::test]
async fn ten_thousand_parts_are_refused() {
    let (site, token) = site_with_token().await;
    let part = "--b0\r\nContent-Disposition: form-data; name=\"support_documents[]\"; \
                filename=\"a\"\r\n\r\n1\r\n";
    let body = [part.repeat(10_000), "--b0--\r\n".to_owned()].concat().into_bytes();
    for path in ["requests", "repository_documents"] {
        let line = format!("POST {BASE}/v1/{path}");
        let kind = "multipart/form-data; boundary=b0";
        let response = send(&site, request(&line, &token, Some((kind, body.clone())))).await;
        assert!(response.status.is_client_error(), "{response:?}");
    }
}

#[tokio::test]
async fn a_flood_of_headers_is_refused() {
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    let many: String = (0..10_000).map(|number| format!("X-{number}: 1\r\n")).collect();
    let long = format!("X: {}\r\n", "x".repeat(4 * 1024 * 1024));
    for headers in [many, long] {
        let head = format!("GET {BASE}/v1/requests HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        let response = exchange(&served, head.as_bytes()).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 4"), "{response}");
    }
    let target = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(200_000));
    let response = exchange(&served, target.as_bytes()).await;
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 4"), "{response}");
    read_is_answered(&served, &token).await;
}

#[tokio::test]
async fn deep_json_is_refused_wherever_json_is_read() {
    let (site, token) = site_with_token().await;
    for deep in ["[".repeat(30_000), r#"{"a":"#.repeat(12_000)] {
        let form = format!(
            "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n1\r\n\
             --b0\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{deep}\r\n--b0--\r\n"
        );
        for (line, kind, body) in [
            ("POST /v1/webhooks", "application/json", deep.clone()),
            ("POST /__admin/tokens", "application/json", deep.clone()),
            ("POST /v1/repository_documents", "multipart/form-data; boundary=b0", form),
        ] {
            let (method, path) = line.split_once(' ').expect("two words");
            let line = format!("{method} {BASE}{path}");
            let body = Some((kind, body.into_bytes()));
            let response = send(&site, request(&line, &token, body)).await;
            assert!(response.status.is_client_error(), "{line}: {response:?}");
        }
    }
    call(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok();
}

#[tokio::test]
async fn slow_clients_do_not_delay_others() {
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    let mut slow = Vec::new();
    for number in 0..SLOW_CLIENTS {
        let mut stream = TcpStream::connect(served.address).await.expect("it listens");
        // Half of them stop within the head, half within the body after the head was admitted.
        let begun = if number % 2 == 0 {
            format!("GET {BASE}/v1/requests HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        } else {
            format!(
                "POST {BASE}/v1/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: multipart/form-data; boundary=b0\r\nContent-Length: 99999\r\n\r\n--b0"
            )
        };
        stream.write_all(begun.as_bytes()).await.expect("it is sent");
        slow.push(stream);
    }
    for _ in 0..10 {
        read_is_answered(&served, &token).await;
    }
    drop(slow);
    read_is_answered(&served, &token).await;
}
