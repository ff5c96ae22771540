//! `moot drill` runs a client once per situation, and grades it.

use std::collections::BTreeSet;
use std::path::Path;

use moot_harness::drill::table;
use serde_json::Value;

use crate::command_support::{Ran, run};

fn drill(options: &[&str], command: &[&str], dir: &Path) -> Ran {
    run(&[&["drill", "--seed", "1"], options, &["--"], command].concat(), dir)
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn the_page_names_every_drill() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/drills.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let documented: BTreeSet<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(id, rest)| Some((id, rest.split_once(" | ")?.0)))
        .filter(|(id, _)| id.contains('-') || table::get(id).is_some())
        .collect();
    let known: BTreeSet<(&str, &str)> =
        table::all().iter().map(|it| (it.id.as_str(), it.title.as_str())).collect();
    assert_eq!(documented, known);
    assert_eq!(known.len(), table::all().len(), "ids are unique");
    assert!(table::all().len() >= 20);
}

#[test]
fn a_command_that_does_not_end_is_ended_with_all_its_processes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = "sleep 600 & echo $! > child; wait";
    let ran = drill(&["--timeout", "1"], &["sh", "-c", script], dir.path());
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("did not end in time"), "{}", ran.stdout);
    let child = std::fs::read_to_string(dir.path().join("child")).expect("the child was started");
    assert!(!Path::new("/proc").join(child.trim()).exists(), "{child} is still there");
}

#[test]
fn a_wrong_line_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (words, says) in [
        (&["drill"][..], "there is no command to run"),
        (&["drill", "--only", "limitd", "--", "true"], "did you mean `limited`?"),
        (&["drill", "--jobs", "0", "--", "true"], "from 1 to 64"),
        (&["drill", "verify", "nowhere.json"], "nowhere.json"),
        (&["drill", "--report", "junit=a.xml", "--", "true"], "no junit report here"),
    ] {
        let ran = run(words, dir.path());
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{words:?}: {}", ran.stderr);
    }
    let ran = run(&["drill", "--list"], dir.path());
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), table::all().len()));
}

#[test]
fn a_command_that_calls_nothing_is_never_ready() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let schema = json_of(&run(&["schema", "drill"], dir.path()));
    let validator = jsonschema::validator_for(&schema).expect("a sound schema");
    for command in [&["true"][..], &["false"], &["sh", "-c", "kill -9 $$"], &["no-such-command"]] {
        let ran = drill(&["--format", "json"], command, dir.path());
        assert_eq!(ran.code, Some(3), "{command:?}: {}{}", ran.stdout, ran.stderr);
        let certificate = json_of(&ran);
        assert_eq!(certificate["grade"], "inconclusive");
        let why = certificate["drills"][0]["why"].as_str().expect("a reason");
        assert!(why.contains("called nothing") || why.contains("can't run"), "{why}");
        assert!(validator.is_valid(&certificate));
    }
}
