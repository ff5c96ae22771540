//! One HTTP call over its own connection. Every error is a value.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// The time limit for a call.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two checks of a condition.
const LOOK: Duration = Duration::from_millis(5);

/// Sleeps for a moment.
pub(super) fn pause() {
    std::thread::park_timeout(LOOK);
}

/// A response.
#[derive(Debug)]
pub(super) struct NodeResponse {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl NodeResponse {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Calls `host`. `None` if the outcome of the call is unknown.
pub(super) fn call(host: &str, line: &str, headers: &str, body: &str) -> Option<NodeResponse> {
    let address = host.parse().expect("an address");
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).ok()?;
    let response = String::from_utf8(response).ok()?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
    });
    let length = if status == 204 { "0".to_owned() } else { length? };
    // An incomplete body is no response.
    (length.parse() == Ok(body.len())).then(|| NodeResponse {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// Uploads a document with this name.
pub(super) fn upload(host: &str, token: &str, name: &str) -> Option<NodeResponse> {
    let headers = format!(
        "Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=b0\r\n"
    );
    let body = format!(
        "--b0\r\nContent-Disposition: form-data; name=file; filename={name}\r\n\r\n{name}\r\n--b0--\r\n"
    );
    call(host, "POST /v1/repository_documents", &headers, &body)
}

/// One page of the documents.
pub(super) fn documents(host: &str, token: &str, page: u64) -> Option<NodeResponse> {
    let headers = format!("Authorization: Bearer {token}\r\n");
    call(host, &format!("GET /v1/repository_documents?page={page}"), &headers, "")
}
