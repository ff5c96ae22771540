//! Checks with the same cause are one finding in every report. In the JSON report they are in `findings`.

use std::sync::Arc;

use moot_harness::report::terminal::Detail;
use moot_harness::report::terminal::paint::plain;
use moot_harness::report::{Format, json, render};
use moot_harness::scenario::ScenarioName;
use moot_harness::verdict::check::{MismatchKind, ResponsePart};
use moot_harness::verdict::result::{
    CheckResult, ExpectedState, KnownFailure, RunOutcome, RunResult, SnapshotCounts, Subject,
};
use moot_harness::verdict::{NotRunKind, Verdict};
use moot_snapshots::{ChangedPlace, SnapshotChange};
use serde_json::{Value, json};

use crate::report_sample::{check as check_of, exchange, result};

const DETAIL: Detail = Detail::Normal;

fn text_of(result: &RunResult, detail: Detail) -> String {
    plain(&render(Format::Text, result, detail).expect("no secret in it"))
}

/// A check of a requirement in this row of a loop.
fn failed(id: &str, row: &str, message: &str, pointer: Option<&str>) -> CheckResult {
    let subject = Subject::Requirement(id.to_owned().into());
    let mut check = check_of(subject, Verdict::Fail, message, None);
    check.scenario =
        Arc::new(ScenarioName::new("04_05_create_legal_request", "from-schema").with_row(row));
    check.pointer = pointer.map(str::to_owned);
    (check.mismatch, check.part) = (Some(MismatchKind::Value), Some(ResponsePart::Body));
    check
}

/// A snapshot with this difference, of the exchange with this number.
fn drifted(result: &RunResult, name: &str, number: u64, changes: &[SnapshotChange]) -> CheckResult {
    let response = exchange(&result.masks, number, Ok((403, "{}")));
    let subject = Subject::Snapshot(name.to_owned().into());
    let message = "the response differs from its snapshot";
    let mut check = check_of(subject, Verdict::Drift, message, Some(response));
    check.actual = format!("--- accepted\n+++ new\n@@ -1 +1 @@\n+of {name}\n");
    check.changes = changes.to_vec();
    check
}

/// A member that the schema does not allow.
fn unexpected(member: &str) -> Option<MismatchKind> {
    let keyword = "additionalProperties".to_owned();
    Some(MismatchKind::Schema { keyword, members: vec![member.to_owned()] })
}

fn member(name: &str) -> SnapshotChange {
    let place = ChangedPlace::Body(format!("/data/attributes/{name}"));
    SnapshotChange { place, text: format!("`legal_request/attributes/{name}` is new"), value: None }
}

fn status() -> SnapshotChange {
    let text = "the status is 403, was 404".to_owned();
    SnapshotChange { place: ChangedPlace::Status, text, value: Some("403".to_owned()) }
}

fn of(checks: Vec<CheckResult>) -> RunResult {
    let mut result = result();
    result.scenarios[0].steps[0].checks = checks;
    result
}

fn report(result: &RunResult) -> Value {
    let text = render(Format::Json, result, DETAIL).expect("no secret in it");
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    let schema: Value = serde_json::from_str(json::SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    report
}

/// Verdict, subject and number of each finding.
#[track_caller]
fn check(checks: Vec<CheckResult>, expected: &[(&str, &str, u64)]) -> Value {
    let report = report(&of(checks));
    let findings = report["findings"].as_array().expect("a list");
    let told: Vec<_> = findings
        .iter()
        .map(|one| {
            let names = ["requirement", "question", "snapshot"].map(|name| one[name].as_str());
            let name = names.into_iter().flatten().next().unwrap_or_default();
            (one["verdict"].as_str().unwrap_or_default(), name, one["count"].as_u64().unwrap_or(0))
        })
        .collect();
    assert_eq!(told, expected, "{findings:#?}");
    report["findings"].clone()
}

#[test]
fn checks_that_differ_only_in_row_index_or_count_are_one_finding() {
    let shape = |row: &str, index: usize, more: &str| {
        let pointer = format!("/data/{index}/attributes");
        let message = format!("the body breaks its schema at {pointer}: 'x' was unexpected{more}");
        CheckResult {
            mismatch: unexpected("x"),
            ..failed("a.shape", row, &message, Some(&pointer))
        }
    };
    let id = |row: &str, mismatch: MismatchKind| CheckResult {
        mismatch: Some(mismatch),
        ..failed("a.id", row, &format!("`/data/{row}/id` is wrong"), None)
    };
    let rows = vec![
        shape("wfSupplier", 0, ""),
        shape("wfThird", 3, " (and 24 more)"),
        id("wfSupplier", MismatchKind::Absent),
        id("wfThird", MismatchKind::Absent),
        id("wfThird", MismatchKind::Type),
    ];
    let found = check(rows, &[("fail", "a.shape", 2), ("fail", "a.id", 2), ("fail", "a.id", 1)]);
    assert_eq!(found[0]["pointer"], "/data/*/attributes");
    assert_eq!(found[1]["pointer"], Value::Null);
    let place = "04_05_create_legal_request/from-schema[wfThird]/POST /v1/requests/a.shape";
    assert_eq!(found[0]["checks"][1], place);
}

#[test]
fn the_worst_comes_first_and_then_the_specification() {
    let mut late = failed("late", "row", "is wrong", None);
    late.section = "4.10".into();
    let mut early = failed("early", "row", "is wrong", None);
    early.section = "4.9".into();
    let mut warned = failed("warned", "row", "is wrong", None);
    (warned.verdict, warned.section) = (Verdict::Warn, "1".into());
    let mut ours = failed("ours", "row", "broke", None);
    ours.verdict = Verdict::Error;
    let rows = [("error", "ours", 1), ("fail", "early", 1), ("fail", "late", 1)];
    check(vec![warned, late, early, ours], &[&rows[..], &[("warn", "warned", 1)]].concat());
}

#[test]
fn known_failures_and_checks_that_were_not_run_are_no_findings() {
    let mut known = failed("known", "row", "is wrong", None);
    known.known = Some(Box::new(KnownFailure { id: "k".to_owned(), reason: "r".to_owned() }));
    let mut not_run = failed("not-run", "row", "no response", None);
    not_run.verdict = Verdict::NotRun;
    check(vec![known, not_run], &[]);
}

#[test]
fn the_same_change_in_several_snapshots_is_one_and_two_changes_are_two() {
    let sample = result();
    let list = drifted(&sample, "list", 11, &[member("priority")]);
    let one = drifted(&sample, "one", 12, &[member("priority"), member("color"), member("size")]);
    let row = drifted(&sample, "one", 13, &[member("priority"), member("color"), member("size")]);
    let found = check(vec![list, one, row], &[("drift", "list", 3), ("drift", "one", 2)]);
    let message = |at: usize| found[at]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message(0).ends_with(": `legal_request/attributes/priority` is new"), "{found}");
    assert!(message(1).contains("color` is new, `legal_request/attributes/size"), "{found}");
}

#[test]
fn steps_without_a_snapshot_are_one_finding_and_bodies_without_members_are_not() {
    let sample = result();
    let missing = |name: &str| {
        let mut check = drifted(&sample, name, 11, &[]);
        check.message = "the step has no snapshot".to_owned();
        check.actual.clear();
        check.mismatch = Some(MismatchKind::Absent);
        check
    };
    let other = [drifted(&sample, "c", 12, &[]), drifted(&sample, "d", 12, &[])];
    let rows = [&[missing("a"), missing("b")][..], &other].concat();
    check(rows, &[("drift", "a", 2), ("drift", "c", 1), ("drift", "d", 1)]);
}

#[test]
fn a_snapshot_that_differs_as_another_finding_says_belongs_to_it() {
    let sample = result();
    let answered = exchange(&sample.masks, 11, Ok((403, "{}")));
    let pinned = |actual: &str| {
        let subject = Subject::Question("other_company".into());
        let message = "the answer differs from the pinned one";
        let mut check = check_of(subject, Verdict::Drift, message, Some(Arc::clone(&answered)));
        check.actual = actual.to_owned();
        (check.mismatch, check.part) = (Some(MismatchKind::Value), Some(ResponsePart::Status));
        check
    };
    let same = drifted(&sample, "other", 11, &[status()]);
    let found = check(vec![pinned("403"), same.clone()], &[("drift", "other_company", 1)]);
    assert_eq!(found[0]["explains"], json!([same.id()]));
    // Another response, another value or a further value is a finding of its own.
    let elsewhere = drifted(&sample, "other", 12, &[status()]);
    let rows = [("drift", "other_company", 1), ("drift", "other", 1)];
    check(vec![pinned("403"), elsewhere], &rows);
    check(vec![pinned("410"), same.clone()], &rows);
    let more = drifted(&sample, "other", 11, &[status(), member("priority")]);
    check(vec![pinned("403"), more], &rows);

    let mut shape = failed("a.shape", "row", "broken: ('priority' was unexpected)", None);
    shape.pointer = Some("/data/attributes".to_owned());
    shape.mismatch = unexpected("priority");
    shape.exchange = Some(answered);
    let created = drifted(&sample, "created", 11, &[member("priority")]);
    check(vec![shape.clone(), created], &[("fail", "a.shape", 1)]);
    let other = drifted(&sample, "created", 11, &[member("color")]);
    check(vec![shape, other], &[("fail", "a.shape", 1), ("drift", "created", 1)]);
}

#[test]
fn a_server_error_that_a_scenario_also_checks_is_one_finding() {
    let sample = result();
    let judged = |id: &str, number: u64, mismatch: MismatchKind| {
        let mut check = failed(id, "row", "a server error", None);
        (check.part, check.mismatch) = (Some(ResponsePart::Status), Some(mismatch));
        check.actual = "500".to_owned();
        check.exchange = Some(exchange(&sample.masks, number, Ok((500, "{}"))));
        check
    };
    let id = "errors.never-5xx";
    let own = judged(id, 11, MismatchKind::TooLarge);
    let implicit = |number| judged(id, number, MismatchKind::ServerError);
    let found = check(vec![implicit(11), own.clone(), implicit(12)], &[("fail", id, 2)]);
    assert_eq!(found[0]["explains"], json!([own.id()]));
    // A scenario that needs another status has a finding of its own.
    let other = judged("a.then-readable", 11, MismatchKind::Value);
    check(vec![implicit(11), other], &[("fail", id, 1), ("fail", "a.then-readable", 1)]);
    // A server that fails may not write a problem.
    let member = |number| CheckResult {
        place: None,
        part: Some(ResponsePart::Body),
        ..judged("errors.member-title", number, MismatchKind::Absent)
    };
    let found = check(vec![implicit(11), member(11)], &[("fail", id, 1)]);
    assert_eq!(found[0]["explains"], json!([member(11).id()]));
    check(
        vec![implicit(11), member(11), member(12)],
        &[("fail", id, 1), ("fail", "errors.member-title", 2)],
    );
}

#[test]
fn requirements_broken_by_the_same_fault_are_in_one_finding() {
    let sample = result();
    let judged = |id: &str, number: u64, actual: &str| {
        let mut check = failed(id, "row", "expected 201, got another status", None);
        check.part = Some(ResponsePart::Status);
        check.actual = actual.to_owned();
        check.exchange = Some(exchange(&sample.masks, number, Ok((422, "{}"))));
        check
    };
    let rows = vec![judged("a", 11, "422"), judged("a", 12, "422"), judged("b", 11, "422")];
    let found = check(rows.clone(), &[("fail", "a", 2)]);
    assert_eq!(found[0]["explains"], json!([rows[2].id()]));
    let text = text_of(&of(rows.clone()), DETAIL);
    assert!(text.contains("with it   this breaks b (§4.5)"), "{text}");
    // A response with another status does not have the members that a scenario expects.
    let detail = failed("c", "row", "`/detail` does not match", Some("/detail"));
    let detail = CheckResult { exchange: rows[0].exchange.clone(), ..detail };
    check([&rows[..], std::slice::from_ref(&detail)].concat(), &[("fail", "a", 2)]);
    let implicit = CheckResult { place: None, ..detail };
    check([&rows[..], &[implicit]].concat(), &[("fail", "a", 2), ("fail", "c", 1)]);
    // Another response or another value is another fault.
    let elsewhere = [judged("a", 11, "422"), judged("b", 11, "422"), judged("b", 13, "422")];
    check(elsewhere.to_vec(), &[("fail", "b", 2)]);
    check(
        vec![judged("a", 11, "422"), judged("b", 13, "422")],
        &[("fail", "a", 1), ("fail", "b", 1)],
    );
    // One value at one place is one fault with any message.
    let at = |check: CheckResult, message: &str, pointer: &str| CheckResult {
        message: message.to_owned(),
        part: Some(ResponsePart::Body),
        pointer: Some(pointer.to_owned()),
        ..check
    };
    let typed = at(judged("a", 11, "x"), "`$.data[*].type` is another value", "/data/0/type");
    let shaped = at(judged("b", 11, "x"), "the body breaks its schema", "/data/0/type");
    check(vec![typed.clone(), shaped.clone()], &[("fail", "a", 1)]);
    let beside = CheckResult { pointer: Some("/data/0/id".to_owned()), ..shaped.clone() };
    check(vec![typed.clone(), beside], &[("fail", "a", 1), ("fail", "b", 1)]);
    let other = CheckResult { actual: "y".to_owned(), ..shaped };
    check(vec![typed, other], &[("fail", "a", 1), ("fail", "b", 1)]);
    // A status that the operation does not document differs from the status that each scenario expects.
    let undocumented = |number| CheckResult {
        message: "create_webhook does not document this status".to_owned(),
        mismatch: Some(MismatchKind::NotAllowed),
        ..judged("http.declared-status", number, "422")
    };
    let rows = vec![judged("a", 11, "422"), undocumented(11), judged("b", 12, "422")];
    let found =
        check([&rows[..], &[undocumented(12)]].concat(), &[("fail", "http.declared-status", 2)]);
    assert_eq!(found[0]["explains"], json!([rows[0].id(), rows[2].id()]));
    check(rows, &[("fail", "a", 1), ("fail", "b", 1)]);
}

#[test]
fn a_body_that_breaks_its_schema_explains_absent_members_and_wrong_types() {
    let sample = result();
    let of_body = |id: &str, number: u64, mismatch: MismatchKind, pointer: &str| CheckResult {
        mismatch: Some(mismatch),
        exchange: Some(exchange(&sample.masks, number, Ok((200, "{}")))),
        ..failed(id, "row", "is wrong", Some(pointer))
    };
    let shape = |number| {
        let extra = unexpected("x").expect("a kind");
        of_body("a.shape", number, extra, "/data/0/attributes")
    };
    let absent = of_body("a.total", 11, MismatchKind::Absent, "/pagination/total_count");
    let typed = of_body("a.page", 11, MismatchKind::Type, "/pagination/current_page");
    let other = of_body("a.name", 11, MismatchKind::Value, "/data/0/attributes/name");
    let rows = vec![shape(11), shape(12), absent, typed, other];
    let found = check(rows, &[("fail", "a.shape", 2), ("fail", "a.name", 1)]);
    assert_eq!(found[0]["explains"].as_array().map(Vec::len), Some(2));
    let elsewhere = of_body("a.total", 13, MismatchKind::Absent, "/pagination/total_count");
    check(vec![shape(11), shape(12), elsewhere], &[("fail", "a.shape", 2), ("fail", "a.total", 1)]);
    // A step that repeats its request has the check of the schema at one of its responses.
    let missing =
        MismatchKind::Schema { keyword: "required".to_owned(), members: vec!["type".to_owned()] };
    let problem = of_body("a.problem", 14, missing, "");
    let kind = |number| of_body("a.kind", number, MismatchKind::Absent, "/type");
    check(vec![problem.clone(), kind(15)], &[("fail", "a.problem", 1)]);
    let other_step = CheckResult { scenario: failed("a", "other", "", None).scenario, ..kind(15) };
    check(vec![problem, other_step], &[("fail", "a.problem", 1), ("fail", "a.kind", 1)]);
}

#[test]
fn a_page_and_a_summary_have_the_notices() {
    let mut result = result();
    result.unanswered = 2;
    for format in [Format::Text, Format::Html, Format::Markdown] {
        let report = render(format, &result, DETAIL).expect("no secret in it");
        assert!(report.contains("2 requests had no response"), "{report}");
    }
    result.unanswered = 0;
    assert!(!text_of(&result, DETAIL).contains("notice"));
}

#[test]
fn people_read_a_finding_once_with_the_others_by_name() {
    let rows = (0..9).map(|row| failed("a.shape", &format!("row{row}"), "is wrong", None));
    let mut result = of(rows.collect());
    result.snapshots.counts = Some(SnapshotCounts {
        folder: "snapshots/t".to_owned(),
        compared: 31,
        same: 30,
        differing: 1,
        ..SnapshotCounts::default()
    });
    let text = text_of(&result, DETAIL);
    assert_eq!(text.matches("FAIL  ").count(), 1, "{text}");
    for part in ["(9 times)", "from-schema[row3] › POST", "and 5 more", "1 finding (9 fail)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let snapshots = "snapshots 31 compared, 30 as recorded, 1 differs, in snapshots/t";
    assert!(text.contains(snapshots), "{text}");
    let text = text_of(&result, Detail::Verbose);
    assert!(text.contains("from-schema[row8]") && !text.contains("more\n"), "{text}");
    let markdown = render(Format::Markdown, &result, DETAIL).expect("no secret in it");
    assert_eq!(markdown.matches("<details>").count(), 1, "{markdown}");
    assert!(markdown.contains("(9 times)") && markdown.contains("- and 3 more"), "{markdown}");
    let page = render(Format::Html, &result, DETAIL).expect("no secret in it");
    assert!(page.contains("also at 8 more") && page.contains("1 finding<"), "{page}");
    assert!(page.contains("from-schema[row8]"), "{page}");
}

#[test]
fn html_and_markdown_quote_the_clause_and_html_says_the_remedy() {
    let finding = failed("service.manages-four-kinds", "row", "is wrong", None);
    let sentence = finding.sentence().expect("the register has it").to_owned();
    let remedy = finding.remedy().expect("the register has it").to_owned();
    let result = of(vec![finding]);
    for (format, texts) in
        [(Format::Html, &[&sentence, &remedy][..]), (Format::Markdown, &[&sentence])]
    {
        let page = render(format, &result, DETAIL).expect("no secret in it");
        for text in texts {
            assert!(page.contains(text.as_str()), "{format}: {text}\n{page}");
        }
    }
}

#[test]
fn a_run_that_left_rows_out_for_lack_of_tokens_says_so() {
    let mut result = result();
    result.outcome = RunOutcome::Conformant;
    let mut known = std::mem::take(&mut result.expected);
    assert_eq!(result.meaning(), RunOutcome::Conformant.meaning());
    let row = result.scenarios.iter_mut().find_map(|scenario| scenario.not_run.as_mut());
    row.expect("one did not run").kind = NotRunKind::TokenBudget;
    let end = "except rows that the limit of the token endpoint left out";
    assert!(result.meaning().ends_with(end), "{}", result.meaning());
    known[0].state = ExpectedState::Happened;
    result.expected = known;
    let meaning = result.meaning();
    assert!(
        meaning.starts_with("nothing failed but the expected failures") && meaning.ends_with(end),
        "{meaning}"
    );
}

#[test]
fn a_run_in_which_nothing_could_be_judged_says_so() {
    let mut result = result();
    result.scenarios.retain(|scenario| scenario.not_run.is_some());
    result.outcome = RunOutcome::Incomplete;
    let meaning = result.meaning();
    assert!(meaning.starts_with("no check could be judged"), "{meaning}");
    // If something else did not run either, that is the reason.
    result.scenarios[0].not_run.as_mut().expect("it did not run").is_tolerated = false;
    assert_eq!(result.meaning(), RunOutcome::Incomplete.meaning());
}
