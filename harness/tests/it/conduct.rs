//! The account of a client follows from the journal. Habits of repetition need three calls.

use jiff::{SignedDuration, Timestamp};
use moot_harness::conduct::{Account, Habit, WorldJournal, read};
use serde_json::{Value, json};

/// Calls by shorthand: `token`, `list 1/3`, `schema`, `create`, `lost`, `limit`, `expired`,
/// `none`, `body`; `limit 60` tells to wait so long, and after `+60` so many seconds have passed.
fn calls(script: &str) -> Vec<WorldJournal> {
    in_worlds(&[(None, script)])
}

/// As [`calls`], in several worlds.
fn in_worlds(scripts: &[(Option<&str>, &str)]) -> Vec<WorldJournal> {
    let worlds: Vec<Value> = scripts
        .iter()
        .map(|(sandbox, script)| {
            json!({ "sandbox": sandbox, "forgotten": 0, "exchanges": exchanges(script) })
        })
        .collect();
    read(&json!({ "worlds": worlds })).expect("these are journals")
}

fn exchanges(script: &str) -> Vec<Value> {
    let mut at = Timestamp::UNIX_EPOCH;
    let mut rows = Vec::new();
    for word in script.split(", ").filter(|word| !word.is_empty()) {
        match word.strip_prefix('+') {
            Some(seconds) => {
                at += SignedDuration::from_secs(seconds.parse().expect("a number"));
            }
            None => rows.push(call(rows.len() + 1, at, word)),
        }
    }
    rows
}

fn call(serial: usize, at: Timestamp, word: &str) -> Value {
    let (operation, status, decision, problem) = match word.split(' ').next() {
        Some("token") => ("create_access_token", 200, "served", None),
        Some("list") => ("list_legal_requests", 200, "served", None),
        Some("schema") => ("get_workflow_schema", 200, "served", None),
        Some("create") => ("create_legal_request", 201, "served", None),
        Some("lost") => ("create_legal_request", 504, "rule", Some("gateway_timeout")),
        Some("limit") => ("list_legal_requests", 429, "limit", Some("rate_limit_exceeded")),
        Some("expired") => ("list_legal_requests", 401, "token", Some("token_expired")),
        Some("none") => ("list_legal_requests", 401, "token", Some("invalid_token")),
        Some("body") => ("create_repository_document", 400, "body", Some("parameter_missing")),
        _ => panic!("{word}"),
    };
    let wait = word.strip_prefix("limit ");
    let pages = word.split_once(' ').and_then(|(_, pages)| pages.split_once('/'));
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let has_token = decision == "served" && operation != "create_access_token";
    json!({
        "serial": serial, "at": at.to_string(), "client": "127.0.0.1", "method": "GET", "path": "/v1/requests",
        "operation": operation, "status": status, "decision": decision, "problem": problem,
        "application": (has_token || decision == "body").then_some("demo-main"),
        "detail": problem.map(|_| "What would have worked."),
        "response": {
            "page": pages.map(|(page, _)| number(page)),
            "pages": pages.map(|(_, all)| number(all)),
            "retry_after_seconds": wait.map(number),
        },
        "fault": (word == "lost").then_some("commit_then_fail"),
    })
}

#[track_caller]
fn check(script: &str, expected: &[Habit]) {
    let found: Vec<Habit> =
        Account::of(&calls(script)).habits.iter().map(|finding| finding.habit).collect();
    assert_eq!(found, expected, "{script}");
}

#[test]
fn a_sound_client_has_no_habits() {
    check("", &[]);
    check("token, list 1/3, list 2/3, list 3/3, schema, create, create", &[]);
    check("token, list 1/1, expired, token, list 1/1", &[]);
    check("token, list 1/1, limit, list 1/1", &[]);
    check("token, body, body", &[]);
}

#[test]
fn each_habit_is_found_and_its_neighbour_is_not() {
    check("none", &[Habit::NoToken]);
    check("token, list 1/1, token, list 1/1, token, list 1/1", &[Habit::TokenPerCall]);
    check("token, list 1/1, list 1/1, token, list 1/1, list 1/1", &[]);
    check("token, list 1/1, token, list 1/1", &[]);
    check("expired, expired, expired", &[Habit::DeadToken]);
    check("expired, expired, token, expired", &[]);
    check("limit, limit, limit", &[Habit::ImpatientRetry]);
    check("limit, limit", &[]);
    check("limit 60, limit 60, limit 60", &[Habit::ImpatientRetry]);
    check("limit 60, +60, limit 60, +60, limit 60, +60, list 1/1", &[]);
    check("limit 60, +59, list 1/1, list 1/1", &[Habit::ImpatientRetry]);
    check("limit 60, +60, list 1/1, list 1/1", &[]);
    check("list 1/2", &[Habit::FirstPageOnly]);
    check("list 1/2, list 2/2", &[]);
    check("body, body, body", &[Habit::RefusedRepeated]);
    check("schema, lost, create", &[Habit::BlindRepeat]);
    check("schema, lost, list 1/1, create", &[]);
    check("create, schema", &[Habit::SchemaUnread]);
    check("schema, create", &[]);
}

#[test]
fn an_account_counts_what_was_used_and_joins_errors_of_a_kind() {
    let account = Account::of(&calls("token, list 1/1, none, none, body"));
    let used: Vec<(Option<&str>, usize)> =
        account.operations.iter().map(|one| (one.operation.as_deref(), one.calls)).collect();
    let expected = [
        (Some("create_access_token"), 1),
        (Some("list_legal_requests"), 3),
        (Some("create_repository_document"), 1),
    ];
    assert_eq!(used, expected);
    let errors: Vec<(&str, u16, usize, u64)> = account
        .errors
        .iter()
        .map(|error| (error.problem.as_str(), error.status, error.times, error.first_call))
        .collect();
    assert_eq!(errors, [("invalid_token", 401, 2, 3), ("parameter_missing", 400, 1, 5)]);
    assert_eq!(account.errors[0].detail, "What would have worked.");
}

#[test]
fn every_world_is_judged_by_itself_and_told_together() {
    let worlds =
        [(None, "token, schema, create"), (Some("s1"), "token, none"), (Some("s2"), "token, none")];
    let account = Account::of(&in_worlds(&worlds));
    assert_eq!((account.calls, account.sandboxes), (7, 2));
    let used: Vec<usize> = account.operations.iter().map(|one| one.calls).collect();
    assert_eq!(used, [3, 1, 1, 2], "tokens, schemas, creations, lists");
    let errors: Vec<(usize, Option<&str>)> =
        account.errors.iter().map(|error| (error.times, error.sandbox.as_deref())).collect();
    assert_eq!(errors, [(2, Some("s1"))]);
    let habits: Vec<_> = account
        .habits
        .iter()
        .map(|found| (found.habit, found.times, found.sandbox.as_deref(), found.worlds))
        .collect();
    // A token for each world is none for each call.
    assert_eq!(habits, [(Habit::NoToken, 2, Some("s1"), 2)]);
}
