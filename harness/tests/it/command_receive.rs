//! `moot receive` prints the calls that it gets, responds with the given statuses, and exits after the given number of
//! calls.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::command_support::{Running, message, run};

/// The status line of the response to a delivery.
fn deliver(url: &str, path: &str, body: &str) -> String {
    let host = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    let host = host.expect("plain http, and the root");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer s3cret\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    response.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn each_delivery_is_a_line_and_the_last_status_goes_on() {
    let running = Running::start_as("receive", &["--status", "503,204"]);
    let url = running.first_line.trim().strip_prefix("listening at ").expect("an address");
    let body = r#"{"event":"execution_complete"}"#;
    let statuses = [(); 3].map(|()| deliver(url, "/hook?a=1", body)[9..12].to_owned());
    assert_eq!(statuses, ["503", "204", "204"]);
    let (code, rest) = running.stop("-TERM");
    let line = format!("POST /hook?a=1 Bearer s3cret {body}\n");
    assert_eq!((code, rest), (Some(0), format!("503 {line}204 {line}204 {line}")));
}

#[test]
fn json_is_for_programs_and_hostile_text_is_escaped() {
    let running =
        Running::start_as("receive", &["--format", "json", "--count", "2", "--delay-ms", "20"]);
    let ready = running.ready();
    let url = ready["url"].as_str().expect("an address");
    assert_eq!(ready["ready"], Value::from(true));
    assert_eq!(deliver(url, "/", r#"{"a":1}"#), "HTTP/1.1 200 OK");
    assert_eq!(deliver(url, "/", "\u{1b}[2J no JSON"), "HTTP/1.1 200 OK");
    let (code, rest) = running.wait();
    assert_eq!(code, Some(0), "it ends by itself");
    let lines: Vec<Value> =
        rest.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{rest}");
    assert_eq!((&lines[0]["number"], &lines[0]["json"]["a"]), (&Value::from(1), &Value::from(1)));
    assert_eq!(lines[0]["headers"]["authorization"], "Bearer s3cret");
    assert_eq!((&lines[1]["json"], &lines[1]["status"]), (&Value::Null, &Value::from(200)));
    assert!(!rest.contains('\u{1b}'), "{rest:?}");
}

#[test]
fn a_body_beyond_the_limit_is_refused_and_a_status_must_be_one() {
    let running = Running::start_as("receive", &[]);
    let url = running.first_line.trim().strip_prefix("listening at ").expect("an address");
    assert_eq!(deliver(url, "/", &"x".repeat((1 << 20) + 1))[9..12], *"413");
    let (code, rest) = running.stop("-INT");
    assert_eq!((code, rest.as_str()), (Some(0), ""));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let messages = [
        ["receive", "--status", "99"],
        ["receive", "--status", "200,x"],
        ["receive", "--count", "0"],
        ["receive", "--listen", "here"],
    ]
    .map(|words| {
        let ran = run(&words, dir.path()).ended(2);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: invalid value '99' for '--status <STATUS,…>': `99` is not an HTTP status from 200 to 599

    For more information, try '--help'.
    error: invalid value 'x' for '--status <STATUS,…>': `x` is not an HTTP status from 200 to 599

    For more information, try '--help'.
    error: invalid value '0' for '--count <N>': give a whole number of at least 1

    For more information, try '--help'.
    error: invalid value 'here' for '--listen <ADDR>': invalid socket address; give an address with a port, such as `127.0.0.1:PORT` or `localhost:PORT`, or a port

    For more information, try '--help'.
    ");
}
