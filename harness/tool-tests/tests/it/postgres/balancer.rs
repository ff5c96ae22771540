//! The deployment of `deploy/` without containers: HAProxy with its file in front of three nodes.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use moot_test_postgres::Cluster;

use super::call::{call, pause};
use super::clients::{self, History, all_documents};
use super::lab::progress;
use super::nodes::{Node, active, token};
use crate::support;

/// The number of concurrent clients.
const CLIENTS: usize = 4;
/// The number of acknowledged writes between two restarts.
const WRITES: u64 = 20;
/// The time limit for a response of the proxy.
const PATIENCE: Duration = Duration::from_secs(60);

/// HAProxy, which sends calls to the active node.
struct Balancer {
    process: Child,
    host: String,
}

impl Balancer {
    /// Starts it with the file of `deploy/`. Only addresses are replaced.
    fn start(nodes: &[Node], folder: &Path) -> Self {
        // On Debian it is not on the PATH of ordinary users.
        let program =
            support::program(&[&["haproxy", "-v"], &["/usr/sbin/haproxy", "-v"]], "haproxy");
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let host = free.local_addr().expect("an address").to_string();
        drop(free);
        let file = support::root().join("deploy/haproxy.cfg");
        let mut config = std::fs::read_to_string(file).expect("the file of deploy/");
        let mut replace = |from: &str, to: &str| {
            assert!(config.contains(from), "deploy/haproxy.cfg has no `{from}`");
            config = config.replace(from, to);
        };
        replace("bind :4010", &format!("bind {host}"));
        for (at, node) in nodes.iter().enumerate() {
            replace(&format!(" node{}:4010", at + 1), &format!(" {}", node.host));
        }
        let path = folder.join("haproxy.cfg");
        std::fs::write(&path, config).expect("writable");
        let process = Command::new(program).arg("-f").arg(&path).spawn().expect("haproxy runs");
        let began = Instant::now();
        while TcpStream::connect(&host).is_err() {
            assert!(began.elapsed() < PATIENCE, "haproxy does not listen");
            pause();
        }
        Self { process, host }
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_rolling_restart_behind_haproxy_fails_no_call_but_with_503() {
    let cluster = Cluster::start();
    let url = cluster.url("rolling");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut nodes: Vec<Node> = (0..3).map(|_| Node::start(&url)).collect();
    let first = active(&nodes, |_| true);
    let token = token(&nodes[first].host);
    let base = all_documents(&nodes[first].host, &token).0.len() as u64;
    let balancer = Balancer::start(&nodes, folder.path());
    let history = History { base, ..History::default() };
    *history.hosts.lock().expect("no panic") = vec![balancer.host.clone()];
    clients::during(&history, CLIENTS, &token, || {
        progress(&history, WRITES);
        // Every node is restarted, so the active one is, too.
        for node in &mut nodes {
            node.signal("-TERM");
            let ended = node.process.wait().expect("it ends");
            assert_eq!(ended.code(), Some(0));
            progress(&history, WRITES);
            *node = Node::start_at(&url, &node.host);
            progress(&history, WRITES);
        }
    });
    assert_eq!(history.unanswered.load(Ordering::SeqCst), 0, "calls without a response");
    let (ids, _) = all_documents(&balancer.host, &token);
    clients::check(&history, &ids);
}

#[test]
fn without_an_active_node_haproxy_answers_as_a_standby_would() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = cluster.url("alone");
    let nodes: Vec<Node> = (0..3).map(|_| Node::start(&url)).collect();
    active(&nodes, |_| true);
    let balancer = Balancer::start(&nodes, folder.path());
    drop(nodes);
    let began = Instant::now();
    loop {
        let response = call(&balancer.host, "GET /v1/workflows", "", "");
        if let Some(response) = response.filter(|it| it.status == 503) {
            assert_eq!(response.json()["status"], 503);
            assert!(
                response.head.to_ascii_lowercase().contains("retry-after: 1"),
                "{}",
                response.head
            );
            return;
        }
        assert!(began.elapsed() < PATIENCE, "no 503");
        pause();
    }
}
