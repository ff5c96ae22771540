//! Explaining a row names its level, its sentence and what checks it; coverage knows the same.

use serde_json::Value;

use crate::command_support::run;

#[track_caller]
fn check(words: &[&str], code: i32) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(words, dir.path());
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    if code == 0 { ran.stdout } else { ran.stderr }
}

#[test]
fn every_kind_of_row_is_explained() {
    for row in moot_fixtures::register::all() {
        let is_first_of_its_kind = moot_fixtures::register::all()
            .iter()
            .find(|other| (other.level, other.must) == (row.level, row.must))
            .is_some_and(|first| first.id == row.id);
        if !is_first_of_its_kind {
            continue;
        }
        let text = check(&["explain", &row.id], 0);
        assert!(text.contains(&row.sentence) && text.contains(&row.id), "{text}");
        let json = check(&["explain", &row.id, "--format", "json"], 0);
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(json["id"], row.id);
        assert!(json["checked_by"]["scenarios"].is_array());
    }
}

#[test]
fn a_question_is_explained() {
    let question = &moot_fixtures::questions::all()[0];
    let text = check(&["explain", &question.id], 0);
    assert!(text.contains(&question.ask), "{text}");
}

#[test]
fn a_near_miss_is_answered() {
    let id = &moot_fixtures::register::all()[0].id;
    let misspelt = id.replacen('e', "", 1);
    let said = check(&["explain", &misspelt], 2);
    assert!(said.contains(&format!("did you mean `{id}`?")), "{said}");
    let said = check(&["explain", "zzzzzz"], 2);
    assert!(said.contains("`moot coverage` lists every requirement"), "{said}");
}

#[test]
fn coverage_says_of_every_row_what_checks_it() {
    let json = check(&["coverage", "--format", "json"], 0);
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let rows = json["requirements"].as_array().expect("a list");
    assert_eq!(rows.len(), moot_fixtures::register::all().len());
    for row in rows {
        let is_empty = |name: &str| row[name].as_array().is_none_or(Vec::is_empty);
        let is_checked = !is_empty("scenarios") || !is_empty("implicit");
        assert_eq!(row["cover"] == "checked", is_checked, "{row}");
    }
    let text = check(&["coverage"], 0);
    assert!(text.lines().any(|line| line.starts_with("4.5 ")), "{text}");
}
