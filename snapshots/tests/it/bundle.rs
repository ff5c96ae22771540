//! Bundles: snapshots that one machine takes and another one accepts.

use std::path::Path;

use moot_snapshots::{Bundle, Comparison, Metadata, NewSnapshot, list, pending};

fn recorded(name: &str, content: &str) -> NewSnapshot {
    NewSnapshot {
        name: name.to_owned(),
        metadata: Metadata {
            scenario: "07_errors/one".to_owned(),
            step: "get".to_owned(),
            target_class: "deployment".to_owned(),
            register_version: "1.0.0".to_owned(),
            source: "scenarios/07_errors.yaml".to_owned(),
        },
        content: content.to_owned(),
    }
}

fn bundle(snapshots: Vec<NewSnapshot>) -> Bundle {
    let bundle = Bundle::new("staging".to_owned(), snapshots);
    let read = Bundle::from_text(&bundle.to_text()).expect("it reads what it wrote");
    assert_eq!(read, bundle);
    read
}

#[track_caller]
fn check(bundle: &Bundle, dir: &Path, expected: &[Comparison]) {
    let done: Vec<_> = bundle.apply(dir).into_iter().map(|(_, done)| done).collect();
    assert_eq!(done, expected);
}

#[test]
fn what_is_new_is_accepted_and_what_differs_waits() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = bundle(vec![recorded("07_errors/a", "HTTP 200"), recorded("07_errors/b", "x")]);
    check(&first, dir.path(), &[Comparison::Added, Comparison::Added]);
    let second = bundle(vec![recorded("07_errors/a", "HTTP 404"), recorded("07_errors/b", "x")]);
    check(&second, dir.path(), &[Comparison::Updated, Comparison::Match]);
    let names: Vec<_> = list(dir.path()).expect("readable").into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["07_errors/a", "07_errors/b"]);
    assert_eq!(pending(dir.path()).expect("readable").len(), 1);
}

#[test]
fn no_name_leaves_the_folder() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let inner = dir.path().join("inner");
    let names = ["../up", "/tmp/root", "a/../../up", "..", "a\\..\\up"];
    bundle(names.iter().map(|name| recorded(name, "x")).collect()).apply(&inner);
    let beside: Vec<_> = std::fs::read_dir(dir.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    assert_eq!(beside, ["inner"]);
    assert_eq!(list(&inner).expect("readable").len(), names.len());
}

#[test]
fn another_version_is_refused() {
    let text = bundle(Vec::new()).to_text().replace("\"version\": 1", "\"version\": 2");
    let refusal = Bundle::from_text(&text).expect_err("a later version").to_string();
    assert!(refusal.contains("version 2"), "{refusal}");
    assert!(Bundle::from_text("[]").is_err());
}
