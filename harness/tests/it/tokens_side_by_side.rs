//! Scenarios that read and request tokens, on a service whose newer tokens revoke older ones. Each runs alone, so the
//! run reports no violation. A server counts the concurrent requests.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::deployment::{judged, target};

/// The time that a token request waits for a concurrent one, which must not come.
const ALONE_DEADLINE: Duration = Duration::from_millis(20);
const SCENARIOS: usize = 6;
const JOBS: &str = "4";

#[derive(Default)]
struct Seen {
    issued: usize,
    /// Concurrent token requests, now and at most.
    in_hand: usize,
    in_hand_max: usize,
}

#[derive(Default)]
struct Service {
    seen: Mutex<Seen>,
    arrived: Condvar,
}

impl Service {
    fn start() -> (Arc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}/api", listener.local_addr().expect("an address"));
        let service = Arc::new(Self::default());
        let shared = Arc::clone(&service);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let service = Arc::clone(&shared);
                // The client may close the connection.
                thread::spawn(move || service.serve(stream).ok());
            }
        });
        (service, base)
    }

    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        while let Some((path, token)) = asked(&mut stream)? {
            let (status, kind, body) = match path.as_str() {
                "/api/oauth/token" => (200, "json", self.issue()),
                path if !self.takes(token) => (401, "problem+json", refusal(path)),
                _ => (200, "json", list()),
            };
            let head = [
                format!("HTTP/1.1 {status} X"),
                format!("content-type: application/{kind}"),
                format!("content-length: {}", body.len()),
                "cache-control: no-store".to_owned(),
                "www-authenticate: Bearer error=\"invalid_token\"".to_owned(),
                "date: Thu, 05 Mar 2026 14:30:00 GMT".to_owned(),
            ];
            let response = format!("{}\r\n\r\n{body}", head.join("\r\n"));
            stream.get_mut().write_all(response.as_bytes())?;
        }
        Ok(())
    }

    /// Waits for a concurrent token request, or for the time limit, and returns a token.
    fn issue(&self) -> String {
        let mut seen = self.seen.lock().expect("nobody panics with it");
        seen.issued += 1;
        let number = seen.issued;
        seen.in_hand += 1;
        seen.in_hand_max = seen.in_hand_max.max(seen.in_hand);
        self.arrived.notify_all();
        let is_alone = |seen: &mut Seen| seen.in_hand_max < 2;
        let waited = self.arrived.wait_timeout_while(seen, ALONE_DEADLINE, is_alone);
        seen = waited.expect("nobody panics with it").0;
        seen.in_hand -= 1;
        let token = format!("token-{number}");
        json!({ "access_token": token, "token_type": "Bearer", "expires_in": 7200, "scope": "read", "created_at": 1_772_721_000 })
            .to_string()
    }

    fn takes(&self, token: Option<usize>) -> bool {
        let issued = self.seen.lock().expect("nobody panics with it").issued;
        token.is_some_and(|number| number == issued)
    }
}

/// Path and token number of the next request. Its body is skipped. `None` after the last request.
fn asked(stream: &mut impl BufRead) -> std::io::Result<Option<(String, Option<usize>)>> {
    let (mut line, mut token, mut length) = (String::new(), None, 0);
    stream.read_line(&mut line)?;
    let Some(path) = line.split(' ').nth(1) else { return Ok(None) };
    loop {
        let mut header = String::new();
        stream.read_line(&mut header)?;
        match header.trim().split_once(": ") {
            Some(("authorization", value)) => {
                token = value.strip_prefix("Bearer token-").and_then(|it| it.parse().ok());
            }
            Some(("content-length", value)) => length = value.parse().unwrap_or(0),
            Some(_) => {}
            None => break,
        }
    }
    stream.read_exact(&mut vec![0; length])?;
    Ok(Some((path.to_owned(), token)))
}

fn refusal(path: &str) -> String {
    json!({
        "type": "token_revoked", "title": "Token revoked", "status": 401, "detail": "It was revoked.",
        "instance": path, "request_id": "req-1",
    })
    .to_string()
}

fn list() -> String {
    let pagination =
        json!({ "current_page": 1, "per_page": 25, "total_pages": 0, "total_count": 0 });
    json!({ "data": [], "pagination": pagination }).to_string()
}

/// Scenarios that request a token and read with a shared one, and a scenario with its own token.
fn suite() -> String {
    let form = "{ grant_type: client_credentials, client_id: <target.main.client_id>, \
                client_secret: <target.main.client_secret>, scope: read }";
    let ask = format!("      - request: POST /oauth/token\n        form: {form}\n");
    let read = |token: &str| {
        format!(
            "      - request: GET /v1/requests\n        token: {token}\n        expect:\n          \
             list-legal-requests.status-200: {{ status: 200 }}\n"
        )
    };
    let scenario = |id: &str, steps: &str| {
        format!("  - id: {id}\n    title: A sample\n    needs: [read]\n    steps:\n{steps}")
    };
    let mut text = "section: \"4.6\"\ntitle: A sample\nscenarios:\n".to_owned();
    for number in 0..SCENARIOS {
        let expect = "        expect: { token.type-bearer: { /token_type: Bearer } }\n";
        let steps = format!("{ask}{expect}{}", read("read"));
        text.push_str(&scenario(&format!("asks-{number}"), &steps));
    }
    let keeps = format!("{ask}        capture: {{ own: /access_token }}\n{}", read("<own>"));
    text.push_str(&scenario("keeps-its-own", &keeps));
    text
}

#[test]
fn scenarios_with_tokens_run_alone() {
    let (service, base) = Service::start();
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("tokens.yaml"), suite()).expect("writable");
    target(dir.path(), &base, "consent: []\n");
    judged(dir.path(), &["--scenarios", "tokens.yaml", "--jobs", JOBS], 0);
    let seen = service.seen.lock().expect("nobody panics with it");
    assert_eq!(seen.in_hand_max, 1);
    assert!(seen.issued > SCENARIOS, "{}", seen.issued);
}
