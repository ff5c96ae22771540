//! The failure lab: three nodes under load, with every kind of failure.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use moot_test_postgres::Cluster;
use serde_json::Value;

use super::call::{documents, pause, upload};
use super::clients::{self, History, all_documents};
use super::nodes::{LEASE, Node, active, health_when, token};
use super::proxy::{Link, Proxy};

const NODES: usize = 3;
const CLIENTS: usize = 6;
/// The number of acknowledged writes between two failures.
const WRITES: u64 = 20;
/// A takeover may take longer than the lease by this time, because the machine is busy.
const SLACK: Duration = Duration::from_secs(20);

/// Makes every write fail like PostgreSQL with a full disk.
const FULL_DISK: &str = "
    create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert or update on moot_row execute function full_disk()";

/// The number of times that each failure is caused: a few in the gate, `MOOT_LAB_KILLS=500` in `bench/run failures`.
fn times(name: &str, default: u32) -> u32 {
    let given = std::env::var(format!("MOOT_LAB_{name}")).ok();
    given.map_or(default, |text| text.parse().expect("a number"))
}

/// Waits for this number of further acknowledged writes.
#[track_caller]
pub(super) fn progress(history: &History, writes: u64) {
    let (target, began) = (history.count() + writes, Instant::now());
    while history.count() < target {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is acknowledged any more");
        pause();
    }
}

/// The durations of takeovers of one kind.
struct Takeovers(&'static str, Vec<Duration>);

impl Takeovers {
    fn note(&mut self, began: Instant) {
        let took = began.elapsed();
        assert!(took < Duration::from_secs_f64(LEASE) + SLACK, "{}: took {took:?}", self.0);
        self.1.push(took);
    }

    fn print(&mut self) {
        self.1.sort();
        let (Some(longest), count) = (self.1.last(), self.1.len()) else { return };
        let median = self.1[count / 2];
        println!("{}: {count} times, takeover {median:.2?} median, {longest:.2?} longest", self.0);
    }
}

#[test]
fn no_failure_of_the_nodes_loses_an_acknowledged_write() {
    let cluster = Cluster::start();
    let url = cluster.url("lab");
    let proxies: Vec<Proxy> = (0..NODES).map(|_| Proxy::start(cluster.port())).collect();
    let urls: Vec<String> = proxies.iter().map(|it| it.through(&url, cluster.port())).collect();
    let mut nodes: Vec<Node> = urls.iter().map(|url| Node::start(url)).collect();
    let first = active(&nodes, |_| true);
    let token = token(&nodes[first].host);
    let base = all_documents(&nodes[first].host, &token).0.len() as u64;
    let history = History { base, ..History::default() };
    let tell = |nodes: &[Node]| {
        *history.hosts.lock().expect("no panic") = nodes.iter().map(|it| it.host.clone()).collect();
    };
    tell(&nodes);
    clients::during(&history, CLIENTS, &token, || {
        progress(&history, WRITES);

        let mut kills = Takeovers("kill -9", Vec::new());
        for _ in 0..times("KILLS", 3) {
            let killed = active(&nodes, |_| true);
            let began = Instant::now();
            nodes[killed].process.kill().expect("it runs");
            nodes[killed].process.wait().expect("it ends");
            active(&nodes, |at| at != killed);
            kills.note(began);
            nodes[killed] = Node::start(&urls[killed]);
            tell(&nodes);
            progress(&history, WRITES);
        }

        let mut stops = Takeovers("SIGTERM", Vec::new());
        for _ in 0..times("STOPS", 2) {
            let stopped = active(&nodes, |_| true);
            let began = Instant::now();
            nodes[stopped].signal("-TERM");
            active(&nodes, |at| at != stopped);
            stops.note(began);
            let ended = nodes[stopped].process.wait().expect("it ends");
            assert_eq!(ended.code(), Some(0));
            nodes[stopped] = Node::start(&urls[stopped]);
            tell(&nodes);
            progress(&history, WRITES);
        }

        let mut pauses = Takeovers("SIGSTOP", Vec::new());
        for _ in 0..times("PAUSES", 2) {
            let paused = active(&nodes, |_| true);
            let began = Instant::now();
            nodes[paused].signal("-STOP");
            let next = active(&nodes[..], |at| at != paused && !is_stopped(&nodes[at]));
            pauses.note(began);
            assert_ne!(next, paused);
            progress(&history, WRITES);
            nodes[paused].signal("-CONT");
            // Its first responses are not those of an active node.
            let late = upload(&nodes[paused].host, &token, "late.txt").expect("a response");
            assert_eq!(late.status, 503, "{}", late.body);
            let read = documents(&nodes[paused].host, &token, 1).expect("a response");
            assert_eq!(read.status, 503, "{}", read.body);
            progress(&history, WRITES);
        }

        let mut ends = Takeovers("ended connections", Vec::new());
        for kind in
            ["moot/%", "moot/write", "moot/lease"].iter().cycle().take(times("ENDS", 3) as usize)
        {
            let began = Instant::now();
            cluster.sql(
                "lab",
                &format!(
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                     where application_name like '{kind}'"
                ),
            );
            progress(&history, WRITES);
            ends.note(began);
        }

        let mut partitions = Takeovers("cut off from the database", Vec::new());
        let links = [Link::Held, Link::RequestsHeld, Link::ResponsesHeld, Link::Cut];
        for link in links.iter().cycle().take(times("PARTITIONS", 4) as usize) {
            let cut = active(&nodes, |_| true);
            let began = Instant::now();
            proxies[cut].set(*link);
            active(&nodes, |at| at != cut);
            partitions.note(began);
            progress(&history, WRITES);
            // Now the delayed statements of the expired lease arrive.
            proxies[cut].set(Link::Open);
            progress(&history, WRITES);
        }

        for _ in 0..times("SLOW", 1) {
            proxies.iter().for_each(|proxy| proxy.set(Link::Slow));
            progress(&history, WRITES);
            proxies.iter().for_each(|proxy| proxy.set(Link::Open));
        }

        for _ in 0..times("FULL", 1) {
            cluster.sql("lab", FULL_DISK);
            // A concurrent write may still be stored.
            let (before, refused) = (history.count() + CLIENTS as u64, history.unknown() + WRITES);
            let began = Instant::now();
            while history.unknown() < refused {
                assert!(began.elapsed() < Duration::from_secs(60), "no write is refused");
                pause();
            }
            assert!(
                history.count() <= before,
                "writes are acknowledged that the disk has no room for"
            );
            cluster.sql("lab", "drop trigger full_disk on moot_row; drop function full_disk");
            progress(&history, WRITES);
        }

        let mut crashes = Takeovers("crash of the database", Vec::new());
        for _ in 0..times("CRASHES", 1) {
            let began = Instant::now();
            cluster.crash();
            cluster.start_again();
            progress(&history, WRITES);
            crashes.note(began);
        }
        for one in [&mut kills, &mut stops, &mut pauses, &mut ends, &mut partitions, &mut crashes] {
            one.print();
        }
    });
    println!(
        "{} writes acknowledged, {} unknown, {} reads",
        history.count(),
        history.unknown(),
        history.reads.load(Ordering::SeqCst)
    );
    let last = active(&nodes, |_| true);
    let (ids, text) = all_documents(&nodes[last].host, &token);
    clients::check(&history, &ids);
    // The next node reads the same data from the database that this one has in memory.
    nodes[last].process.kill().expect("it runs");
    let next = active(&nodes, |at| at != last);
    assert!(all_documents(&nodes[next].host, &token).1 == text, "the nodes have different data");
    for (at, node) in nodes.iter().enumerate().filter(|(at, _)| *at != last) {
        let status = if at == next { 200 } else { 503 };
        let health =
            health_when(node, |is, health| is == status && health["active"] == nodes[next].host);
        assert_eq!(health["history_lost"], Value::Null);
    }
}

/// Whether a signal has stopped the process.
fn is_stopped(node: &Node) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", node.process.id()));
    stat.is_ok_and(|text| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T')))
}

#[test]
fn a_database_that_was_put_back_is_noticed_and_said() {
    let cluster = Cluster::start();
    let url = cluster.url("restored");
    let node = [Node::start(&url)];
    active(&node, |_| true);
    let token = token(&node[0].host);
    assert_eq!(upload(&node[0].host, &token, "kept.txt").expect("a response").status, 201);
    cluster.crash();
    cluster.copy("before");
    cluster.start_again();
    // The node may still trust its lease. Then it notices the crash by this call.
    let began = Instant::now();
    while upload(&node[0].host, &token, "lost.txt").expect("a response").status != 201 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is acknowledged any more");
        active(&node, |_| true);
    }
    cluster.crash();
    cluster.restore("before");
    cluster.start_again();
    let health = health_when(&node[0], |status, it| status == 200 && !it["history_lost"].is_null());
    let number = |name: &str| health["history_lost"][name].as_u64().expect("a number");
    assert!(number("to") < number("from"), "{health}");
    let listed = all_documents(&node[0].host, &token).1;
    assert!(listed.contains("kept.txt") && !listed.contains("lost.txt"));
}
