//! Requests over HTTP: the recorded parts of a response, and the kinds of transport errors.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use moot_harness::client::{ClientBody, ClientRequest};
use moot_harness::exchange::masks::Masks;
use moot_harness::exchange::{Exchange, ReceivedResponse, Trouble};
use moot_harness::run::environment::OpenError;
use moot_harness::scenario::model::{Place, Sandbox};
use moot_harness::scenario::names::Names;
use moot_harness::verdict::check::{Document, PlaceValue, place};
use sha2::{Digest, Sha256};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::command_support::message;
use crate::target_sample::{call, open, service};

/// Sends a GET, or `prepared`, to a deployment while `server` runs.
async fn exchange(server: &MockServer, prepared: ClientRequest) -> Exchange {
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("{}/api", server.uri());
    let target = open(&base, "consent: [write]", folder.path(), &masks).await.expect("it opens");
    let session = target.session("a/b", &Sandbox::default()).await.expect("there is a session");
    session.send(prepared).await
}

fn response(exchange: &Exchange) -> &ReceivedResponse {
    exchange.outcome.as_ref().unwrap_or_else(|trouble| panic!("{trouble:?}"))
}

fn trouble(exchange: &Exchange) -> &Trouble {
    exchange.outcome.as_ref().err().expect("there is trouble")
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let server = service().await;
    Mock::given(method("GET"))
        .and(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(302).insert_header("location", "/api/elsewhere"))
        .mount(&server)
        .await;
    Mock::given(path("/api/elsewhere"))
        .respond_with(ResponseTemplate::new(200))
        .expect(0)
        .mount(&server)
        .await;
    let exchange = exchange(&server, call("GET", "/v1/requests")).await;
    assert_eq!(response(&exchange).status, 302);
    assert_eq!(response(&exchange).header("location"), Some("/api/elsewhere"));
}

#[tokio::test]
async fn a_body_over_the_limit_is_cut_and_marked_and_its_digest_is_of_the_whole() {
    const KEPT: usize = 4 * 1024 * 1024;
    for (length, is_cut) in [(KEPT, false), (KEPT + 1, true), (2 * KEPT + 3, true)] {
        let server = service().await;
        Mock::given(path("/api/big"))
            .respond_with(ResponseTemplate::new(200).set_body_bytes(vec![b'1'; length]))
            .mount(&server)
            .await;
        let exchange = exchange(&server, call("GET", "/big")).await;
        let response = response(&exchange);
        assert_eq!((response.body.len(), response.is_cut), (KEPT, is_cut));
        let digest = place::find(&Place::Digest, &Document::from(response), &Names::default());
        let whole = format!("{:x}", Sha256::digest(vec![b'1'; length]));
        assert_eq!(digest, Ok(PlaceValue::One(Some(whole.into()))));
    }
}

#[tokio::test]
async fn a_body_is_read_up_to_64_mebibytes_and_then_given_up() {
    const READ_MAX: usize = 64 * 1024 * 1024;
    for (length, is_read) in [(READ_MAX - 1, true), (READ_MAX, false)] {
        let server = service().await;
        Mock::given(path("/api/huge"))
            .respond_with(ResponseTemplate::new(200).set_body_bytes(vec![b'1'; length]))
            .mount(&server)
            .await;
        let exchange = exchange(&server, call("GET", "/huge")).await;
        match is_read {
            true => assert!(response(&exchange).is_cut),
            false => insta::assert_debug_snapshot!(trouble(&exchange), @r#"
            Broken(
                "the body goes on beyond 64 MB, and the rest was not read",
            )
            "#),
        }
    }
}

#[tokio::test]
async fn bytes_stay_as_they_came() {
    let server = service().await;
    Mock::given(path("/api/odd"))
        .respond_with(
            ResponseTemplate::new(200)
                .insert_header("content-encoding", "x-own")
                .set_body_bytes(vec![b'"', 0xff, b'"']),
        )
        .mount(&server)
        .await;
    let exchange = exchange(&server, call("GET", "/odd")).await;
    assert_eq!(response(&exchange).body, Bytes::from_static(b"\"\xff\""));
    assert!(response(&exchange).json.is_none());
    assert_eq!(response(&exchange).header("content-encoding"), Some("x-own"));
}

#[tokio::test]
async fn a_compressed_body_is_decompressed_unless_it_is_a_part() {
    const PLAIN: &[u8] = b"{\"total_count\":0}";
    let compressed = gzip(PLAIN);
    // Whether it is read as JSON, and the body that a client sees.
    for (status, coding, body, is_json, seen) in [
        (200, "gzip", &compressed[..], true, PLAIN),
        (200, "GZIP", &compressed[..], true, PLAIN),
        (206, "gzip", &compressed[..], false, &compressed[..]),
        (200, "gzip", PLAIN, false, b""),
        (200, "identity", PLAIN, true, PLAIN),
    ] {
        let server = service().await;
        let template = ResponseTemplate::new(status).insert_header("content-encoding", coding);
        Mock::given(path("/api/short"))
            .respond_with(template.set_body_bytes(body))
            .mount(&server)
            .await;
        let exchange = exchange(&server, call("GET", "/short")).await;
        let response = response(&exchange);
        assert_eq!((response.json.is_some(), &response.body[..]), (is_json, seen), "{coding}");
        assert_eq!(response.header("content-encoding"), Some(coding));
    }
}

#[tokio::test]
async fn a_short_compressed_body_of_64_mebibytes_is_given_up() {
    let server = service().await;
    Mock::given(path("/api/short"))
        .respond_with(
            ResponseTemplate::new(200)
                .insert_header("content-encoding", "gzip")
                .set_body_bytes(gzip(&vec![b'1'; 64 * 1024 * 1024])),
        )
        .mount(&server)
        .await;
    let exchange = exchange(&server, call("GET", "/short")).await;
    assert!(matches!(trouble(&exchange), Trouble::Broken(why) if why.contains("64 MB")));
}

#[tokio::test]
async fn compression_is_asked_for_unless_a_part_or_another_coding_is() {
    for (own, expected) in [
        (None, Some("gzip")),
        (Some(("Range", "bytes=0-9")), None),
        (Some(("range", "bytes=0-9")), None),
        (Some(("Accept-Encoding", "identity")), Some("identity")),
    ] {
        let server = service().await;
        let headers = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let prepared =
            ClientRequest { headers: headers.into_iter().collect(), ..call("GET", "/short") };
        exchange(&server, prepared).await;
        let requests = server.received_requests().await.expect("they are kept");
        let request = requests.iter().find(|it| it.url.path() == "/api/short").expect("it came");
        let asked: Vec<_> = request.headers.get_all("accept-encoding").iter().collect();
        assert_eq!(asked, Vec::from_iter(expected), "{own:?}");
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).expect("it is memory");
    encoder.finish().expect("it is memory")
}

#[tokio::test]
async fn another_host_never_gets_a_token() {
    let server = service().await;
    let other = MockServer::start().await;
    Mock::given(wiremock::matchers::any())
        .respond_with(ResponseTemplate::new(200))
        .expect(1)
        .mount(&other)
        .await;
    let address = format!("{}/file.pdf", other.uri());
    let with_token = crate::target_sample::call_with("GET", &address, "token-1");
    let refused = exchange(&server, with_token).await;
    let Trouble::Withheld(why) = trouble(&refused) else { panic!("{:?}", trouble(&refused)) };
    insta::assert_snapshot!(message(why), @"a token never goes to another host (http://127.0.0.1:PORT)");
    let written = exchange(&server, call("POST", &address)).await;
    assert!(matches!(trouble(&written), Trouble::Withheld(_)));
    assert_eq!(response(&exchange(&server, call("GET", &address)).await).status, 200);
}

#[tokio::test]
async fn a_false_length_is_sent_unchanged() {
    let seen = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let response_bytes = b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\
                         Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
    let kept = seen.clone();
    let address = serve(move |mut stream| {
        let mut bytes = Vec::new();
        // The sender closes its side, so the server reads to the end.
        let _ = stream.read_to_end(&mut bytes);
        kept.lock().extend_from_slice(&bytes);
        let _ = stream.write_all(response_bytes);
    });
    let server = service().await;
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("{}/api", server.uri());
    let target = open(&base, "consent: [write]", folder.path(), &masks).await.expect("it opens");
    let session = target.session("a/b", &Sandbox::default()).await.expect("there is a session");
    let body = ClientBody::Bytes {
        content_type: Some("multipart/form-data; boundary=moot".to_owned()),
        bytes: Bytes::from_static(b"--moot\r\n"),
        declared_length: Some(4096),
    };
    let own =
        session.send(ClientRequest { body: body.clone(), ..call("POST", "/v1/requests") }).await;
    assert!(own.outcome.is_err(), "wiremock hangs up on a body that breaks off");
    let silent = open_raw(address, body).await;
    let response = response(&silent);
    assert_eq!((response.status, &response.body[..]), (400, &b"{\"a\":1}"[..]));
    let sent = String::from_utf8_lossy(&seen.lock()).into_owned();
    assert!(sent.starts_with("POST /v1/requests HTTP/1.1\r\nhost: 127.0.0.1"), "{sent}");
    assert!(sent.contains("content-length: 4096\r\n") && sent.ends_with("\r\n\r\n--moot\r\n"));
}

/// Opens a raw server as a deployment. Its first connection is the token request.
async fn open_raw(address: SocketAddr, body: ClientBody) -> Exchange {
    let relay = token_then(address);
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("http://{relay}");
    let target = open(&base, "consent: [write]", folder.path(), &masks).await.expect("it opens");
    let session = target.session("a/b", &Sandbox::default()).await.expect("there is a session");
    session.send(ClientRequest { body, ..call("POST", "/v1/requests") }).await
}

#[tokio::test]
async fn a_response_that_breaks_off_is_broken() {
    let rows: [(&str, &[u8]); 3] = [
        ("hangs up", b""),
        ("no HTTP", b"SSH-2.0-x\r\n\r\n"),
        ("head breaks off", b"HTTP/1.1 200 OK\r\ncontent-le"),
    ];
    for (name, bytes) in rows {
        let address = serve(move |mut stream| {
            read_head(&mut stream);
            let _ = stream.write_all(bytes);
        });
        let body = ClientBody::Bytes {
            content_type: None,
            bytes: Bytes::from_static(b"x"),
            declared_length: None,
        };
        let exchange = open_raw(address, body).await;
        assert!(
            matches!(trouble(&exchange), Trouble::Broken(_)),
            "{name}: {:?}",
            trouble(&exchange)
        );
    }
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_called_cut_short() {
    let rows: [(&[u8], &str); 2] = [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "3 of 9 bytes"),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n",
            "5 bytes, before the end of its body",
        ),
    ];
    for (bytes, expected) in rows {
        let address = serve(move |mut stream| {
            read_head(&mut stream);
            let _ = stream.write_all(bytes);
        });
        let exchange = open_raw(address, ClientBody::Empty).await;
        assert_eq!(trouble(&exchange), &Trouble::CutShort(expected.to_owned()));
    }
}

/// Reads the second request on a connection and closes: the service closed an idle connection while the request was on
/// its way.
#[tokio::test]
async fn a_connection_that_the_service_closed_without_notice_fails_no_request() {
    let address = serve(|mut stream| {
        thread::spawn(move || {
            read_head(&mut stream);
            let json = "{\"access_token\":\"token-1\",\"expires_in\":7200,\"data\":[]}";
            let length = json.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{json}");
            read_head(&mut stream);
        });
    });
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("http://{address}");
    let target = open(&base, "consent: [write]", folder.path(), &masks).await.expect("it opens");
    let session = target.session("a/b", &Sandbox::default()).await.expect("there is a session");
    for method in ["POST", "GET", "POST", "POST"] {
        let exchange = session.send(call(method, "/v1/elsewhere")).await;
        assert_eq!(response(&exchange).status, 200, "{method}");
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let error = open(&format!("http://{closed}"), "", folder.path(), &masks).await.err();
    let said = unreachable_reason(error);
    assert!(said.contains(&closed.to_string()), "{said}");
    insta::assert_snapshot!(message(&said), @"127.0.0.1:PORT cannot be reached: Connection refused (os error N); is it running? Compare the port of `base_url`");
}

#[tokio::test]
async fn tls_trouble_is_called_so() {
    let address = serve(|mut stream| {
        let mut some = [0; 8];
        let _ = stream.read(&mut some);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let error = open(&format!("https://{address}"), "", folder.path(), &masks).await.err();
    insta::assert_snapshot!(message(&unreachable_reason(error)), @"127.0.0.1:PORT cannot be reached: TLS: the server does not speak TLS; if it speaks HTTP, write http:// instead of https://");
}

/// The reason why a target cannot be reached.
#[track_caller]
fn unreachable_reason(error: Option<OpenError>) -> String {
    match error {
        Some(OpenError::Unreachable(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

/// A server that passes each connection to `handle`. Its thread ends with the process.
fn serve(handle: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || listener.incoming().flatten().for_each(handle));
    address
}

/// A server that responds to token requests and the list of workflows itself, and passes every other connection to
/// `address`.
fn token_then(address: SocketAddr) -> SocketAddr {
    serve(move |mut stream| {
        let head = read_head(&mut stream);
        let own = |stream: &mut TcpStream, json: &str| {
            let length = json.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{json}"
            );
        };
        let text = String::from_utf8_lossy(&head).into_owned();
        if text.starts_with("POST /oauth/token") {
            own(&mut stream, "{\"access_token\":\"token-1\",\"expires_in\":7200}");
        } else if text.starts_with("GET /v1/workflows") {
            own(&mut stream, "{\"data\":[]}");
        } else if let Ok(mut beyond) = TcpStream::connect(address) {
            let _ = beyond.write_all(&head);
            if let (Ok(mut from), Ok(mut to)) = (stream.try_clone(), beyond.try_clone()) {
                thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(std::net::Shutdown::Write);
                });
            }
            let _ = std::io::copy(&mut beyond, &mut stream);
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    })
}

/// Reads to the end of a head. The result may include bytes after the head.
fn read_head(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
        }
    }
    bytes
}
