//! `moot run --record` and `moot judge`: old evidence, judged again without a network.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::run;

/// Scenario, step and check with verdict and message.
fn verdicts(report: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(report).expect("the report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let checks = report["checks"].as_array().expect("checks").iter();
    checks
        .enumerate()
        .map(|(at, check)| {
            let row = (&check["id"], &check["verdict"], &check["message"]);
            (format!("{at:05}"), format!("{} {} {}", row.0, row.1, row.2))
        })
        .collect()
}

#[track_caller]
fn check(dir: &Path, run_words: &[&str], selectors: &[&str]) {
    let words = [
        &["run", "--snapshots", "off", "--record", "kept", "--report", "json=run.json"][..],
        run_words,
        selectors,
    ];
    let ran = run(&words.concat(), dir);
    assert!(ran.code != Some(70) && ran.code != Some(2), "{}{}", ran.stdout, ran.stderr);
    let judged = run(&["judge", "kept", "--report", "json=judge.json"], dir);
    let (before, after) = (verdicts(&dir.join("run.json")), verdicts(&dir.join("judge.json")));
    assert!(!before.is_empty());
    for (at, row) in &before {
        assert_eq!(Some(row), after.get(at), "{}{}", judged.stdout, judged.stderr);
    }
    assert_eq!(before.len(), after.len());
    assert_eq!(judged.code, ran.code, "{}{}", judged.stdout, judged.stderr);
}

#[test]
fn a_recording_is_judged_as_the_run_was() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    check(dir.path(), &["--seed", "5"], &[]);
    let index = fs::read_to_string(dir.path().join("kept/index.json")).expect("an index");
    let index: Value = serde_json::from_str(&index).expect("JSON");
    assert_eq!(index["seed"], 5);
    assert_eq!(index["target"]["class"], "mock in process");
    let first = index["tapes"][0]["file"].as_str().expect("a tape");
    let har = fs::read_to_string(dir.path().join("kept").join(first)).expect("a HAR file");
    assert_eq!(serde_json::from_str::<Value>(&har).expect("JSON")["log"]["version"], "1.2");
}

#[test]
fn what_is_no_recording_or_would_be_mixed_with_one_is_refused_before_anything_is_sent() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(dir.path().join("full")).expect("a folder");
    fs::write(dir.path().join("full/index.json"), r#"{"format_version": 1}"#).expect("a file");
    for (words, said) in [
        (&["run", "--record", "full"][..], "a recording goes into a folder of its own"),
        (&["judge", "full"], "full/index.json is no part of a recording"),
        (&["judge", "nothing"], "nothing/index.json can't be used"),
    ] {
        let ran = run(words, dir.path());
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}
