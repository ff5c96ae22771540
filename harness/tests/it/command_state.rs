//! `moot mock --state`: acknowledged changes survive a kill at any time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::command_support::{Running, demo_token, message, moot, run};

const ROUNDS: usize = 100;
/// The letters of the documents of the main world and of a sandbox.
const WRITERS: [(&str, &str); 2] = [("", "ab"), ("/sandboxes/s1", "cd")];
/// The length of a document that is too large for the database itself.
const DOCUMENT_BYTES: usize = 100_000;

/// A running mock with its state in a folder, a token for its main world, and one for its sandbox.
struct KilledMock {
    running: Running,
    host: String,
    token: String,
    sandbox_token: String,
}

impl KilledMock {
    fn start(dir: &Path) -> Self {
        let words = ["mock", "--listen", "127.0.0.1:0", "--format", "json"];
        let words = [&words[..], &["--rate-limit", "off", "--state", "state"]].concat();
        let running = Running::of(moot(&words, dir));
        let host = running.host();
        let token = demo_token(&host, "");
        let mut mock = Self { running, host, token, sandbox_token: String::new() };
        if mock.sandboxes().is_empty() {
            mock.admin("POST /__admin/sandboxes", "{}");
        }
        mock.sandbox_token = demo_token(&mock.host, "/sandboxes/s1");
        mock
    }

    /// An action of the control plane, which must succeed.
    fn admin(&self, line: &str, body: &str) -> Value {
        let response = call(&self.host, line, "", "application/json", body.as_bytes());
        let (status, response) = response.expect("a mock that nobody killed answers");
        assert!(status < 300, "{line}: {}", String::from_utf8_lossy(&response));
        serde_json::from_slice(&response).expect("JSON")
    }

    /// The ids of the sandboxes.
    fn sandboxes(&self) -> BTreeSet<String> {
        let listed = self.admin("GET /__admin/sandboxes", "");
        let all = listed["sandboxes"].as_array().expect("a list").iter();
        all.map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
    }

    /// The token of the world below `base`.
    fn token(&self, base: &str) -> &str {
        if base.is_empty() { &self.token } else { &self.sandbox_token }
    }

    fn get(&self, base: &str, path: &str) -> (u16, Vec<u8>) {
        let line = format!("GET {path}");
        let response = call(&self.host, &line, self.token(base), "text/plain", b"");
        response.expect("a mock that nobody killed answers")
    }
}

/// Status and body. `None` if the connection broke before the end of the response.
fn call(host: &str, line: &str, token: &str, kind: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect(host).ok()?;
    let length = body.len();
    let authorization =
        if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{authorization}\
         Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).ok()?;
    let end = response.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&response[..end]).to_ascii_lowercase();
    let status = head.get(9..12)?.parse().ok()?;
    let length: usize =
        head.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
    let body = response.split_off(end + 4);
    (body.len() == length).then_some((status, body))
}

fn form(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut body = String::new();
    for (name, value) in parts {
        body.push_str(&format!(
            "--b0\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n"
        ));
    }
    body.push_str("--b0--\r\n");
    body.into_bytes()
}

/// Acknowledged objects: base paths with ids, and the letter of each document.
#[derive(Default)]
struct Acknowledged {
    legal_requests: BTreeSet<(&'static str, String)>,
    documents: BTreeMap<(&'static str, String), char>,
    made: BTreeSet<String>,
    deleted: BTreeSet<String>,
}

/// Creates sandboxes and deletes every second one, until the mock is killed.
fn make_sandboxes(host: &str, acknowledged: &Mutex<Acknowledged>) {
    let kind = "application/json";
    loop {
        let mut ids = Vec::new();
        for _ in 0..2 {
            let Some((status, response)) = call(host, "POST /__admin/sandboxes", "", kind, b"{}")
            else {
                return;
            };
            assert_eq!(status, 201, "{}", String::from_utf8_lossy(&response));
            let response: Value = serde_json::from_slice(&response).expect("JSON");
            ids.push(response["id"].as_str().expect("an id").to_owned());
            let mut all = acknowledged.lock().expect("no writer panics");
            assert!(all.made.insert(ids[ids.len() - 1].clone()), "an id is given once");
        }
        // Without a response the sandbox may or may not be deleted.
        let gone = ids.swap_remove(0);
        acknowledged.lock().expect("no writer panics").made.remove(&gone);
        let line = format!("DELETE /__admin/sandboxes/{gone}");
        let Some((status, response)) = call(host, &line, "", kind, b"") else { return };
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&response));
        acknowledged.lock().expect("no writer panics").deleted.insert(gone);
    }
}

/// Writes until the mock is killed. The thread that takes `left` to zero kills it.
fn write(
    running: &Mutex<&mut KilledMock>,
    (host, base, token): (&str, &'static str, &str),
    acknowledged: &Mutex<Acknowledged>,
    left: &AtomicUsize,
    letter: char,
) {
    let name = format!("Sample {letter}");
    let legal_request = form(&[
        ("workflow_id", "wfMutualNda1"),
        ("requester_email", "requester@northwind.example"),
        ("counterparty_name", &name),
        ("counterparty_email", "ada@sample.example"),
        ("counterparty_organization_name", "Sample Works Ltd"),
        ("internal_signer_email", "legal@northwind.example"),
        ("variables", r#"{"purpose":"Test","duration":2,"duration_unit":"years"}"#),
    ]);
    let text = letter.to_string().repeat(DOCUMENT_BYTES);
    let document = form(&[("file; filename=large.txt", &text)]);
    let kind = "multipart/form-data; boundary=b0";
    loop {
        for (path, body) in [("requests", &legal_request), ("repository_documents", &document)] {
            let line = format!("POST {base}/v1/{path}");
            let Some((status, response)) = call(host, &line, token, kind, body) else { return };
            assert_eq!(status, 201, "{}", String::from_utf8_lossy(&response));
            let response: Value = serde_json::from_slice(&response).expect("JSON");
            let id = response["data"]["id"].as_str().expect("an id").to_owned();
            let mut all = acknowledged.lock().expect("no writer panics");
            let is_new = match path {
                "requests" => all.legal_requests.insert((base, id)),
                _ => all.documents.insert((base, id), letter).is_none(),
            };
            assert!(is_new, "an id is given once");
            drop(all);
            if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                running.lock().expect("no writer panics").running.kill();
                return;
            }
        }
    }
}

#[track_caller]
fn check(running: &KilledMock, acknowledged: &Acknowledged, round: usize) {
    for (base, id) in &acknowledged.legal_requests {
        let (status, _) = running.get(base, &format!("{base}/v1/requests/{id}"));
        assert_eq!(status, 200, "round {round}: {base} {id}");
    }
    for ((base, id), letter) in &acknowledged.documents {
        let (status, response) = running.get(base, &format!("{base}/v1/repository_documents/{id}"));
        assert_eq!(status, 200, "round {round}: {base} {id}");
        let response: Value = serde_json::from_slice(&response).expect("JSON");
        let url = response["data"]["attributes"]["agreement_url"].as_str().expect("an address");
        let path = url.split_once(&running.host).expect("an address of the mock").1;
        let (_, bytes) = running.get(base, path);
        assert_eq!(bytes, letter.to_string().repeat(DOCUMENT_BYTES).as_bytes(), "{id}");
    }
    let there = running.sandboxes();
    let lost: Vec<&String> = acknowledged.made.difference(&there).collect();
    assert!(lost.is_empty(), "round {round}: {lost:?}");
    let back: Vec<&String> = acknowledged.deleted.intersection(&there).collect();
    assert!(back.is_empty(), "round {round}: {back:?}");
}

/// The time of the kill is a number of responses, so the other writers can be at any point.
#[test]
fn every_acknowledged_id_survives_a_hundred_kills() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (mut all, mut newest) = (Acknowledged::default(), Acknowledged::default());
    for round in 0..ROUNDS {
        let mut running = KilledMock::start(dir.path());
        check(&running, &newest, round);
        all.legal_requests.append(&mut newest.legal_requests);
        all.documents.append(&mut newest.documents);
        all.made.append(&mut newest.made);
        all.deleted.append(&mut newest.deleted);
        let (host, tokens) =
            (running.host.clone(), WRITERS.map(|(base, _)| running.token(base).to_owned()));
        let (acknowledged, left) = (Mutex::default(), AtomicUsize::new(1 + round * 7 % 12));
        let shared = Mutex::new(&mut running);
        thread::scope(|scope| {
            let (shared, acknowledged, left) = (&shared, &acknowledged, &left);
            let host = host.as_str();
            for ((base, letters), token) in WRITERS.iter().zip(&tokens) {
                for letter in letters.chars() {
                    let of_mock = (host, *base, token.as_str());
                    scope.spawn(move || write(shared, of_mock, acknowledged, left, letter));
                }
            }
            scope.spawn(move || make_sandboxes(host, acknowledged));
        });
        newest = acknowledged.into_inner().expect("no writer panicked");
    }
    let mut last = KilledMock::start(dir.path());
    check(&last, &newest, ROUNDS);
    check(&last, &all, ROUNDS);
    last.running.kill();
    assert!(all.legal_requests.len() >= ROUNDS && all.documents.len() >= ROUNDS);
    assert!(!all.made.is_empty() && !all.deleted.is_empty());
}

#[test]
fn a_damaged_file_is_named_and_the_mock_does_not_start() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    KilledMock::start(dir.path()).running.kill();
    let path = dir.path().join("state").join("state.redb");
    let mut bytes = fs::read(&path).expect("a readable file");
    bytes.truncate(5_000);
    fs::write(&path, &bytes).expect("a written file");
    let ran = run(&["mock", "--listen", "127.0.0.1:0", "--state", "state"], dir.path());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    insta::assert_snapshot!(message(&ran.stderr), @"error: the mock cannot start: `state/state.redb` cannot be used: DB corrupted: File truncated below the minimum layout: file_len=5000; restore a copy of the whole folder, or use a new folder");
    assert_eq!(fs::read(&path).expect("a readable file"), bytes, "it stays as it is");
}
