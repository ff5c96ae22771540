//! Answers of a deployment. A run saves them, `moot answers` shows and compares them, a target file pins them, and a
//! mock loads them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Ran, folder_of, message, mock_target, run};

/// Files with fast scenarios that observe many questions.
const SELECTORS: [&str; 6] = [
    "02_07_pagination",
    "04_06_list_legal_requests",
    "04_09_create_repository_document",
    "04_13_delete_webhook",
    "05_isolation",
    "07_errors",
];

/// Runs `words` on a mock with these answers: a file below `dir`, or a name.
#[track_caller]
fn judge(answers: &str, words: &[&str], dir: &Path, code: i32) -> Ran {
    let file = dir.join(answers);
    let answers = if file.is_file() { file.display().to_string() } else { answers.to_owned() };
    let options = ["--answers", &answers];
    let mock = mock_target(&dir.join("target.yaml"), &options, "answers: pinned.yaml\n");
    let ran = run(&[&["run", "-q", "--target", "target.yaml"], words].concat(), dir).ended(code);
    mock.stop("-TERM");
    ran
}

#[test]
fn a_mock_with_saved_answers_gives_the_same_again() {
    // `answers_round_trip` tests twenty sets in process. This test uses the binary.
    for set in ["random:1", "documented"] {
        let dir = folder_of(&[("pinned.yaml", "")]);
        for (answers, file) in [(set, "first.yaml"), ("first.yaml", "second.yaml")] {
            let words = [&["--save-answers", file], &SELECTORS[..]].concat();
            judge(answers, &words, dir.path(), 0);
        }
        let words = ["answers", "diff", "first.yaml", "second.yaml", "--format", "json"];
        let shown = run(&words, dir.path()).ended(0).stdout;
        let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
        assert_eq!(shown["differences"], serde_json::json!([]), "{set}");
    }
}

#[test]
fn another_answer_than_the_pinned_one_is_drift() {
    let dir = folder_of(&[
        ("pinned.yaml", "other_company: 404\n"),
        ("changed.yaml", "other_company: 403\n"),
    ]);
    judge("default", &["05_isolation"], dir.path(), 0);
    let report = judge("changed.yaml", &["05_isolation", "--format", "json"], dir.path(), 5).json();
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["verdict"], "drift");
    assert_eq!(findings[0]["question"], "other_company");
}

#[test]
fn an_answer_that_is_not_allowed_is_drift_too_where_another_is_pinned() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let select = ["02_07_pagination/pagination-members"];
    fs::write(dir.path().join("changed.yaml"), "per_page: 20\n").expect("writable");
    for (pinned, code) in [("per_page: 25\n", 5), ("per_page: 20\n", 0)] {
        fs::write(dir.path().join("pinned.yaml"), pinned).expect("writable");
        judge("changed.yaml", &select, dir.path(), code);
    }
}

#[test]
fn an_answer_that_contradicts_the_specification_is_refused() {
    let dir = folder_of(&[("pinned.yaml", "read_scope: read\nother_company: 500\n")]);
    let said = judge("default", &["05_isolation"], dir.path(), 2).stderr;
    insta::assert_snapshot!(message(&said), @"error: pinned.yaml:2:16: `other_company` is 500: allowed is 403 or 404; it contradicts `isolation.get-legal-request` (§5)");
    let said = run(&["answers", "show", "pinned.yaml"], dir.path()).ended(2).stderr;
    insta::assert_snapshot!(message(&said), @"error: pinned.yaml:2:16: `other_company` is 500: allowed is 403 or 404; it contradicts `isolation.get-legal-request` (§5)");
}

#[test]
fn a_mock_and_a_run_also_refuse_them_before_they_start() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut messages = String::new();
    for answer in [
        "other_company: 200",
        "request_workflow_unknown: 500",
        "request_requester_unknown: 201",
        "webhook_delete_status: 404",
        "upload_success_status: 422",
        "fully_executed: draft",
        "empty_total_pages: 2",
        "per_page: 0",
        "rate_limit_response: { status: 200, body: problem, retry_after: true }",
        "scope_omitted: { status: 200, error: invalid_scope }",
    ] {
        fs::write(dir.path().join("wrong.yaml"), format!("{answer}\n")).expect("writable");
        let said = [
            &["mock", "--listen", "127.0.0.1:0", "--answers", "wrong.yaml"][..],
            &["run", "05_isolation", "--answers", "wrong.yaml"],
            &["answers", "show", "wrong.yaml"],
        ]
        .map(|words| {
            let ran = run(words, dir.path()).ended(2);
            assert_eq!(ran.stdout, "", "{answer}");
            message(&ran.stderr)
        });
        assert!(said.iter().all(|it| *it == said[0]), "{answer}: {said:#?}");
        messages += &said[0];
    }
    insta::assert_snapshot!(messages, @r#"
    error: wrong.yaml:1:16: `other_company` is 200: allowed is 403 or 404; it contradicts `isolation.get-legal-request` (§5)
    error: wrong.yaml:1:27: `request_workflow_unknown` is 500: allowed is 400 or 403 or 404 or 422; it contradicts `create-legal-request.workflow-must-exist` (§4.5)
    error: wrong.yaml:1:28: `request_requester_unknown` is 201: allowed is 400 or 403 or 404 or 422; it contradicts `create-legal-request.requester-is-a-user` (§4.5)
    error: wrong.yaml:1:24: `webhook_delete_status` is 404: allowed is 200 to 299; it contradicts `delete-webhook.succeeds` (§4.13)
    error: wrong.yaml:1:24: `upload_success_status` is 422: allowed is 200 to 203 or 206 to 299; it contradicts `create-repository-document.shape` (§4.9)
    error: wrong.yaml:1:17: `fully_executed` is "draft": allowed is "signed" or "archived"; it contradicts `events.execution-complete-is-sent` (§6)
    error: wrong.yaml:1:20: `empty_total_pages` is 2: allowed is 0 or 1; it contradicts `pagination.empty-list` (§2.7)
    error: wrong.yaml:1:11: `per_page` is 0: allowed is 25 (with a warning: 1 or more); it contradicts `pagination.per-page-is-integer` (§2.7)
    error: wrong.yaml:1:22: `rate_limit_response` is {"status":200,"body":"problem","retry_after":true}: allowed is {body: "problem" or "text" or "empty", retry_after: true or false, status: 429 or 503}; it contradicts `limits.601st-is-refused` (§8)
    error: wrong.yaml:1:16: `scope_omitted` is {"status":200,"error":"invalid_scope"}: allowed is {error: text, status: 400 or 401}; it contradicts `token.scope-required-for-read-write` (§4.1)
    "#);
}

#[test]
fn two_sets_are_compared() {
    let dir = folder_of(&[("one.yaml", "other_company: 403\nper_page: 25\n")]);
    let same = run(&["answers", "diff", "default", "default"], dir.path()).ended(0).stdout;
    assert_eq!(same, "0 answered differently\n");
    let words = ["answers", "diff", "one.yaml", "default", "--format", "json"];
    let other: Value =
        serde_json::from_str(&run(&words, dir.path()).ended(5).stdout).expect("JSON");
    let (changed, only): (Vec<&Value>, Vec<&Value>) = other["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .partition(|it| it["kind"] != "only_second");
    let expected = serde_json::json!(
        { "question": "other_company", "kind": "contradiction", "first": 403, "second": 404 }
    );
    assert_eq!(changed, [&expected]);
    let order = only.iter().find(|it| it["question"] == "list_order").expect("it has a default");
    assert_eq!(order["second"], "newest_first");
    fs::write(dir.path().join("two.yaml"), "other_company: 403\n").expect("writable");
    let json = ["answers", "diff", "one.yaml", "two.yaml", "--format", "json"];
    let only: Value = serde_json::from_str(&run(&json, dir.path()).ended(0).stdout).expect("JSON");
    let expected = serde_json::json!([
        { "question": "per_page", "kind": "only_first", "first": 25, "second": null }
    ]);
    assert_eq!(only["differences"], expected, "what one does not answer is not a contradiction");
    let shown = run(&["answers", "show", "one.yaml"], dir.path()).ended(0).stdout;
    insta::assert_snapshot!(shown, @r"
    §5    other_company  403
          the response to an id of another company
    §2.7  per_page       25
          the page size
    2 answers
    ");
    run(&["answers", "show", "none.yaml"], dir.path()).ended(2);
}

#[test]
fn an_answer_that_is_not_imitated_has_a_reason() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["run", "-q", "04_12_list_webhooks", "--save-answers", "seen.yaml"];
    run(&words, dir.path()).ended(0);
    let shown = run(&["answers", "show", "seen.yaml"], dir.path()).ended(0).stdout;
    insta::assert_snapshot!(shown, @r"
    §6  event_kinds  not imitated: stored rows may not have all values
        the event names other than execution_complete
        steady       [] ×1
        seen in      04_12_list_webhooks/webhooks-listed/GET /v1/webhooks
    0 answers, 1 question observed: 0 varying, 1 not imitated
    ");
}
