//! `moot explain` shows the level, the sentence and the checks of a requirement. `moot coverage` agrees.

use serde_json::Value;

use crate::command_support::run;

#[track_caller]
fn check(words: &[&str], code: i32) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(words, dir.path()).ended(code);
    if code == 0 { ran.stdout } else { ran.stderr }
}

/// The output for each of these ids, from one command.
fn pages(ids: &[&str]) -> Vec<String> {
    let text = check(&[&["explain"], ids].concat(), 0);
    let mut starts: Vec<usize> = vec![0];
    for id in &ids[1..] {
        let from = *starts.last().unwrap_or(&0);
        let at = text[from..].find(&format!("\n{id}\n"));
        starts.push(from + at.unwrap_or_else(|| panic!("`{id}` has no page")) + 1);
    }
    starts.push(text.len());
    starts.windows(2).map(|ends| text[ends[0]..ends[1]].to_owned()).collect()
}

/// The JSON document for each of these ids, from one command.
fn documents(ids: &[&str]) -> Vec<Value> {
    let text = check(&[&["explain", "--format", "json"], ids].concat(), 0);
    let documents = serde_json::Deserializer::from_str(&text).into_iter();
    let documents: Vec<Value> = documents.map(|document| document.expect("it is JSON")).collect();
    assert_eq!(documents.len(), ids.len());
    documents
}

/// The words without line breaks.
fn flowed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_rule_of_conduct_is_explained() {
    let rules = moot_fixtures::conduct::all();
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    for (rule, text) in rules.iter().zip(pages(&ids)) {
        let flowing = flowed(&text);
        for part in [&rule.sentence, &rule.evidence, &rule.instead, &rule.clause()] {
            assert!(flowing.contains(&flowed(part)), "{part}\n{text}");
        }
    }
}

#[test]
fn every_row_is_explained() {
    let rows = moot_fixtures::register::all();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    for (row, text) in rows.iter().zip(pages(&ids)) {
        let flowing = flowed(&text);
        for part in [Some(&row.sentence), row.remedy.as_ref(), row.unverifiable.as_ref()] {
            assert!(part.is_none_or(|part| flowing.contains(&flowed(part))), "{part:?}\n{text}");
        }
        assert!(text.contains(&format!("§{}", row.section)), "{text}");
    }
    for ((row, json), text) in rows.iter().zip(documents(&ids)).zip(pages(&ids)) {
        assert_eq!(json["id"], row.id);
        let mut scenarios = json["checked_by"]["scenarios"].as_array().into_iter().flatten();
        assert!(scenarios.all(|it| it.as_str().is_some_and(|it| text.contains(it))), "{text}");
        let is_empty = |kind: &str| json["checked_by"][kind].as_array().is_none_or(Vec::is_empty);
        let is_checked = ["scenarios", "implicit", "observed_by"].iter().any(|it| !is_empty(it));
        assert!(is_checked || row.unverifiable.is_some(), "{json}");
        // A requirement that can fail has a remedy.
        assert!(row.remedy.is_some() || is_empty("scenarios"), "{json}");
    }
}

#[test]
fn every_defect_is_explained_with_the_requirements_that_it_breaks() {
    let defects = moot_mock::defect::all();
    let is_row = |id: &str| moot_fixtures::register::get(id).is_some();
    let own: Vec<_> = defects.iter().filter(|defect| !is_row(&defect.id)).collect();
    for (defect, text) in
        own.iter().zip(pages(&own.iter().map(|it| it.id.as_str()).collect::<Vec<_>>()))
    {
        assert!(flowed(&text).contains(&flowed(&defect.what)), "{text}");
        assert!(defect.breaks.iter().all(|row| text.contains(row)), "{text}");
    }
    let mut rows: Vec<&str> =
        defects.iter().flat_map(|it| &it.breaks).map(String::as_str).collect();
    rows.sort_unstable();
    rows.dedup();
    for (row, text) in rows.iter().zip(pages(&rows)) {
        let breakers = defects.iter().filter(|it| it.breaks.iter().any(|broken| broken == row));
        assert!(breakers.into_iter().all(|it| text.contains(&format!("{}: ", it.id))), "{text}");
    }
}

#[test]
fn every_question_is_explained() {
    let questions = moot_fixtures::questions::all();
    let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    for (question, text) in questions.iter().zip(pages(&ids)) {
        assert!(flowed(&text).contains(&flowed(&question.ask)), "{text}");
    }
    for ((question, json), text) in questions.iter().zip(documents(&ids)).zip(pages(&ids)) {
        assert_eq!(json["id"], question.id);
        let scenarios = json["observed_by"].as_array().expect("a list");
        let is_named = |it: &Value| it.as_str().is_some_and(|it| text.contains(it));
        assert!(scenarios.iter().all(is_named), "{text}");
    }
}

#[test]
fn the_json_of_a_requirement_has_the_same_facts() {
    let row = &moot_fixtures::register::all()[0];
    let json = check(&["explain", &row.id, "--format", "json"], 0);
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["id"], row.id);
    assert!(json["checked_by"]["scenarios"].is_array());
}

#[test]
fn a_near_miss_is_answered() {
    let id = &moot_fixtures::register::all()[0].id;
    let misspelt = id.replacen('e', "", 1);
    insta::assert_snapshot!(check(&["explain", &misspelt], 2), @r"
    error: `srvice.manages-four-kinds` is not a requirement, question, rule of conduct or defect
    help: did you mean `service.manages-four-kinds`?
    ");
    insta::assert_snapshot!(check(&["explain", "zzzzzz"], 2), @r"
    error: `zzzzzz` is not a requirement, question, rule of conduct or defect
    help: `moot coverage` lists every requirement
    ");
}

#[test]
fn coverage_has_the_checks_of_every_requirement() {
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

/// The number of rows for each kind of coverage.
fn sums(words: &[&str], dir: &std::path::Path) -> std::collections::BTreeMap<String, u64> {
    let json = run(&[&["coverage", "--format", "json"], words].concat(), dir).ended(0).json();
    let mut sums = std::collections::BTreeMap::new();
    for row in json["requirements"].as_array().expect("a list") {
        *sums.entry(row["cover"].as_str().expect("a word").to_owned()).or_default() += 1;
        let is_not_run = row["cover"] == "not run here";
        let settings = row["not_run"].as_array().expect("a list");
        assert_eq!(is_not_run, !settings.is_empty(), "{row}");
        assert!(settings.iter().all(|it| it["setting"].as_str() > Some("")), "{row}");
    }
    sums
}

#[test]
fn every_requirement_is_in_one_column_and_names_the_missing_setting() {
    let dir = tempfile::tempdir().expect("a folder");
    let all = moot_fixtures::register::all().len() as u64;
    let here = sums(&[], dir.path());
    assert_eq!(here.values().sum::<u64>(), all, "{here:?}");
    assert_eq!(here.get("not run here"), None, "a mock meets every need");

    crate::deployment::target(dir.path(), "http://127.0.0.1:1/api", "consent: []\n");
    let there = sums(&["--target", "target.yaml"], dir.path());
    assert_eq!(there.values().sum::<u64>(), all, "{there:?}");
    assert_eq!(there["not verifiable"], here["not verifiable"]);
    assert!(there["not run here"] > 50 && there["checked"] > 100, "{there:?}");
    let words = ["coverage", "--target", "target.yaml", "--format", "json"];
    let json: Value = serde_json::from_str(&run(&words, dir.path()).stdout).expect("it is JSON");
    let rows = json["requirements"].as_array().expect("a list").iter();
    let mut not_run = rows.filter_map(|row| row["not_run"].as_array()).flatten();
    assert!(not_run.any(|it| it["setting"] == "consent: [write] in the target file"), "{json}");
    let ran = run(&["coverage", "--target", "target.yaml"], dir.path()).ended(0);
    let shown = ran.stdout.lines().find(|line| line.starts_with("all ")).expect("the sums");
    let numbers = shown.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
    assert_eq!(numbers.sum::<u64>(), all, "{shown}");
    for row in moot_fixtures::register::all().iter().filter_map(|row| row.unverifiable.as_ref()) {
        assert!(flowed(&ran.stdout).contains(&flowed(row)), "{row}");
    }
    run(&["coverage", "--target", "none.yaml"], dir.path()).ended(2);
}
