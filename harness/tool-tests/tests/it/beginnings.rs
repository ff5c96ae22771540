//! The ten most common mistakes of a new user. `moot doctor` and `moot run` name the remedy.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::support::moot;

/// The responses of a service to the token request, and to any other call.
struct Service {
    token: &'static str,
    other: &'static str,
}

const GRANTED: &str = "200 OK\r\nContent-Type: application/json\r\n\r\n{\"access_token\":\"a-token-of-tests\",\
    \"token_type\":\"Bearer\",\"expires_in\":7200,\"scope\":\"read write\",\"created_at\":1}";
const NOT_FOUND: &str = "404 Not Found\r\nContent-Type: application/json\r\n\r\n{}";
const NO_WORKFLOWS: &str = "200 OK\r\nContent-Type: application/json\r\n\r\n{\"pagination\":{\"current_page\":1,\
    \"per_page\":25,\"total_pages\":0,\"total_count\":0},\"data\":[]}";

/// A response with its length.
fn response(text: &str) -> String {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// Whether a whole request was received: its head, and a body of the announced length.
fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length: ")
            .and_then(|it| it.parse::<usize>().ok())
    });
    body.len() >= length.unwrap_or(0)
}

fn serve(mut stream: TcpStream, service: &Service) -> std::io::Result<()> {
    let (mut request, mut buffer) = (String::new(), [0; 4096]);
    // A client that speaks TLS sends no HTTP.
    while !is_whole(&request) && !request.starts_with('\u{16}') {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            length => request += &String::from_utf8_lossy(&buffer[..length]),
        }
    }
    let text = match request.contains("grant_type=client_credentials")
        || request.starts_with("POST /oauth")
    {
        // An application with only the scope `read`.
        true if service.token.is_empty() && request.contains("write") => {
            "400 Bad Request\r\nContent-Type: application/json\r\n\r\n{\"error\":\"invalid_scope\"}"
        }
        true if service.token.is_empty() => GRANTED,
        true => service.token,
        false => service.other,
    };
    stream.write_all(response(text).as_bytes())
}

/// Starts a service on a free port. It ends with the tests.
fn start(service: Service) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may close the connection.
            let _ = serve(stream, &service);
        }
    });
    port
}

const SECRET: &str = "a-secret-of-tests";

/// The target file of a beginner.
fn file(base_url: &str) -> String {
    format!(
        "base_url: {base_url}\nadmin: none\n\
         applications: {{ main: {{ client_id: app, client_secret: {SECRET} }} }}\n\
         bindings: {{ requester_email: someone@northwind.example }}\nconsent: [write]\nlimits: {{ requests_per_minute: 0 }}\n"
    )
}

/// Asserts that both commands have this exit code, and name the remedy.
#[track_caller]
fn both(what: &str, target: &str, code: i32, said: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("t.yaml"), target).expect("writable");
    for command in ["doctor", "run"] {
        let more: &[&str] = if command == "run" {
            &["04_04*", "04_05_create_legal_request/*", "02_resources/workflow-type-generated"]
        } else {
            &[]
        };
        let output = moot(&[&[command, "--target", "t.yaml"], more].concat(), folder.path());
        let told = format!("{}{}", output.stdout, output.stderr);
        assert!(told.contains(said), "{what}, {command}: no `{said}` in\n{told}");
        assert!(!told.contains(SECRET), "{what}, {command}: the secret is shown");
        if command == "doctor" {
            assert_eq!(output.code, Some(code), "{what}: {told}");
        } else {
            assert_ne!(output.code, Some(0), "{what}: {told}");
        }
    }
}

#[test]
fn each_mistake_has_a_remedy() {
    for (what, token, code, said) in [
        ("wrong path", NOT_FOUND, 4, "correct the path of `base_url`"),
        (
            "wrong secret",
            "401 Unauthorized\r\nContent-Type: application/json\r\n\r\n{\"error\":\"invalid_client\"}",
            4,
            "check `client_id` and `client_secret` of `applications.main`",
        ),
        ("only the scope read", "", 4, "state the scopes that it has"),
        ("a proxy", "407 Proxy Authentication Required\r\n\r\n", 1, "set HTTPS_PROXY="),
        (
            "the rate limit",
            "429 Too Many Requests\r\nRetry-After: 1\r\n\r\n",
            4,
            "limits.token_requests_per_minute",
        ),
        (
            "HTTP instead of HTTPS",
            "400 Bad Request\r\nContent-Type: text/html\r\n\r\nplain HTTP was sent to an HTTPS port",
            1,
            "write https:// in `base_url`",
        ),
        (
            "a redirect to a login page",
            "302 Found\r\nLocation: https://login.example/saml?a=b\r\n\r\n",
            1,
            "it redirects to login.example/saml: `base_url` must be the address of the API",
        ),
    ] {
        let port = start(Service { token, other: NOT_FOUND });
        both(what, &file(&format!("http://127.0.0.1:{port}")), code, said);
    }
}

#[test]
fn no_workflow_and_a_clock_that_is_wrong() {
    let port = start(Service { token: GRANTED, other: NO_WORKFLOWS });
    let target = file(&format!("http://127.0.0.1:{port}"));
    both("no workflow", &target, 0, "bindings.generated_workflow_id");
    let other = "401 Unauthorized\r\nContent-Type: application/problem+json\r\n\r\n{\"type\":\"token_expired\"}";
    let port = start(Service { token: GRANTED, other });
    let target = file(&format!("http://127.0.0.1:{port}")).replace("[write]", "[]");
    both("clock skew", &target, 0, "compare its clock with that of this machine");
}

#[test]
fn https_where_http_is_spoken() {
    let port = start(Service { token: GRANTED, other: NOT_FOUND });
    let target = file(&format!("https://127.0.0.1:{port}"));
    both("no TLS", &target, 4, "write http:// instead of https://");
}

#[test]
fn no_server_listens_there() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    drop(listener);
    let target = file(&format!("http://127.0.0.1:{port}"));
    both("nothing", &target, 4, "is it running? Compare the port of `base_url`");
}
