//! Deliveries of §6: queueing, sending, retries and discarding.

use moot_fixtures::contract::LegalRequestStatus;
use moot_mock::control::{ControlAction, DeliveryFilter};
use moot_mock::service::{AttemptResult, DeliveryAttempt};
use serde_json::{Value, json};

use crate::support::{Bench, bench, bench_answering, delete, post, sound, start};

const HOOK: &str = "http://127.0.0.1:9/hook";

/// Registers a webhook and returns its id.
fn register(bench: &Bench, more: &[(&str, &str)]) -> String {
    let mut payload = json!({ "name": "hook", "url": HOOK });
    for (name, value) in more {
        payload[name] = json!(value);
    }
    bench.send(&post("/v1/webhooks").token(&bench.token()).json(&payload)).ok().text("/data/id")
}

/// The due attempts for the test's receiver. Those for the seed's webhooks fail.
fn due(bench: &Bench) -> Vec<DeliveryAttempt> {
    let attempts = bench.service.due_attempts(start());
    let (ours, seeded): (Vec<_>, Vec<_>) =
        attempts.into_iter().partition(|attempt| attempt.url == HOOK);
    for attempt in seeded {
        let result = AttemptResult::NoResponse("no such host".to_owned());
        bench.service.attempt_done(start(), attempt.delivery, result, None);
    }
    ours
}

fn delivery(bench: &Bench, id: u64) -> Value {
    let known = bench
        .ask(ControlAction::ListDeliveries { filter: DeliveryFilter::default() })
        .expect("a question");
    let deliveries = known["deliveries"].as_array().expect("a list");
    deliveries.iter().find(|delivery| delivery["id"] == id).cloned().unwrap_or_default()
}

#[track_caller]
fn check(bench: &Bench, id: u64, state: &str, attempts: usize) {
    let delivery = delivery(bench, id);
    assert_eq!(delivery["state"], state, "{delivery}");
    assert_eq!(delivery["attempts"].as_array().map(Vec::len), Some(attempts), "{delivery}");
}

#[test]
fn full_execution_queues_one_delivery_per_subscribed_webhook_of_the_company() {
    let bench = bench();
    let hook = register(&bench, &[("token", "receiver-token")]);
    let id = bench.create(&sound());
    bench.set_status(&id, LegalRequestStatus::InitialReview);
    assert!(due(&bench).is_empty(), "nothing is executed yet");
    bench.set_status(&id, LegalRequestStatus::Signed);
    let known = bench
        .ask(ControlAction::ListDeliveries { filter: DeliveryFilter::default() })
        .expect("a question");
    let urls = known["deliveries"].as_array().expect("a list").len();
    assert_eq!(urls, 3, "two subscribed webhooks of the seed, and ours");
    let attempt = due(&bench).remove(0);
    assert_eq!(
        attempt.headers,
        [
            ("content-type".to_owned(), "application/json".to_owned()),
            ("authorization".to_owned(), "Bearer receiver-token".to_owned()),
        ]
    );
    let body: Value = serde_json::from_slice(&attempt.body).expect("JSON");
    assert_eq!(
        body,
        json!({ "event": "execution_complete", "data": { "request_id": id,
        "workflow_id": "wfMutualNda1", "status": "signed", "occurred_at": "2026-03-05T14:30:00Z" } })
    );
    bench.service.attempt_done(start(), attempt.delivery, AttemptResult::Status(204), None);
    check(&bench, attempt.delivery, "delivered", 1);
    assert_eq!(delivery(&bench, attempt.delivery)["webhook_id"], hook);
    bench.set_status(&id, LegalRequestStatus::Archived);
    assert!(due(&bench).is_empty(), "archiving is not an execution");
}

#[test]
fn retries_come_after_10_60_300_and_1800_seconds_and_then_end() {
    let bench = bench();
    register(&bench, &[]);
    let id = bench.create(&sound());
    bench.set_status(&id, LegalRequestStatus::Signed);
    let first = due(&bench).remove(0);
    let fail = |attempt: &DeliveryAttempt| {
        bench.service.attempt_done(start(), attempt.delivery, AttemptResult::Status(500), None);
    };
    fail(&first);
    for (made, seconds) in [(1, 10), (2, 60), (3, 300), (4, 1800)] {
        check(&bench, first.delivery, "queued", made);
        bench.advance(seconds - 1);
        assert!(due(&bench).is_empty(), "too early: {seconds}");
        bench.advance(1);
        let attempts = due(&bench);
        assert_eq!(attempts.len(), 1, "{seconds}");
        assert_eq!(attempts[0].body, first.body);
        fail(&attempts[0]);
    }
    check(&bench, first.delivery, "failed", 5);
    bench.advance(100_000);
    assert!(due(&bench).is_empty());
    bench.ask(ControlAction::Redeliver { id: first.delivery }).expect("it may be tried again");
    let again = due(&bench).remove(0);
    bench.service.attempt_done(start(), again.delivery, AttemptResult::Status(200), None);
    check(&bench, first.delivery, "delivered", 6);
}

#[test]
fn a_clock_that_jumps_makes_each_retry_at_its_own_time() {
    let bench = bench();
    register(&bench, &[]);
    let id = bench.create(&sound());
    bench.set_status(&id, LegalRequestStatus::Signed);
    bench.advance(3600);
    let mut attempts = 0;
    let mut delivery_id = 0;
    while let Some(attempt) = due(&bench).pop() {
        attempts += 1;
        delivery_id = attempt.delivery;
        let result = AttemptResult::NoResponse("connection refused".to_owned());
        bench.service.attempt_done(start(), attempt.delivery, result, None);
    }
    assert_eq!(attempts, 5);
    let times: Vec<String> = delivery(&bench, delivery_id)["attempts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|attempt| attempt["at"].as_str().expect("a time").to_owned())
        .collect();
    let expected = ["14:30:00", "14:30:10", "14:31:10", "14:36:10", "15:06:10"];
    assert_eq!(times, expected.map(|time| format!("2026-03-05T{time}Z")));
}

#[test]
fn deleting_a_webhook_discards_queued_deliveries_and_those_in_flight() {
    let bench = bench();
    let token = bench.token();
    let hook = register(&bench, &[]);
    let ids: Vec<String> = (0..3).map(|_| bench.create(&sound())).collect();
    for id in &ids {
        bench.set_status(id, LegalRequestStatus::Signed);
    }
    let attempts = due(&bench);
    bench.service.attempt_done(start(), attempts[0].delivery, AttemptResult::Status(200), None);
    bench.service.attempt_done(start(), attempts[1].delivery, AttemptResult::Status(500), None);
    assert!(bench.service.is_wanted(attempts[2].delivery));
    bench.send(&delete(&format!("/v1/webhooks/{hook}")).token(&token)).ok();
    assert!(!bench.service.is_wanted(attempts[2].delivery));
    assert_eq!(delivery(&bench, attempts[0].delivery), Value::Null, "the log is gone");
    check(&bench, attempts[1].delivery, "discarded", 1);
    check(&bench, attempts[2].delivery, "discarded", 0);
    bench.service.attempt_done(start(), attempts[2].delivery, AttemptResult::Status(200), None);
    check(&bench, attempts[2].delivery, "discarded", 0);
    bench.advance(10_000);
    assert!(due(&bench).is_empty(), "neither retried");
    bench.set_status(&bench.create(&sound()), LegalRequestStatus::Signed);
    assert!(due(&bench).is_empty(), "nor anything new");
    let refused = bench.ask(ControlAction::Redeliver { id: attempts[1].delivery });
    assert_eq!(refused.expect_err("its webhook is gone").status, 409);
}

#[test]
fn payload_credentials_and_trigger_are_answers() {
    let bench = bench_answering(|answers| {
        answers.delivery_payload.members = Vec::new();
        answers.fully_executed = LegalRequestStatus::Archived;
        answers.delivery_retries = Vec::new();
    });
    register(&bench, &[("username", "user"), ("password", "pass")]);
    let id = bench.create(&sound());
    bench.set_status(&id, LegalRequestStatus::Signed);
    assert!(due(&bench).is_empty());
    bench.set_status(&id, LegalRequestStatus::Archived);
    let attempt = due(&bench).remove(0);
    assert_eq!(attempt.headers[1].1, "Basic dXNlcjpwYXNz");
    let body: Value = serde_json::from_slice(&attempt.body).expect("JSON");
    assert_eq!(body, json!({ "event": "execution_complete", "data": { "request_id": id } }));
    bench.service.attempt_done(start(), attempt.delivery, AttemptResult::Status(302), None);
    check(&bench, attempt.delivery, "failed", 1);
}

#[test]
fn the_next_due_time_is_known_on_a_running_clock_and_none_by_itself_on_a_frozen_one() {
    let frozen = bench();
    register(&frozen, &[]);
    assert_eq!(frozen.service.next_due(start()), None);
    let real = crate::support::bench_with(|settings| {
        settings.clock = moot_mock::settings::ClockSetting::Real;
    });
    register(&real, &[]);
    let id = real.create(&sound());
    real.set_status(&id, LegalRequestStatus::Signed);
    assert_eq!(real.service.next_due(start()), Some(start()));
    for attempt in real.service.due_attempts(start()) {
        real.service.attempt_done(start(), attempt.delivery, AttemptResult::Status(500), None);
    }
    let due = real.service.next_due(start()).expect("a retry");
    assert_eq!(due.duration_since(start()).as_secs(), 10);
    real.advance(4);
    let due = real.service.next_due(start()).expect("a retry");
    assert_eq!(due.duration_since(start()).as_secs(), 6, "in the system's time");
}
