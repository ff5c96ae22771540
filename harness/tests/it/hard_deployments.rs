//! Deployments that no client should survive by luck: each run on them ends, soon, with the right code.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::deployment::{judged, target};

const SCENARIO: &str = "\
section: \"4.6\"
title: A sample
scenarios:
  - id: lists
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect:
          list-legal-requests.status-200: { status: 200 }
";

/// So long a run takes at most: two tries, each to its deadline, and what opening takes.
const RUN_SECONDS_MAX: u64 = 25;
/// What a thread of a server sends at most, so that it ends though nobody stops it.
const SENT_BYTES_MAX: usize = 1_000_000_000;

/// What the server does about the list: all that it writes.
type Answer = fn(&mut TcpStream) -> std::io::Result<()>;

fn head(stream: &mut TcpStream, more: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n{more}\r\n")
}

fn json(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    let more = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    head(stream, &more)?;
    stream.write_all(body)
}

/// 1 GB, or as much of it as somebody reads.
fn pour(stream: &mut TcpStream, piece: &[u8]) -> std::io::Result<()> {
    for _ in 0..SENT_BYTES_MAX / piece.len() {
        stream.write_all(piece)?;
    }
    Ok(())
}

/// One byte after another, slowly, until nobody reads or a minute is over.
fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    for _ in 0..600 {
        stream.write_all(b"x")?;
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

const ROWS: [(&str, i32, Answer); 15] = [
    ("a body that never ends", 4, |stream| {
        head(stream, "content-type: application/json\r\ntransfer-encoding: chunked\r\n")?;
        let chunk = [b"100000\r\n".as_slice(), &[b'['; 0x10_0000], b"\r\n"].concat();
        pour(stream, &chunk)
    }),
    ("a body of 1 GB", 4, |stream| {
        let length = format!("content-length: {SENT_BYTES_MAX}\r\n");
        head(stream, &format!("content-type: application/json\r\n{length}"))?;
        pour(stream, &[b' '; 1_000_000])
    }),
    ("more than is kept", 3, |stream| json(stream, &[b' '; 5_000_000])),
    ("a gzip bomb", 1, |stream| {
        let bomb = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].repeat(100);
        let more = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
        head(stream, &format!("{more}content-length: {}\r\n", bomb.len()))?;
        stream.write_all(&bomb)
    }),
    ("a redirect loop", 1, |stream| {
        let location = "location: /api/v1/requests\r\ncontent-length: 0\r\nconnection: close\r\n";
        write!(stream, "HTTP/1.1 302 Found\r\n{location}\r\n")
    }),
    ("deep JSON", 1, |stream| json(stream, &[b'['; 200_000])),
    ("invalid UTF-8", 1, |stream| json(stream, b"{\"data\":[],\"note\":\"\xff\xfe\"}")),
    ("duplicate keys", 1, |stream| json(stream, b"{\"data\":[],\"data\":{},\"data\":7}")),
    ("another content type", 1, |stream| {
        head(stream, "content-type: text/html\r\ncontent-length: 2\r\n")?;
        stream.write_all(b"{}")
    }),
    ("a body shorter than declared", 4, |stream| {
        head(stream, "content-type: application/json\r\ncontent-length: 9\r\n")?;
        stream.write_all(b"{}")
    }),
    ("a head that breaks off", 4, |stream| stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-le")),
    ("no HTTP", 4, |stream| stream.write_all(b"SSH-2.0-x\r\n\r\n")),
    ("no byte at all", 4, |_| Ok(())),
    ("slow headers", 4, |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nx-slow: ")?;
        drip(stream)
    }),
    ("a slow body", 4, |stream| {
        head(stream, "content-type: application/json\r\n")?;
        drip(stream)
    }),
];

/// A service that gives tokens and has no workflows, and answers everything else with `answer`.
fn serve(answer: Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let line = read_request(&stream).unwrap_or_default();
                // Whoever was sent nonsense may hang up.
                let _ = if line.starts_with("POST /api/oauth/token") {
                    json(&mut stream, b"{\"access_token\":\"token-1\",\"expires_in\":7200}")
                } else if line.starts_with("GET /api/v1/workflows") {
                    json(&mut stream, b"{\"data\":[]}")
                } else {
                    answer(&mut stream)
                };
            });
        }
    });
    format!("http://{address}/api")
}

/// Reads one request whole; its first line.
fn read_request(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    Ok(first)
}

#[test]
fn every_run_ends_with_the_right_code() {
    for (name, code, answer) in ROWS {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("sample.yaml"), SCENARIO).expect("writable");
        target(dir.path(), &serve(answer), "");
        let started = Instant::now();
        let ran = judged(dir.path(), &["--scenarios", "sample.yaml"], code);
        let seconds = started.elapsed().as_secs();
        assert!(seconds < RUN_SECONDS_MAX, "{name}: {seconds} s\n{}", ran.stdout);
    }
}
