//! Report files of a run: replacing and appending, and the annotations of a GitHub workflow.

use std::fs;
use std::path::Path;

use crate::command_support::{LIST_SCENARIO, Ran, message, moot, run};

/// The line of the check that fails.
const LINE: &str = "file=sample.yaml,line=11,";

/// The mark at the beginning of each report in Markdown.
const MARK: &str = "<!-- moot report -->";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("sample.yaml"), LIST_SCENARIO.replace("status: 200", "status: 418"))
        .expect("writable");
    dir
}

fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--scenarios", "sample.yaml", "--seed", "42"], more].concat()
}

fn text(dir: &Path, file: &str) -> String {
    fs::read_to_string(dir.join(file)).expect("it was written")
}

/// A run of a workflow, with its job summary in `summary.md`.
fn in_workflow(dir: &Path, more: &[&str]) -> Ran {
    let mut command = moot(&words(more), dir);
    command.env("GITHUB_STEP_SUMMARY", "summary.md");
    Ran::of(command)
}

#[test]
fn a_file_that_moot_did_not_write_is_replaced_only_by_force() {
    let dir = folder();
    let notes = dir.path().join("notes");
    for kind in ["text", "json", "junit", "html", "markdown", "ndjson"] {
        fs::write(&notes, "my notes\n").expect("writable");
        let report = format!("{kind}=notes");
        run(&words(&["--report", &report]), dir.path()).ended(2);
        assert_eq!(text(dir.path(), "notes"), "my notes\n", "{kind}");
        run(&words(&["--report", &report, "--force"]), dir.path()).ended(1);
        // Now it is a report, so the next run replaces it.
        run(&words(&["--report", &report]), dir.path()).ended(1);
        assert_ne!(text(dir.path(), "notes"), "my notes\n", "{kind}");
    }
}

#[test]
fn answers_and_a_bundle_replace_only_files_of_moot() {
    let dir = folder();
    let notes = dir.path().join("notes");
    let answers = ["--save-answers", "notes"];
    let bundle = ["--snapshots", "record", "--snapshot-bundle", "notes"];
    for more in [&answers[..], &bundle] {
        fs::write(&notes, "my: notes\n").expect("writable");
        run(&words(more), dir.path()).ended(2);
        assert_eq!(text(dir.path(), "notes"), "my: notes\n", "{more:?}");
        run(&words(&[more, &["--force"]].concat()), dir.path()).ended(1);
        // Now Moot wrote it, so the next run replaces it.
        run(&words(more), dir.path()).ended(1);
        assert_ne!(text(dir.path(), "notes"), "my: notes\n", "{more:?}");
        let both = [more, &["--report", "json=notes"]].concat();
        run(&words(&both), dir.path()).ended(2);
    }
}

#[test]
fn a_merge_has_no_event_stream() {
    let ran = run(&["merge", "part1", "--report", "ndjson=events"], folder().path()).ended(2);
    insta::assert_snapshot!(message(&ran.stderr), @r"
    error: invalid value 'ndjson=events' for '--report <KIND=FILE>': there is no ndjson report here: each shard writes its own events

    For more information, try '--help'.
    ");
}

#[test]
fn an_empty_file_is_written() {
    let dir = folder();
    fs::write(dir.path().join("summary.md"), "").expect("writable");
    run(&words(&["--report", "markdown=summary.md"]), dir.path()).ended(1);
    assert_ne!(text(dir.path(), "summary.md"), "");
}

#[test]
fn a_workflow_gets_annotations_and_a_summary_that_is_appended() {
    let dir = folder();
    fs::write(dir.path().join("summary.md"), "# An earlier step\n").expect("writable");
    for _ in 0..2 {
        let ran = in_workflow(dir.path(), &["--report", "github"]).ended(1);
        // The annotation, and the last part of the report in words.
        let is_shown =
            |line: &&str| ["::error ", "non-conformant"].iter().any(|it| line.starts_with(it));
        let shown: Vec<&str> = ran.stdout.lines().filter(is_shown).collect();
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown.join("\n"), @r"
            ::error file=sample.yaml,line=11,title=fail list-legal-requests.status-200::Listing legal requests was not refused: 200; expected 418%0Ascenario: sample/lists › GET /v1/requests%0Aexpected: 418%0Aactual: 200%0Aclause: Listing requests succeeds with status 200.%0Aremedy: Answer GET /v1/requests with 200.%0Arepeat: moot run sample/lists --scenarios sample.yaml --seed 42
            non-conformant: the target violates the specification
            ");
        }
    }
    let summary = text(dir.path(), "summary.md");
    assert!(summary.starts_with("# An earlier step\n"), "{summary}");
    assert_eq!(summary.matches(MARK).count(), 2, "{summary}");
}

#[test]
fn annotations_leave_json_alone() {
    let dir = folder();
    let ran = in_workflow(dir.path(), &["--report", "github", "--format", "json"]);
    let report = ran.json();
    assert_eq!(report["exit_code"], 1);
    assert!(ran.stderr.contains(LINE), "{}", ran.stderr);
}

#[test]
fn markdown_on_stdout_can_be_appended() {
    let dir = folder();
    let file = dir.path().join("summary.md");
    fs::write(&file, "# An earlier step\n").expect("writable");
    let out = fs::OpenOptions::new().append(true).open(&file).expect("it is there");
    let mut command = moot(&words(&["--report", "markdown=-"]), dir.path());
    let status = command.stdout(out).stderr(std::process::Stdio::null()).status();
    assert_eq!(status.expect("the binary runs").code(), Some(1));
    let summary = text(dir.path(), "summary.md");
    assert!(summary.starts_with("# An earlier step\n"), "{summary}");
    assert_eq!(summary.matches(MARK).count(), 1, "{summary}");
}
