//! `moot snapshot`: accepting and rejecting recorded responses.

use std::path::Path;

use moot_snapshots::{Comparison, Metadata, StoreMode};
use serde_json::Value;

use crate::command_support::{Ran, message, run};

const NAMES: [&str; 2] = ["07_errors/one__get", "07_errors/two__get"];

fn record(dir: &Path, name: &str, content: &str) -> Comparison {
    let metadata = Metadata {
        scenario: name.to_owned(),
        step: "get".to_owned(),
        target_class: "mock in process".to_owned(),
        register_version: "1.0.0".to_owned(),
        source: "scenarios/07_errors.yaml".to_owned(),
    };
    moot_snapshots::check(&dir.join("snapshots"), name, &metadata, content, StoreMode::Record)
}

/// Two accepted responses, each with a new response that is not accepted yet.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for name in NAMES {
        assert_eq!(record(dir.path(), name, "HTTP 200"), Comparison::Added);
        assert_eq!(record(dir.path(), name, "HTTP 404"), Comparison::Updated);
    }
    dir
}

#[track_caller]
fn check(dir: &Path, words: &[&str], code: i32) -> Ran {
    run(&[&["snapshot"], words].concat(), dir).ended(code)
}

#[track_caller]
fn waiting(dir: &Path) -> Vec<String> {
    let shown = check(dir, &["review", "--format", "json"], 0).stdout;
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    let rows = shown["pending"].as_array().expect("a list");
    rows.iter().map(|row| row["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The recorded responses, each with whether a new one is pending.
#[track_caller]
fn listed(dir: &Path) -> Vec<(String, bool)> {
    let shown = check(dir, &["list", "--format", "json"], 0).stdout;
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    let rows = shown["snapshots"].as_array().expect("a list").iter();
    rows.map(|row| {
        let name = row["name"].as_str().expect("a name");
        (name.to_owned(), row["is_pending"] == true)
    })
    .collect()
}

#[test]
fn new_responses_are_listed_and_reviewed() {
    let dir = folder();
    assert_eq!(listed(dir.path()), [(NAMES[0].to_owned(), true), (NAMES[1].to_owned(), true)]);
    let review = check(dir.path(), &["review"], 0).stdout;
    assert!(review.contains("-HTTP 200") && review.contains("+HTTP 404"), "{review}");
    assert_eq!(waiting(dir.path()), NAMES);
}

#[test]
fn one_is_accepted_and_the_other_rejected() {
    let dir = folder();
    check(dir.path(), &["accept", NAMES[0]], 0);
    assert_eq!(waiting(dir.path()), [NAMES[1]]);
    check(dir.path(), &["reject", NAMES[1]], 0);
    assert_eq!(waiting(dir.path()), Vec::<String>::new());
    assert_eq!(record(dir.path(), NAMES[0], "HTTP 404"), Comparison::Match);
    assert_eq!(record(dir.path(), NAMES[1], "HTTP 200"), Comparison::Match);
}

#[test]
fn a_wrong_name_changes_nothing() {
    let dir = folder();
    let said = check(dir.path(), &["accept", NAMES[0], "07_errors/on__get"], 2).stderr;
    insta::assert_snapshot!(message(&said), @r"
    error: no response named `07_errors/on__get` is pending
    help: did you mean `07_errors/one__get`?
    ");
    assert_eq!(waiting(dir.path()), NAMES);
    check(dir.path(), &["accept", "--all"], 0);
    assert_eq!(waiting(dir.path()), Vec::<String>::new());
}

#[test]
fn a_missing_folder_has_no_snapshots() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(listed(dir.path()), []);
}
