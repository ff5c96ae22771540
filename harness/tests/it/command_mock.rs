//! `moot mock` says where it is when it is there, serves, and stops when told.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::command_support::{Running, run};

/// Status line of the answer to a GET.
fn get(base_url: &str, path: &str) -> String {
    let address = base_url.strip_prefix("http://").expect("plain http");
    let (host, base_path) = address.split_once('/').unwrap_or((address, ""));
    let mut stream = TcpStream::connect(host).expect("it listens");
    let prefix = if base_path.is_empty() { String::new() } else { format!("/{base_path}") };
    write!(stream, "GET {prefix}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[track_caller]
fn check(signal: &str) {
    let running = Running::start(&["--format", "json", "--seed", "42"]);
    let ready: Value = serde_json::from_str(&running.first_line).expect("one JSON line");
    assert_eq!((&ready["ready"], &ready["seed"]), (&Value::from(true), &Value::from(42)));
    assert!(ready["applications"].as_array().is_some_and(|list| !list.is_empty()));
    let base_url = ready["base_url"].as_str().expect("an address");
    assert_eq!(get(base_url, "/v1/workflows"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(get(base_url, "/__admin/health"), "HTTP/1.1 200 OK");
    let (code, rest) = running.stop(signal);
    assert_eq!((code, rest.as_str()), (Some(0), ""), "one line is all");
}

#[test]
fn it_stops_on_sigterm_and_on_sigint() {
    check("-TERM");
    check("-INT");
}

#[test]
fn a_person_is_told_the_credentials_and_a_line_to_paste() {
    let running = Running::start(&["--seed", "42"]);
    assert!(running.first_line.starts_with("moot mock is ready at http://127.0.0.1:"));
    let (code, rest) = running.stop("-TERM");
    assert_eq!(code, Some(0));
    for part in ["demo-main", "client_secret", "/oauth/token -d grant_type=client_credentials"] {
        assert!(rest.contains(part), "{rest}");
    }
}

#[test]
fn the_public_address_is_served_below_its_path() {
    let running = Running::start(&["--format", "json", "--public-url", "http://lrs.example/api/"]);
    let ready: Value = serde_json::from_str(&running.first_line).expect("one JSON line");
    assert_eq!(ready["base_url"], "http://lrs.example/api");
    assert_eq!(ready["token_url"], "http://lrs.example/api/oauth/token");
    running.stop("-TERM");
}

#[test]
fn tls_wants_two_files_that_prove_something() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (words, part) in [
        ("cert.pem", "--tls takes two files: CERT,KEY"),
        ("cert.pem,key.pem", "`cert.pem` holds no PEM certificates"),
    ] {
        let ran = run(&["mock", "--listen", "127.0.0.1:0", "--tls", words], dir.path());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
}
