//! Requirements of a scenario file are judged, reported and explained like those of the register.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Ran, read_json, run};

/// A suite with its own requirement. Some workflows of the mock have names with more than three characters.
const SUITE: &str = "\
section: \"4.2\"
title: Rules of Acme
requirements:
  - id: acme.names-are-short
    level: LEVEL
    sentence: The name of a workflow has at most 3 characters.
    source: Acme API guide, 3.1
    remedy: Shorten the name.
scenarios:
  - id: workflow-names-are-short
    title: Names of workflows are short
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect:
          list-workflows.status-200: { status: 200 }
          acme.names-are-short: { \"$.data[*].attributes.name\": { each: { length: { max: 3 } } } }
";

fn told(level: &str, words: &[&str], dir: &Path) -> Ran {
    fs::write(dir.join("acme.yaml"), SUITE.replace("LEVEL", level)).expect("writable");
    run(words, dir)
}

#[test]
fn an_own_row_decides_by_its_level_and_is_reported_with_its_sentence_and_remedy() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (level, code, verdict) in [("stated", 1, "fail"), ("example", 0, "warn")] {
        let line = ["run", "--scenarios", "acme.yaml", "--report", "json=a.json", "--force"];
        let ran = told(level, &line, dir.path());
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        let report = read_json(dir.path().join("a.json"));
        let is_own = |row: &&Value| row["requirement"] == "acme.names-are-short";
        let finding = report["findings"].as_array().and_then(|all| all.iter().find(is_own));
        assert_eq!(finding.map(|it| &it["verdict"]), Some(&Value::from(verdict)), "{report:#}");
        let check = report["checks"].as_array().and_then(|all| all.iter().find(is_own));
        let check = check.expect("the check is in the report");
        assert_eq!(check["remedy"], "Shorten the name.");
        assert_eq!(check["sentence"], "The name of a workflow has at most 3 characters.");
        assert_eq!((&check["section"], &check["level"]), (&"4.2".into(), &level.into()));
        let rows = report["requirements"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["id"] == "acme.names-are-short");
        assert_eq!(row.map(|row| &row["verdict"]), Some(&Value::from(verdict)));
    }
}

#[test]
fn an_own_row_is_checked_explained_selected_covered_and_may_be_a_known_failure() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let suite = ["--scenarios", "acme.yaml"];
    let ran = told("stated", &["check", "acme.yaml"], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran =
        told("stated", &[&["explain", "acme.names-are-short"], &suite[..]].concat(), dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in ["at most 3 characters", "Acme API guide, 3.1", "acme/workflow-names-are-short"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = told("stated", &["explain", "acme.names-are-short"], dir.path());
    assert_eq!(ran.code, Some(2), "without its file it is unknown");
    let ran = told("stated", &[&["run", "acme.names-are-short"], &suite[..]].concat(), dir.path());
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let ran = told("stated", &[&["coverage", "--format", "json"], &suite[..]].concat(), dir.path());
    assert!(ran.stdout.contains("acme.names-are-short"), "{}", ran.stdout);
    let known = "\
- id: acme/workflow-names-are-short#acme.names-are-short
  outcome: fail
  reason: the names are older than the guide
";
    fs::write(dir.path().join("known.yaml"), known).expect("writable");
    let line = [&["run", "--expected", "known.yaml"], &suite[..]].concat();
    let ran = told("stated", &line, dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}
