//! Clients that write and read continuously, and the checker of their observations.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::call::{documents, pause, upload};

/// The time before the next attempt without a response. The service asks for a second.
const BACK_OFF: Duration = Duration::from_millis(50);

/// The observations of all clients.
#[derive(Default)]
pub(super) struct History {
    /// The current addresses of the nodes.
    pub(super) hosts: Mutex<Vec<String>>,
    pub(super) is_over: AtomicBool,
    /// The number of documents before the first write.
    pub(super) base: u64,
    /// The ids of writes with a 201 response.
    pub(super) acknowledged: Mutex<Vec<String>>,
    /// The number of these writes.
    pub(super) count: AtomicU64,
    /// Writes without a response or with a 503 response. They may have taken effect.
    pub(super) unknown: AtomicU64,
    /// Calls without a response.
    pub(super) unanswered: AtomicU64,
    /// Reads with a 200 response.
    pub(super) reads: AtomicU64,
    /// Violations.
    pub(super) faults: Mutex<Vec<String>>,
}

impl History {
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    pub(super) fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::SeqCst)
    }

    fn fault(&self, text: String) {
        self.faults.lock().expect("no panic").push(text);
    }

    fn host(&self, number: usize) -> String {
        let hosts = self.hosts.lock().expect("no panic");
        hosts[number % hosts.len()].clone()
    }
}

/// Runs a function while clients call.
pub(super) fn during(history: &History, clients: usize, token: &str, what: impl FnOnce()) {
    /// Ends the clients, also if the test fails.
    struct Over<'h>(&'h History);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.is_over.store(true, Ordering::SeqCst);
        }
    }
    std::thread::scope(|scope| {
        let _over = Over(history);
        for client in 0..clients {
            scope.spawn(move || run(history, client, token));
        }
        what();
    });
}

/// Writes and reads until the end of the test. After a call without a response it uses the next node.
fn run(history: &History, client: usize, token: &str) {
    let (mut at, mut number) = (client, 0);
    while !history.is_over.load(Ordering::SeqCst) {
        let host = history.host(at);
        number += 1;
        pause();
        match upload(&host, token, &format!("c{client}-{number}.txt")) {
            Some(response) if response.status == 201 => {
                let id = response.json()["data"]["id"].as_str().expect("an id").to_owned();
                history.acknowledged.lock().expect("no panic").push(id);
                history.count.fetch_add(1, Ordering::SeqCst);
            }
            other => {
                history.unknown.fetch_add(1, Ordering::SeqCst);
                let status = other.as_ref().map(|response| response.status);
                history.unanswered.fetch_add(u64::from(other.is_none()), Ordering::SeqCst);
                if let Some(response) = other
                    && (response.status != 503
                        || !response.head.to_ascii_lowercase().contains("retry-after"))
                {
                    history.fault(format!("a write was answered {status:?}: {}", response.body));
                }
                at += 1;
                std::thread::park_timeout(BACK_OFF);
            }
        }
        // Every node that responds shows all changes that were acknowledged before.
        let acknowledged = history.count();
        let Some(response) = documents(&history.host(at), token, 1) else {
            history.unanswered.fetch_add(1, Ordering::SeqCst);
            continue;
        };
        match response.status {
            200 => {
                let total =
                    response.json()["pagination"]["total_count"].as_u64().expect("a number");
                if total < history.base + acknowledged {
                    let base = history.base;
                    history.fault(format!(
                        "a response of the past: {total} documents, after {base} + {acknowledged} were there"
                    ));
                }
                history.reads.fetch_add(1, Ordering::SeqCst);
            }
            503 => {}
            status => history.fault(format!("a read was answered {status}: {}", response.body)),
        }
    }
}

/// The ids of all documents of a node, and the text of all pages.
pub(super) fn all_documents(host: &str, token: &str) -> (Vec<String>, String) {
    let (mut ids, mut text) = (Vec::new(), String::new());
    for page in 1.. {
        let response = documents(host, token, page).expect("a response");
        assert_eq!(response.status, 200, "{}", response.body);
        let json = response.json();
        let rows = json["data"].as_array().expect("a list");
        ids.extend(rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()));
        text.push_str(&response.body);
        if page >= json["pagination"]["total_pages"].as_u64().expect("a number") {
            break;
        }
    }
    (ids, text)
}

/// Asserts that every acknowledged write is there once, and that there are no other documents.
#[track_caller]
pub(super) fn check(history: &History, ids: &[String]) {
    let faults = history.faults.lock().expect("no panic");
    assert!(faults.is_empty(), "{} faults, the first: {}", faults.len(), faults[0]);
    let there: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(there.len(), ids.len(), "an id is there twice");
    let acknowledged = history.acknowledged.lock().expect("no panic");
    let lost: Vec<&String> = acknowledged.iter().filter(|id| !there.contains(id)).collect();
    assert!(lost.is_empty(), "{} acknowledged writes are lost: {lost:?}", lost.len());
    let different: BTreeSet<&String> = acknowledged.iter().collect();
    assert_eq!(different.len(), acknowledged.len(), "an id was given twice");
    let least = history.base + acknowledged.len() as u64;
    let most = least + history.unknown.load(Ordering::SeqCst);
    let total = ids.len() as u64;
    assert!((least..=most).contains(&total), "{total} documents, expected {least} to {most}");
}
