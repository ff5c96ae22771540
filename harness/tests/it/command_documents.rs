//! Commands that print a document print all of it.

use serde_json::Value;

use crate::command_support::{message, run};

#[track_caller]
fn check(words: &[&str]) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(words, dir.path()).ended(0);
    assert_eq!(ran.stderr, "");
    ran.stdout
}

#[test]
fn every_schema_that_is_listed_is_printed() {
    let names = check(&["schema"]);
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(names[..5], ["target", "scenario", "expected", "answers", "world"]);
    for name in names {
        let schema: Value = serde_json::from_str(&check(&["schema", name])).expect("it is JSON");
        let is_schema = jsonschema::meta::is_valid(&schema);
        assert!(is_schema, "{name}");
    }
}

#[test]
fn a_near_miss_of_a_schema_is_answered() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(&["schema", "reprot"], dir.path()).ended(2);
    insta::assert_snapshot!(message(&ran.stderr), @r"
    error: there is no schema `reprot`
    help: did you mean `report`?
    ");
}

#[test]
fn the_openapi_document_is_whole() {
    let document: Value = serde_json::from_str(&check(&["openapi"])).expect("it is JSON");
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")));
    assert!(document["paths"]["/v1/requests"].is_object());
}

#[test]
fn every_shell_has_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(check(&["completions", shell]).contains("moot"), "{shell}");
    }
}
