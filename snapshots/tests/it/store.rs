//! Checking never writes; recording never overwrites what was accepted; insta reads the files.

use std::fs;
use std::path::Path;

use moot_snapshots::{
    Comparison, Metadata, StoreMode, accept, check, file_of, list, pending, reject,
};

const NAME: &str = "04_07_get_request/by-id__get";

fn metadata() -> Metadata {
    Metadata {
        scenario: "04_07_get_request/by-id".to_owned(),
        step: "GET /v1/requests/<id>: \"x\"".to_owned(),
        target_class: "mock in process".to_owned(),
        register_version: "1.0.0".to_owned(),
        source: "scenarios/04_07_get_request.yaml".to_owned(),
    }
}

fn compare(dir: &Path, content: &str, mode: StoreMode) -> Comparison {
    check(dir, NAME, &metadata(), content, mode)
}

#[track_caller]
fn files_are(dir: &Path, expected: &[&str]) {
    let folder = dir.join("04_07_get_request");
    let mut seen: Vec<String> = fs::read_dir(folder)
        .map(|entries| {
            entries
                .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    seen.sort();
    assert_eq!(seen, expected);
}

#[test]
fn checking_writes_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(
        compare(dir.path(), "a\n", StoreMode::Check),
        Comparison::Missing { new: "a".to_owned() }
    );
    files_are(dir.path(), &[]);
    assert_eq!(compare(dir.path(), "a", StoreMode::Record), Comparison::Added);
    assert_eq!(compare(dir.path(), "a\r\n \n", StoreMode::Check), Comparison::Match);
    match compare(dir.path(), "b", StoreMode::Check) {
        Comparison::Mismatch { new, diff, .. } => {
            assert_eq!(new, "b");
            assert_eq!(diff, "--- accepted\n+++ new\n@@ -1 +1 @@\n-a\n+b\n");
        }
        other => panic!("{other:?}"),
    }
    files_are(dir.path(), &["by-id__get.snap"]);
}

#[test]
fn recording_a_difference_leaves_the_decision_open() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    compare(dir.path(), "a", StoreMode::Record);
    assert_eq!(compare(dir.path(), "b", StoreMode::Record), Comparison::Updated);
    files_are(dir.path(), &["by-id__get.snap", "by-id__get.snap.new"]);
    assert_eq!(
        compare(dir.path(), "a", StoreMode::Check),
        Comparison::Match,
        "a is still accepted"
    );

    let waiting = pending(dir.path()).expect("readable");
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].name, NAME);
    accept(&waiting[0]).expect("writable");
    assert_eq!(compare(dir.path(), "b", StoreMode::Check), Comparison::Match);
    files_are(dir.path(), &["by-id__get.snap"]);

    compare(dir.path(), "c", StoreMode::Record);
    reject(&pending(dir.path()).expect("readable")[0]).expect("writable");
    assert_eq!(compare(dir.path(), "b", StoreMode::Check), Comparison::Match);
    files_are(dir.path(), &["by-id__get.snap"]);
}

#[test]
fn what_is_pending_goes_when_the_accepted_text_comes_again() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    compare(dir.path(), "a", StoreMode::Record);
    compare(dir.path(), "b", StoreMode::Record);
    assert_eq!(compare(dir.path(), "a", StoreMode::Record), Comparison::Match);
    files_are(dir.path(), &["by-id__get.snap"]);
}

#[test]
fn insta_reads_the_header() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    compare(dir.path(), "HTTP 200\n---\nx", StoreMode::Record);
    let snapshot = insta::Snapshot::from_file(&file_of(dir.path(), NAME)).expect("insta reads it");
    assert_eq!(snapshot.metadata().source(), Some("scenarios/04_07_get_request.yaml"));
    assert_eq!(
        snapshot.metadata().description(),
        Some("04_07_get_request/by-id, GET /v1/requests/<id>: \"x\"")
    );
    assert_eq!(snapshot.as_text().map(ToString::to_string).as_deref(), Some("HTTP 200\n---\nx"));
    let entries = list(dir.path()).expect("readable");
    assert_eq!(entries.len(), 1);
    assert!(!entries[0].is_pending);
}

#[test]
fn two_names_never_share_a_file_and_none_leaves_the_folder() {
    let file = |name: &str| file_of(Path::new("d"), name).to_string_lossy().into_owned();
    assert_eq!(file(NAME), "d/04_07_get_request/by-id__get.snap");
    assert_ne!(file("s/a[read write]__x"), file("s/a[read-write]__x"));
    assert!(file("../../etc/x").starts_with("d/---"));
    assert_eq!(file("s/../x").matches('/').count(), 2);
}

#[test]
fn a_file_that_is_no_snapshot_is_an_error() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = file_of(dir.path(), NAME);
    fs::create_dir_all(path.parent().expect("has a folder")).expect("writable");
    fs::write(&path, "---\n[\n---\nx").expect("writable");
    assert!(matches!(compare(dir.path(), "x", StoreMode::Check), Comparison::Error(_)));
    assert!(list(dir.path()).is_err());
}

#[test]
fn a_list_without_items_differs_from_no_list_and_unlearns_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let page = |items: &str| format!("HTTP 200\n\n{{\n  \"data\": [\n    \"{items}\"\n  ]\n}}");
    compare(dir.path(), &page("string"), StoreMode::Record);
    for mode in [StoreMode::Check, StoreMode::Record] {
        assert_eq!(compare(dir.path(), &page("(none)"), mode), Comparison::Match);
    }
    assert!(matches!(
        compare(dir.path(), &page("integer"), StoreMode::Check),
        Comparison::Mismatch { .. }
    ));
    // The other way round a record learns, which is a decision.
    let dir = tempfile::tempdir().expect("a temporary folder");
    compare(dir.path(), &page("(none)"), StoreMode::Record);
    assert_eq!(compare(dir.path(), &page("string"), StoreMode::Check), Comparison::Match);
    assert_eq!(compare(dir.path(), &page("string"), StoreMode::Record), Comparison::Updated);
}
