//! Invariants of ARCHITECTURE.md that the compiler does not hold: which files may use other crates, the
//! network, files and the clock.

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder of the workspace, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file is text");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no source");
    found
}

/// Asserts that only files whose path contains one of `allowed` use one of `words`.
#[track_caller]
fn only(folder: &str, allowed: &[&str], words: &[&str]) {
    for (path, text) in sources(folder) {
        let shown = path.display().to_string().replace('\\', "/");
        if allowed.iter().any(|part| shown.contains(part)) {
            continue;
        }
        for word in words {
            let line = text.lines().position(|line| {
                let code = line.trim_start();
                !code.starts_with("//") && code.contains(word)
            });
            assert!(line.is_none(), "{shown}:{} names {word}", line.unwrap_or_default() + 1);
        }
    }
}

#[test]
fn the_contract_imports_nothing_of_ours() {
    only("fixtures/src", &[], &["moot_mock", "moot_harness", "moot_snapshots"]);
}

#[test]
fn the_snapshots_import_nothing_of_ours() {
    only("snapshots/src", &[], &["moot_mock", "moot_harness", "moot_fixtures"]);
}

#[test]
fn only_the_in_process_environment_the_selftest_and_the_commands_know_the_mock() {
    let receivers = ["/client/receiver", "/misbehaving_client/receiver"];
    let allowed =
        [&["/environment/in_process", "/selftest/", "/command/"], &receivers[..]].concat();
    only("harness/src", &allowed, &["moot_mock::", "use moot_mock"]);
}

#[test]
fn only_one_file_of_the_mock_asks_the_system_for_the_time() {
    let clocks = ["SystemTime::now", "Timestamp::now", "Instant::now", "Zoned::now"];
    only("mock/src", &["/shell/clock.rs", "/tests.rs"], &clocks);
}

#[test]
fn the_core_of_the_mock_knows_no_file_socket_or_environment() {
    let words = ["std::fs", "std::net::Tcp", "std::env", "tokio::", "reqwest::", "hyper::"];
    only("mock/src", &["/shell/"], &words);
}

#[test]
fn only_one_file_of_the_mock_opens_connections() {
    let words = ["Client::builder", "Client::new", "reqwest::get", "TcpStream::connect"];
    // In the last two only the tests do.
    let files = [
        "/shell/network/connect.rs",
        "/shell/receiver/receive.rs",
        "/shell/listener/connection.rs",
    ];
    only("mock/src", &files, &words);
}

#[test]
fn checks_and_reports_send_nothing() {
    let words = ["reqwest", "tokio::net", "crate::run"];
    only("harness/src/verdict/check", &[], &[&words[..], &["crate::client"]].concat());
    only("harness/src/report", &[], &words);
}

/// Crates that are in the tree in several versions, because crates of others ask for them.
const SEVERAL_VERSIONS: [&str; 14] = [
    "base64",
    "bit-vec",
    "block-buffer",
    "const-oid",
    "cpufeatures",
    "crypto-common",
    "digest",
    "getrandom",
    "r-efi",
    "sha2",
    "syn",
    "synstructure",
    "wasi",
    "windows-sys",
];

#[test]
fn no_other_crate_has_two_versions() {
    let lock = include_str!("../../../Cargo.lock");
    let mut names: Vec<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("name = ")).collect();
    names.sort_unstable();
    let twice =
        names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].trim_matches('"'));
    let new: Vec<&str> = twice.filter(|name| !SEVERAL_VERSIONS.contains(name)).collect();
    assert!(
        new.is_empty(),
        "in two versions: {new:?}; take the version that is there, or add a reason"
    );
}
