//! The activity log of §2.5 and §4.8.

use std::collections::BTreeSet;

use moot_fixtures::contract::{ActivityWording, Answers, ListOrder, Presence, TimestampForm};
use moot_mock::control::ControlAction;
use serde_json::{Value, json};

use crate::support::{Bench, bench, bench_answering, sound};

/// Creates a request with a comment and a status change. Returns its log as the API shows it.
fn logged(bench: &Bench) -> (String, Vec<Value>) {
    let id = bench.create(&sound());
    bench
        .ask(ControlAction::AddComment { id: id.clone(), comment: "Please hurry".to_owned() })
        .expect("a comment");
    let status = moot_fixtures::contract::LegalRequestStatus::InitialReview;
    let order = ControlAction::SetStatus { id: id.clone(), status, comment: None, force: false };
    bench.ask(order).expect("it is legal");
    let response = bench.get(&format!("/v1/requests/{id}/activity")).ok();
    let data = response.value("/data").as_array().cloned();
    (id, data.expect("a list"))
}

#[track_caller]
fn check(change: impl FnOnce(&mut Answers), pointer: &str, expected: &Value) {
    let (_, entries) = logged(&bench_answering(change));
    let entry = entries.iter().find(|entry| entry["attributes"]["action"] == "status_change");
    let entry = entry.expect("a status change");
    assert_eq!(entry["attributes"].pointer(pointer).unwrap_or(&Value::Null), expected);
}

#[test]
fn the_log_records_creation_comments_and_status_changes() {
    let bench = bench();
    let (_, entries) = logged(&bench);
    let shown: Vec<(&str, &Value)> = entries
        .iter()
        .filter_map(|entry| {
            let attributes = &entry["attributes"];
            Some((attributes["action"].as_str()?, &attributes["comment"]))
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("status_change", &Value::Null),
            ("comment", &json!("Please hurry")),
            ("created", &Value::Null),
        ]
    );
    let ids: BTreeSet<_> = entries.iter().map(|entry| entry["id"].as_str()).collect();
    assert_eq!(ids.len(), 3);
    assert!(entries.iter().all(|entry| entry["type"] == "activity_log"));
}

#[test]
fn its_wording_and_members_are_answers() {
    let changed = json!("Status changed to initial_review");
    check(|_| {}, "/description", &changed);
    let words = json!("Status changed to Initial review");
    check(|answers| answers.activity_wording = ActivityWording::Words, "/description", &words);
    let data = json!({ "from": "draft", "to": "initial_review" });
    check(|_| {}, "/additional_data", &data);
    let absent = |answers: &mut Answers| answers.activity_additional_data = Presence::Absent;
    check(absent, "/additional_data", &Value::Null);
    for (form, text) in [
        (TimestampForm::Seconds, "2026-03-05T14:30:00Z"),
        (TimestampForm::Milliseconds, "2026-03-05T14:30:00.000Z"),
        (TimestampForm::Offset, "2026-03-05T14:30:00+00:00"),
        (TimestampForm::Basic, "20260305T143000Z"),
    ] {
        check(|answers| answers.timestamps = form, "/created_at", &json!(text));
    }
}

#[test]
fn order_and_pages_are_answers() {
    let bench = bench_answering(|answers| {
        answers.list_order = ListOrder::OldestFirst;
        answers.activity_paginated = true;
        answers.per_page = 2;
    });
    let (id, first) = logged(&bench);
    assert_eq!(first.len(), 2);
    assert_eq!(first[0]["attributes"]["action"], "created");
    let second = bench.get(&format!("/v1/requests/{id}/activity?page=2"));
    assert_eq!(
        second.value("/pagination"),
        json!({ "current_page": 2, "per_page": 2, "total_pages": 2, "total_count": 3 })
    );
    assert_eq!(second.ids().len(), 1);
    let plain = bench_answering(|_| {});
    let (id, _) = logged(&plain);
    let response = plain.get(&format!("/v1/requests/{id}/activity"));
    assert!(response.json().get("pagination").is_none());
    assert_eq!(bench.get("/v1/requests/unknown1/activity").status, 404);
}

#[test]
fn empty_comments_are_refused() {
    let bench = bench();
    let id = bench.create(&sound());
    let refused = bench.ask(ControlAction::AddComment { id, comment: " ".to_owned() });
    assert_eq!(refused.expect_err("it says nothing").status, 422);
    let unknown =
        bench.ask(ControlAction::AddComment { id: "unknown1".to_owned(), comment: "x".to_owned() });
    assert_eq!(unknown.expect_err("no such request").status, 404);
}
