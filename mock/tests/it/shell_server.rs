//! The HTTP server: limited waits, complete responses, and a clean end.

use std::time::{Duration, Instant};

use moot_mock::settings::{ClockSetting, Progression};
use moot_mock::shell::{BodyTimes, ServeLimits, SiteOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::shell_support::{
    BASE, CLIENT, MAIN, Served, admin, call as call_of, create, done, register, served, settings,
    site, site_of, site_with_token, token,
};

const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(10);

/// A call whose body is not complete.
const UNFINISHED: &[u8] = b"POST /api/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\
    Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant_type=";
const CALL: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

async fn connect(served: &Served) -> TcpStream {
    TcpStream::connect(served.address).await.expect("the server listens")
}

/// All bytes that the server sends until it closes the connection.
async fn to_end(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let read = tokio::time::timeout(LONG, stream.read_to_string(&mut text)).await;
    read.expect("the server closes in time").expect("text, and no reset");
    text
}

/// Sends `bytes`, reads until the server closes the connection, and returns the elapsed time.
async fn exchange(served: &Served, bytes: &[u8]) -> (String, Duration) {
    let started = Instant::now();
    let mut stream = connect(served).await;
    stream.write_all(bytes).await.expect("the server reads");
    (to_end(&mut stream).await, started.elapsed())
}

#[tokio::test]
async fn a_head_that_never_ends_and_an_idle_connection_are_closed() {
    let served = served(&site(), ServeLimits { head_max: SHORT, ..ServeLimits::default() }).await;
    let (response, took) =
        exchange(&served, b"GET /api/v1/requests HTTP/1.1\r\nHost: x\r\nX-").await;
    // hyper may answer 408 or nothing. It must not wait.
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 408"), "{response}");
    assert!(took >= SHORT && took < LONG, "{took:?}");
    let (response, took) = exchange(&served, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    assert!(took >= SHORT && took < LONG, "{took:?}");
}

#[tokio::test]
async fn a_body_that_stalls_is_answered() {
    let times = BodyTimes { stall_max: SHORT, ..BodyTimes::default() };
    let site = site_of(SiteOptions { body_times: times, ..SiteOptions::new(settings()) });
    let served = served(&site, ServeLimits::default()).await;
    let (response, took) = exchange(&served, UNFINISHED).await;
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(took >= SHORT && took < LONG, "{took:?}");
}

/// The client writes all of 8 MiB before it reads. Without draining, its connection would be reset.
#[tokio::test]
async fn an_early_refusal_reaches_a_client_that_writes_first() {
    const LENGTH: usize = 8 * 1024 * 1024;
    let served = served(&site(), ServeLimits::default()).await;
    for (target, status) in
        [("POST /api/v1/requests", "401"), ("POST /api/nowhere", "404"), ("PUT /elsewhere", "404")]
    {
        let mut stream = connect(&served).await;
        let head = format!(
            "{target} HTTP/1.1\r\nHost: x\r\nContent-Length: {LENGTH}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("the server reads the head");
        stream.write_all(&vec![b'x'; LENGTH]).await.expect("the server reads the body");
        let response = to_end(&mut stream).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{target}: {response}");
    }
}

#[tokio::test]
async fn a_client_that_waits_for_100_continue_is_refused_without_its_body() {
    let served = served(&site(), ServeLimits::default()).await;
    let head = "POST /api/v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\
                Expect: 100-continue\r\n\r\n";
    let (response, took) = exchange(&served, head.as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
    assert!(took < LONG, "{took:?}");
}

/// A call whose body lacks its last byte. The server has accepted it, and all earlier connections.
async fn running_call(served: &Served, token: &str) -> TcpStream {
    let mut running = connect(served).await;
    let head = format!(
        "GET /api/v1/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: 2\r\n\r\n1"
    );
    running.write_all(head.as_bytes()).await.expect("the server reads");
    // A response on a further connection proves that the earlier ones were accepted.
    let (response, _) = exchange(served, CALL).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    running
}

#[tokio::test]
async fn stopping_lets_a_running_call_end_and_closes_idle_connections() {
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    let address = served.address;
    let mut idle = connect(&served).await;
    let mut running = running_call(&served, &token).await;
    let server = served.stop();
    assert_eq!(to_end(&mut idle).await, "");
    running.write_all(b"2").await.expect("the server still reads");
    let response = to_end(&mut running).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    server.await.expect("the server ends by itself");
    assert!(TcpStream::connect(address).await.is_err(), "it still listens");
}

#[tokio::test]
async fn stopping_waits_no_longer_than_its_limit() {
    let limits = ServeLimits { stop_max: SHORT, ..ServeLimits::default() };
    let (site, token) = site_with_token().await;
    let served = served(&site, limits).await;
    let _running = running_call(&served, &token).await;
    let started = Instant::now();
    served.stop().await.expect("the server ends by itself");
    assert!(started.elapsed() >= SHORT && started.elapsed() < LONG, "{:?}", started.elapsed());
}

/// The call of the first connection is being answered, so that connection keeps the only place.
#[tokio::test]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let limits = ServeLimits { connections_max: 1, ..ServeLimits::default() };
    let (site, token) = site_with_token().await;
    let fault = serde_json::json!({ "kind": "delay", "milliseconds": 1_000 });
    admin(&site, BASE, "POST /faults", fault).await.ok();
    let served = served(&site, limits).await;
    let mut first = connect(&served).await;
    let head = format!(
        "GET {BASE}/v1/requests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    );
    first.write_all(head.as_bytes()).await.expect("the server reads");
    // The call is in the journal before its delay ends.
    let wait = serde_json::json!({ "operation": "list_legal_requests" });
    admin(&site, BASE, "POST /exchanges/wait", wait).await.ok();
    let mut second = connect(&served).await;
    second.write_all(CALL).await.expect("the system takes it");
    let early = tokio::time::timeout(SHORT, second.readable()).await;
    assert!(early.is_err(), "answered while the first connection held the only place");
    assert!(to_end(&mut first).await.starts_with("HTTP/1.1 200"));
    assert!(to_end(&mut second).await.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn beyond_the_limit_idle_connections_are_closed_first_and_then_slow_bodies() {
    let limits = ServeLimits { connections_max: 2, ..ServeLimits::default() };
    let served = served(&site(), limits).await;
    let mut slow = connect(&served).await;
    slow.write_all(UNFINISHED).await.expect("the server reads");
    let mut idle = connect(&served).await;
    let (response, took) = exchange(&served, CALL).await;
    assert!(response.starts_with("HTTP/1.1 404") && took < LONG, "{response} {took:?}");
    assert_eq!(to_end(&mut idle).await, "", "it said nothing, so it went first");
    let mut younger = connect(&served).await;
    younger.write_all(UNFINISHED).await.expect("the server reads");
    // Afterwards the server has read both heads, so none of the connections is idle.
    tokio::time::sleep(SHORT).await;
    let (response, took) = exchange(&served, CALL).await;
    assert!(response.starts_with("HTTP/1.1 404") && took < LONG, "{response} {took:?}");
    assert_eq!(to_end(&mut slow).await, "", "of two slow bodies the older one went");
    younger.write_all(&[b'x'; 88]).await.expect("the younger one goes on");
    let mut response = [0; 12];
    younger.read_exact(&mut response).await.expect("a response");
    assert_eq!(&response, b"HTTP/1.1 400");
}

#[tokio::test]
async fn an_address_has_only_its_share_of_the_connections() {
    let limits = ServeLimits { connections_per_address_max: 2, ..ServeLimits::default() };
    let served = served(&site(), limits).await;
    let mut held = [connect(&served).await, connect(&served).await];
    let (response, _) = exchange(&served, CALL).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    assert_eq!(to_end(&mut held[0]).await, "", "the older one made room");
    held[1].write_all(CALL).await.expect("the younger one goes on");
    assert!(to_end(&mut held[1]).await.starts_with("HTTP/1.1 404"));
}

/// A body that comes too slowly is aborted long before it stalls.
#[tokio::test]
async fn a_body_below_the_least_rate_is_given_up_after_the_grace() {
    let times = BodyTimes { grace: SHORT, stall_max: LONG * 2, ..BodyTimes::default() };
    let site = site_of(SiteOptions { body_times: times, ..SiteOptions::new(settings()) });
    let served = served(&site, ServeLimits::default()).await;
    let (response, took) = exchange(&served, UNFINISHED).await;
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(took >= SHORT && took < LONG, "{took:?}");
    let defaults = (BodyTimes::default(), ServeLimits::default());
    assert_eq!(
        (defaults.0.grace, defaults.0.bytes_per_second_min),
        (Duration::from_secs(30), 1_024)
    );
    assert!(defaults.1.head_max <= Duration::from_secs(30), "a head");
}

#[tokio::test]
async fn a_call_names_one_host() {
    let served = served(&site(), ServeLimits::default()).await;
    for path in ["/api/v1/requests", "/api/__admin/health", "/api/oauth/token", "/elsewhere"] {
        for hosts in ["", "Host: localhost\r\nHost: localhost\r\n"] {
            let head = format!("GET {path} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
            let (response, _) = exchange(&served, head.as_bytes()).await;
            assert!(response.starts_with("HTTP/1.1 400"), "{path} {hosts}: {response}");
            let body = response.split_once("\r\n\r\n").expect("a head").1;
            let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
            let is_named = body.to_string().contains("`Host`");
            assert!(is_named, "{path}: {body}");
            if path.starts_with("/api/v1") || path == "/elsewhere" {
                assert_eq!(body["type"], "parameter_missing", "{path}: {body}");
                assert_eq!(body["instance"], path, "{body}");
                assert!(body["request_id"].is_string(), "{body}");
            }
        }
        let head = format!("GET {path} HTTP/1.0\r\n\r\n");
        let (response, _) = exchange(&served, head.as_bytes()).await;
        assert!(!response.contains(" 400 "), "HTTP/1.0 needs none: {response}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_asked_for() {
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    for (path, kind) in [
        ("oauth/token", "application/x-www-form-urlencoded"),
        ("v1/repository_documents", "multipart/form-data; boundary=b0"),
        ("v1/requests", "multipart/form-data; boundary=b0"),
        ("__admin/clock", "application/json"),
    ] {
        let head = format!(
            "POST /api/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: {kind}\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n"
        );
        let (response, took) = exchange(&served, head.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 4"), "{path}: {response}");
        assert!(!response.contains("100 Continue") && took < LONG, "{path}: {response} {took:?}");
        assert!(response.contains("connection: close"), "{path}: {response}");
    }
}

/// Sends pieces until the server closes. Returns its response and the number of bytes sent.
async fn endless(served: &Served, head: &str, first: &[u8]) -> (String, usize) {
    const PIECE: &[u8] = &[b'x'; 64 * 1024];
    let stream = connect(served).await;
    let (mut reading, mut writing) = stream.into_split();
    let read = tokio::spawn(async move {
        let mut response = Vec::new();
        let _ = tokio::time::timeout(LONG, reading.read_to_end(&mut response)).await;
        String::from_utf8_lossy(&response).into_owned()
    });
    let mut sent = 0;
    let mut piece = first.to_vec();
    let _ = writing.write_all(head.as_bytes()).await;
    loop {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), &piece, b"\r\n"].concat();
        if read.is_finished() || writing.write_all(&chunk).await.is_err() {
            break;
        }
        sent += chunk.len();
        piece = PIECE.to_vec();
    }
    (read.await.expect("no panic"), sent)
}

#[tokio::test]
async fn an_endless_upload_is_cut_when_its_limit_is_passed() {
    const LIMIT: u64 = 1024 * 1024;
    let mut settings = settings();
    settings.answers.upload_size_max = LIMIT;
    let site = site_of(settings);
    let token = token(&site, BASE, MAIN).await;
    let served = served(&site, ServeLimits::default()).await;
    let head = |path: &str, kind: &str| {
        format!(
            "POST /api/{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
    };
    let form = b"--b0\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n";
    let multipart = "multipart/form-data; boundary=b0";
    let started = Instant::now();
    for (head, first) in [
        (head("v1/repository_documents", multipart), &form[..]),
        (head("v1/webhooks", "application/json"), b"["),
    ] {
        let (response, sent) = endless(&served, &head, first).await;
        assert!(response.starts_with("HTTP/1.1 413"), "{response}");
        assert!(response.contains("connection: close"), "{response}");
        // The response comes soon. The server still reads for a short time from a client that goes on.
        assert!(sent < 128 * 1024 * 1024, "{sent}");
    }
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}

/// A body with an error that no client can cause.
struct Panicking;

impl http_body::Body for Panicking {
    type Data = bytes::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        panic!("a panic within a call");
    }
}

#[tokio::test]
async fn a_panic_is_a_500_of_its_own_call_and_every_other_goes_on() {
    let (site, token) = site_with_token().await;
    for path in ["/v1/webhooks", "/__admin/reset", "/nowhere"] {
        let call = http::Request::post(format!("{BASE}{path}"))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(Panicking)
            .expect("a sound request");
        let response = site.call(call, CLIENT).await;
        assert_eq!(response.status(), 500, "{path}");
        assert_eq!(response.headers()["content-type"], "application/problem+json", "{path}");
        call_of(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok();
    }
    // A writer gets its turn after a writer that broke off.
    let reset = admin(&site, BASE, "POST /reset", serde_json::Value::Null).await;
    assert_eq!(reset.status, 200);
}

/// The clock is set a tenth of a second before the request is signed. No calls follow.
#[tokio::test]
async fn timers_fire_by_themselves_on_the_systems_clock() {
    let mut settings = settings();
    settings.clock = ClockSetting::Real;
    settings.progression = Progression::Timed { seconds: 1 };
    let site = site_of(settings);
    let token = token(&site, BASE, MAIN).await;
    let receiver = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", receiver.local_addr().expect("a bound address"));
    let hook = serde_json::json!({ "name": "Test", "url": url });
    register(&site, BASE, &token, &hook).await.ok();
    create(&site, BASE, &token).await.ok();
    let clock = admin(&site, BASE, "GET /clock", serde_json::Value::Null).await.ok();
    let now: jiff::Timestamp = clock.text("/now").parse().expect("a time");
    // Four steps lead from draft to signed.
    let almost = now + jiff::SignedDuration::from_millis(3_900);
    let set = serde_json::json!({ "set": almost.to_string() });
    let moved = done(&site, "POST /clock", set).await;
    assert_eq!(moved["fired"].as_array().map(Vec::len), Some(3), "{moved}");
    let delivered = tokio::time::timeout(LONG, receiver.accept()).await;
    delivered.expect("the delivery comes by itself").expect("a connection");
}
