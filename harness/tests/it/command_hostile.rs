//! Hostile input for a real `moot mock`. The mock needs little memory, sends no 5xx response, and does not delay other
//! clients.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::command_support::{Running, demo_token};

/// The most memory that an attack may add.
const MEMORY_KIB_MAX: u64 = 64 * 1024;
const SLOW_CLIENTS: usize = 500;
/// The time limit for an ordinary read during an attack.
const READ_MAX: Duration = Duration::from_secs(2);
/// The time limit for every exchange.
const EXCHANGE_MAX: Duration = Duration::from_secs(60);
const BULK_BYTES: usize = 48 << 20;
const MULTIPART: &str = "multipart/form-data; boundary=b0";

/// A mock, and a token for it.
struct Victim {
    running: Running,
    host: String,
    token: String,
}

impl Victim {
    fn start() -> Self {
        let running = Running::start(&["--format", "json", "--rate-limit", "off"]);
        let host = running.host();
        let token = demo_token(&host, "");
        Self { running, host, token }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(EXCHANGE_MAX)).expect("a timeout that is not zero");
        stream
    }

    /// Sends `bytes`, and returns the whole response. It is empty if the connection is reset.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut response = Vec::new();
        if let Err(error) = stream.read_to_end(&mut response) {
            assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "it never ends");
        }
        String::from_utf8_lossy(&response).into_owned()
    }

    fn post(&self, path: &str, kind: &str, body: &[u8]) -> String {
        self.exchange(&self.call(path, kind, body.len(), body))
    }

    /// A call that announces `length` bytes.
    fn call(&self, path: &str, kind: &str, length: usize, body: &[u8]) -> Vec<u8> {
        let (host, token) = (&self.host, &self.token);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    }

    /// Asserts that the request is refused or its connection closed, without a 5xx response.
    #[track_caller]
    fn check(&self, what: &str, response: &str) {
        let is_fine = response.is_empty() || response.starts_with("HTTP/1.1 4");
        assert!(is_fine, "{what}: {}", response.chars().take(400).collect::<String>());
    }

    #[track_caller]
    fn is_responding(&self) {
        let started = Instant::now();
        let (host, token) = (&self.host, &self.token);
        let response = self.exchange(
            format!(
                "GET /v1/requests HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
                 Connection: close\r\n\r\n"
            )
            .as_bytes(),
        );
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(started.elapsed() < READ_MAX, "{:?}", started.elapsed());
    }

    /// The peak of its memory in KiB. `None` if the system does not report it.
    fn peak_kib(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.running.pid());
        let status = std::fs::read_to_string(path).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }
}

const PART: &str = "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n";

/// Multipart bodies, each broken in another way.
fn broken_forms() -> Vec<(&'static str, Vec<u8>)> {
    let text = |what, text: String| (what, text.into_bytes());
    let form = |headers: &str| format!("--b0\r\n{headers}\r\n\r\n1\r\n--b0--\r\n");
    vec![
        text("nothing", String::new()),
        text("no boundary inside", "1".repeat(100_000)),
        text("only the end", "--b0--\r\n".to_owned()),
        text("no end", format!("{PART}\r\n1\r\n")),
        text("ends within a boundary", format!("{PART}\r\n1\r\n--b")),
        text("ends within the headers", PART.to_owned()),
        text("a boundary without a line end", "--b0Content-Disposition: form-data".to_owned()),
        text(
            "bare line feeds",
            form("Content-Disposition: form-data; name=file").replace('\r', ""),
        ),
        text("no disposition", form("Content-Type: text/plain")),
        text("another disposition", form("Content-Disposition: attachment; name=file")),
        text("no name", form("Content-Disposition: form-data; filename=a.txt")),
        text("an open quote", form("Content-Disposition: form-data; name=\"file")),
        text("a header without a colon", form("Content-Disposition form-data")),
        text("a header of a megabyte", form(&format!("X: {}", "x".repeat(1 << 20)))),
        text("ten thousand headers", form(&"X: 1\r\n".repeat(10_000))),
        text(
            "a name of a megabyte",
            form(&format!("Content-Disposition: form-data; name=\"{}\"", "x".repeat(1 << 20))),
        ),
        ("bytes that are not text", [b"--b0\r\n".as_slice(), &[0xff, 0, 0x80, 13, 10]].concat()),
        text(
            "ten thousand parts",
            format!("{}--b0--\r\n", format!("{PART}\r\n1\r\n").repeat(10_000)),
        ),
        text(
            "a text of many megabytes",
            format!(
                "--b0\r\nContent-Disposition: form-data; name=metadata\r\n\r\n{}\r\n--b0--\r\n",
                "x".repeat(BULK_BYTES)
            ),
        ),
        text(
            "deep metadata",
            format!(
                "{PART}\r\n1\r\n--b0\r\nContent-Disposition: form-data; name=metadata\r\n\r\n{}\r\n--b0--\r\n",
                "[".repeat(60_000)
            ),
        ),
        text("two files of one name", format!("{PART}\r\n1\r\n{PART}\r\n2\r\n--b0--\r\n")),
    ]
}

fn forms(victim: &Victim) {
    for path in ["/v1/repository_documents", "/v1/requests"] {
        for (what, body) in broken_forms() {
            victim.check(what, &victim.post(path, MULTIPART, &body));
        }
        for kind in [
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed",
            "multipart/form-data; boundary=\"",
            "text/plain",
            "\u{1}",
        ] {
            victim.check(
                kind,
                &victim.post(path, kind, format!("{PART}\r\n1\r\n--b0--\r\n").as_bytes()),
            );
        }
        let long = format!("multipart/form-data; boundary={}", "b".repeat(4_000));
        victim.check("a long boundary", &victim.post(path, &long, b"--b0--\r\n"));
        let cut = victim.call(path, MULTIPART, 1 << 20, format!("{PART}\r\n1").as_bytes());
        victim.check("less than was announced", &victim.exchange(&cut));
        let endless = victim.call(path, MULTIPART, usize::MAX, PART.as_bytes());
        victim.check("more than there is", &victim.exchange(&endless));
    }
    let large = format!("{PART}\r\n{}\r\n--b0--\r\n", "x".repeat(BULK_BYTES));
    let response = victim.post("/v1/repository_documents", MULTIPART, large.as_bytes());
    assert!(response.starts_with("HTTP/1.1 201"), "a large file is not an attack: {response}");
    victim.is_responding();
}

fn heads(victim: &Victim) {
    let many: String = (0..10_000).map(|number| format!("X-{number}: 1\r\n")).collect();
    let (long, target) = ("x".repeat(4 << 20), "x".repeat(200_000));
    for (what, bytes) in [
        ("many headers", format!("GET /v1/requests HTTP/1.1\r\nHost: x\r\n{many}\r\n")),
        ("a long header", format!("GET /v1/requests HTTP/1.1\r\nHost: x\r\nX: {long}\r\n\r\n")),
        ("a long target", format!("GET /{target} HTTP/1.1\r\nHost: x\r\n\r\n")),
        ("no HTTP", "\0\u{1}\u{2}\r\n\r\n".repeat(10_000)),
        (
            "two lengths",
            "POST /v1/requests HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\
            Content-Length: 2\r\n\r\nxx"
                .to_owned(),
        ),
        (
            "a chunk of all sizes",
            "POST /oauth/token HTTP/1.1\r\nHost: x\r\n\
            Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx"
                .to_owned(),
        ),
        (
            "a chunk that is none",
            "POST /oauth/token HTTP/1.1\r\nHost: x\r\n\
            Transfer-Encoding: chunked\r\n\r\nzz\r\nx"
                .to_owned(),
        ),
    ] {
        victim.check(what, &victim.exchange(bytes.as_bytes()));
    }
    victim.is_responding();
}

fn documents(victim: &Victim) {
    for deep in ["[".repeat(1 << 20), r#"{"a":"#.repeat(200_000), "\"".repeat(BULK_BYTES)] {
        for path in ["/v1/webhooks", "/__admin/tokens", "/__admin/faults", "/__admin/sandboxes"] {
            victim.check(path, &victim.post(path, "application/json", deep.as_bytes()));
        }
        let kind = "application/x-www-form-urlencoded";
        victim.check("a form", &victim.post("/oauth/token", kind, deep.as_bytes()));
    }
    victim.is_responding();
}

/// Half of them stop within the head, half within the body.
fn slow_clients(victim: &Victim) {
    let begun = |number: usize| match number % 2 {
        0 => b"GET /v1/requests HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_vec(),
        _ => victim.call("/v1/requests", MULTIPART, 99_999, PART.as_bytes()),
    };
    let slow: Vec<TcpStream> = (0..SLOW_CLIENTS)
        .map(|number| {
            let mut stream = victim.connect();
            stream.write_all(&begun(number)).expect("it is sent");
            stream
        })
        .collect();
    for _ in 0..10 {
        victim.is_responding();
    }
    drop(slow);
    victim.is_responding();
}

#[test]
fn hostile_input_costs_64_mib_at_most_and_is_never_a_5xx() {
    let victim = Victim::start();
    victim.is_responding();
    let before = victim.peak_kib();
    forms(&victim);
    heads(&victim);
    documents(&victim);
    slow_clients(&victim);
    match (before, victim.peak_kib()) {
        (Some(before), Some(after)) => {
            assert!(after - before <= MEMORY_KIB_MAX, "{} KiB more", after - before);
        }
        _ => eprintln!("there is no /proc: the memory of the mock is not tested"),
    }
    let (code, _) = victim.running.stop("-TERM");
    assert_eq!(code, Some(0));
}
