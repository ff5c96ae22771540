//! Processes of `moot mock` that share a database.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call::{call, pause};
use crate::support;

/// The lease of the tests, in seconds.
pub(super) const LEASE: f64 = 2.0;
/// Time until some node must be active, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One process.
pub(super) struct Node {
    pub(super) process: Child,
    pub(super) host: String,
    pub(super) ready: Value,
}

impl Node {
    /// Starts a node and waits until it listens.
    pub(super) fn start(url: &str) -> Self {
        Self::start_at(url, "127.0.0.1:0")
    }

    /// As [`Node::start`], at this address.
    pub(super) fn start_at(url: &str, listen: &str) -> Self {
        Self::start_with(&format!("{url}?"), listen)
    }

    /// As [`Node::start_at`], with an address to which options can be added.
    pub(super) fn start_with(url: &str, listen: &str) -> Self {
        let state = format!("{url}lease={LEASE}&renew=0.5");
        let words = ["mock", "--listen", listen, "--format", "json", "--rate-limit", "off"];
        let mut command = Command::new(support::binary());
        command.args(words).args(["--public-url", "http://moot.test", "--state", &state]);
        command.env_remove("PGPASSWORD").env_remove("MOOT_ADMIN_TOKEN");
        let mut process = command.stdout(Stdio::piped()).spawn().expect("moot runs");
        let mut line = String::new();
        let out = process.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("moot does not start with PostgreSQL. Was it built with `--features postgres`?")
        });
        let host = ready["listen"].as_str().expect("an address").to_owned();
        Self { process, host, ready }
    }

    /// Its health, with the status of the response.
    pub(super) fn health(&self) -> (u16, Value) {
        let response = call(&self.host, "GET /__admin/health", "", "");
        response.map_or((0, Value::Null), |it| (it.status, it.json()))
    }

    pub(super) fn is_active(&self) -> bool {
        let (status, health) = self.health();
        status == 200 && health["state"] == "active"
    }

    /// Sends a signal, such as `-KILL`.
    pub(super) fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let status = Command::new("kill").args([signal, &pid]).status().expect("kill runs");
        assert!(status.success());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a node for which `counts` holds is active, and returns its index.
#[track_caller]
pub(super) fn active(nodes: &[Node], counts: impl Fn(usize) -> bool) -> usize {
    let began = Instant::now();
    loop {
        let found = (0..nodes.len()).find(|at| counts(*at) && nodes[*at].is_active());
        if let Some(at) = found {
            return at;
        }
        assert!(began.elapsed() < PATIENCE, "no node is active: {:?}", healths(nodes));
        pause();
    }
}

/// Waits for the expected health of a node. Other nodes notice a takeover a moment later.
#[track_caller]
pub(super) fn health_when(node: &Node, is_right: impl Fn(u16, &Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let (status, health) = node.health();
        if is_right(status, &health) {
            return health;
        }
        assert!(began.elapsed() < PATIENCE, "its health stays {status} {health}");
        pause();
    }
}

fn healths(nodes: &[Node]) -> Vec<(u16, Value)> {
    nodes.iter().map(Node::health).collect()
}

/// A token that every node accepts.
#[track_caller]
pub(super) fn token(host: &str) -> String {
    let headers = "Content-Type: application/json\r\n";
    let response = call(host, "POST /__admin/tokens", headers, r#"{"client_id":"demo-main"}"#);
    let response = response.expect("a response").json();
    response["access_token"].as_str().unwrap_or_else(|| panic!("no token: {response}")).to_owned()
}
