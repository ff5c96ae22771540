//! `moot mock --state`: what was acknowledged is there, whenever the process was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::command_support::{moot, run};

const ROUNDS: usize = 100;
const WRITERS: usize = 3;
/// A document beyond what the database itself keeps.
const DOCUMENT_BYTES: usize = 100_000;

/// A running mock with its state in a folder.
struct Running {
    child: Child,
    host: String,
    token: String,
}

impl Running {
    fn start(dir: &Path) -> Self {
        let words = [
            ["mock", "--listen"],
            ["127.0.0.1:0", "--format"],
            ["json", "--rate-limit"],
            ["off", "--state"],
        ];
        let words = [words.concat(), vec!["state"]].concat();
        let mut child = moot(&words, dir).stdout(Stdio::piped()).spawn().expect("the binary runs");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("it prints text");
        let ready: Value = serde_json::from_str(&line).expect("one JSON line");
        let base_url = ready["base_url"].as_str().expect("an address");
        let host = base_url.strip_prefix("http://").expect("plain http").to_owned();
        let application = &ready["applications"][0];
        let (id, secret) = (&application["client_id"], &application["client_secret"]);
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let form = format!(
            "grant_type=client_credentials&scope=read+write&client_id={}&client_secret={}",
            text(id),
            text(secret)
        );
        let kind = "application/x-www-form-urlencoded";
        let answer = call(&host, "POST /oauth/token", "", kind, form.as_bytes());
        let (_, answer) = answer.expect("a mock that nobody killed answers");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        Self { child, host, token: text(&answer["access_token"]) }
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let answer = call(&self.host, &format!("GET {path}"), &self.token, "text/plain", b"");
        answer.expect("a mock that nobody killed answers")
    }

    /// SIGKILL: no handler runs.
    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

/// Status and body; `None` where the connection broke before the whole answer was there.
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
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.get(9..12)?.parse().ok()?;
    let length: usize =
        head.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
    let body = answer.split_off(end + 4);
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

/// What was acknowledged: ids, and of documents the letter that they consist of.
#[derive(Default)]
struct Acknowledged {
    legal_requests: BTreeSet<String>,
    documents: BTreeMap<String, char>,
}

/// Writes until the mock is gone; the one that gets the last answer wanted kills it.
fn write(
    running: &Mutex<&mut Running>,
    (host, token): (&str, &str),
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
        for (line, body) in
            [("POST /v1/requests", &legal_request), ("POST /v1/repository_documents", &document)]
        {
            let Some((status, answer)) = call(host, line, token, kind, body) else { return };
            assert_eq!(status, 201, "{}", String::from_utf8_lossy(&answer));
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            let id = answer["data"]["id"].as_str().expect("an id").to_owned();
            let mut all = acknowledged.lock().expect("no writer panics");
            let is_new = match line {
                "POST /v1/requests" => all.legal_requests.insert(id),
                _ => all.documents.insert(id, letter).is_none(),
            };
            assert!(is_new, "an id is given once");
            drop(all);
            if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                running.lock().expect("no writer panics").kill();
                return;
            }
        }
    }
}

#[track_caller]
fn check(running: &Running, acknowledged: &Acknowledged, round: usize) {
    for id in &acknowledged.legal_requests {
        assert_eq!(running.get(&format!("/v1/requests/{id}")).0, 200, "round {round}: {id}");
    }
    for (id, letter) in &acknowledged.documents {
        let (status, answer) = running.get(&format!("/v1/repository_documents/{id}"));
        assert_eq!(status, 200, "round {round}: {id}");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let url = answer["data"]["attributes"]["agreement_url"].as_str().expect("an address");
        let path = url.split_once(&running.host).expect("an address of the mock").1;
        let (_, bytes) = running.get(path);
        assert_eq!(bytes, letter.to_string().repeat(DOCUMENT_BYTES).as_bytes(), "{id}");
    }
}

/// The moment is counted in answers, so it falls anywhere in what the other writers wait for.
#[test]
fn every_acknowledged_id_survives_a_hundred_kills() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let (mut all, mut newest) = (Acknowledged::default(), Acknowledged::default());
    for round in 0..ROUNDS {
        let mut running = Running::start(dir.path());
        check(&running, &newest, round);
        all.legal_requests.append(&mut newest.legal_requests);
        all.documents.append(&mut newest.documents);
        let (host, token) = (running.host.clone(), running.token.clone());
        let (acknowledged, left) = (Mutex::default(), AtomicUsize::new(1 + round * 7 % 12));
        let shared = Mutex::new(&mut running);
        thread::scope(|scope| {
            for letter in ('a'..).take(WRITERS) {
                let of_mock = (host.as_str(), token.as_str());
                let (shared, acknowledged, left) = (&shared, &acknowledged, &left);
                scope.spawn(move || write(shared, of_mock, acknowledged, left, letter));
            }
        });
        newest = acknowledged.into_inner().expect("no writer panicked");
    }
    let mut last = Running::start(dir.path());
    check(&last, &newest, ROUNDS);
    check(&last, &all, ROUNDS);
    last.kill();
    assert!(all.legal_requests.len() >= ROUNDS && all.documents.len() >= ROUNDS);
}

#[test]
fn a_damaged_file_is_named_and_nothing_starts() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    Running::start(dir.path()).kill();
    let path = dir.path().join("state").join("state.redb");
    let mut bytes = fs::read(&path).expect("a readable file");
    bytes.truncate(5_000);
    fs::write(&path, &bytes).expect("a written file");
    let ran = run(&["mock", "--listen", "127.0.0.1:0", "--state", "state"], dir.path());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("state/state.redb` is damaged"), "{}", ran.stderr);
    assert_eq!(fs::read(&path).expect("a readable file"), bytes, "it stays as it is");
}
