//! A gateway sends 502, 503 or 504 if the service does not answer. One such response is no violation. The same again is
//! one if the request can be sent again without an effect, and the service answers other requests.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use crate::deployment::{judged, start, target};

const REFUSED: &str = r#"scenarios:
  - id: refused
    title: A registration without members is refused
    needs: [write]
    steps:
      - request: create_webhook
        token: write
        json: {}
        expect: { errors.never-5xx: { status: { min: 400, max: 499 } } }
"#;

const CREATED: &str = r#"scenarios:
  - id: created
    title: A webhook is created
    needs: [write]
    steps:
      - request: create_webhook
        token: write
        json: { name: a, url: <bindings.webhook_url>, auth_type: bearer, token: t, events: [execution_complete] }
        expect: { errors.never-5xx: { status: { min: 200, max: 299 } } }
"#;

const READ: &str = r#"scenarios:
  - id: listed
    title: Webhooks are listed
    needs: [read]
    steps:
      - request: GET /v1/webhooks
        token: read
        expect: { errors.never-5xx: { status: 200 } }
"#;

async fn check(steps: &str, (status, errors): (u16, u64), is_down: bool, code: i32, said: &str) {
    let error = ResponseTemplate::new(status).set_body_raw("Bad Gateway", "text/html");
    check_with(steps, (&error, errors), is_down, code, said).await;
}

/// Runs a scenario on a deployment whose gateway answers the first `errors` calls for webhooks, and all for workflows
/// if `is_down`.
async fn check_with(
    steps: &str,
    (error, errors): (&ResponseTemplate, u64),
    is_down: bool,
    code: i32,
    said: &str,
) {
    let server = start("default").await;
    Mock::given(path("/api/v1/webhooks"))
        .respond_with(error.clone())
        .up_to_n_times(errors)
        .with_priority(1)
        .mount(&server)
        .await;
    if is_down {
        let workflows = Mock::given(path("/api/v1/workflows")).respond_with(error.clone());
        workflows.with_priority(1).mount(&server).await;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let scenarios = format!("section: \"4.14\"\ntitle: A gateway\n{steps}");
    fs::write(dir.path().join("gateway.yaml"), scenarios).expect("writable");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: [write, delete]\n");
    let ran = judged(dir.path(), &["--scenarios", "gateway.yaml"], code);
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

const CONFORMANT: &str = "conformant: nothing failed";
const NO_ANSWER: &str = "did not answer another request either";

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_must_be_refused_is_sent_once_more() {
    check(REFUSED, (502, 1), false, 0, CONFORMANT).await;
    check(REFUSED, (502, 1), false, 0, "1 request had no response, or an error of a gateway").await;
    check(REFUSED, (502, 2), false, 1, "ended in a server error: 502").await;
    check(REFUSED, (504, 2), true, 3, NO_ANSWER).await;
    check(REFUSED, (503, 1), false, 0, CONFORMANT).await;
    check(REFUSED, (503, 2), false, 1, "ended in a server error: 503").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_unknown_whether_a_creation_had_an_effect() {
    for status in [502, 503, 504] {
        let said = "may have had an effect, so it is not sent again";
        check(CREATED, (status, 1), false, 3, said).await;
        let said = "1 request had no response, or an error of a gateway";
        check(CREATED, (status, 1), false, 3, said).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_that_the_limit_refused_is_sent_once_more() {
    for status in [429, 503] {
        let refused = ResponseTemplate::new(status).insert_header("retry-after", "0");
        check_with(CREATED, (&refused, 1), false, 0, CONFORMANT).await;
        check_with(CREATED, (&refused, 2), false, 3, "A request is repeated once").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_fails_only_while_the_service_answers_others() {
    for status in [502, 503] {
        check(READ, (status, 2), false, 0, CONFORMANT).await;
        check(READ, (status, 4), false, 1, &format!("ended in a server error: {status}")).await;
        check(READ, (status, 2), true, 3, NO_ANSWER).await;
    }
}

/// The address of a proxy before `upstream` that sends `beginning` to the first `broken` calls for webhooks, and closes
/// the connection.
async fn breaking_proxy(
    upstream: SocketAddr,
    broken: usize,
    beginning: &'static [u8],
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it listens");
    tokio::spawn(async move {
        let left = Arc::new(AtomicUsize::new(broken));
        while let Ok((mut client, _)) = listener.accept().await {
            let left = Arc::clone(&left);
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let length = client.read(&mut head).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&head[..length]).into_owned();
                let less = |count: usize| count.checked_sub(1);
                if text.starts_with("GET /api/v1/webhooks")
                    && left.fetch_update(SeqCst, SeqCst, less).is_ok()
                {
                    client.write_all(beginning).await.expect("it reads");
                    return;
                }
                // Each call has a connection of its own.
                let closing = text.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                let mut server = TcpStream::connect(upstream).await.expect("it listens");
                server.write_all(closing.as_bytes()).await.expect("it reads");
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_breaks_the_connection_is_sent_again_and_then_named() {
    const SHORT: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}";
    for (broken, beginning, code, said) in [
        (1, &b""[..], 0, CONFORMANT),
        (9, b"", 4, "GET /v1/webhooks was sent twice, and the connection broke"),
        (1, SHORT, 0, CONFORMANT),
        (
            9,
            SHORT,
            3,
            "GET /v1/webhooks was sent twice, and the response was cut short after 2 of 9",
        ),
    ] {
        let server = start("default").await;
        let proxy = breaking_proxy(*server.address(), broken, beginning).await;
        let dir = tempfile::tempdir().expect("a folder");
        let scenarios = format!("section: \"4.14\"\ntitle: A crash\n{READ}");
        fs::write(dir.path().join("crash.yaml"), scenarios).expect("writable");
        target(dir.path(), &format!("http://{proxy}/api"), "consent: [write]\n");
        let ran = judged(dir.path(), &["--scenarios", "crash.yaml"], code);
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
}
