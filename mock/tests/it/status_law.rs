//! Laws of status changes: each change adds one entry to the log. Each change to the executed status
//! queues one delivery for each subscribed webhook.

use moot_fixtures::contract::LegalRequestStatus as Status;
use moot_mock::control::{ControlAction, DeliveryFilter};
use moot_mock::settings::Progression;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::support::{Bench, bench_with, sound};

/// One way to change something.
#[derive(Debug, Clone, Copy)]
enum Step {
    Order { status: Status, force: bool },
    Comment,
    Read,
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let order = (select(Status::ALL.to_vec()), any::<bool>())
        .prop_map(|(status, force)| Step::Order { status, force });
    let step = prop_oneof![4 => order, 1 => Just(Step::Comment), 2 => Just(Step::Read), 2 => Just(Step::Wait)];
    proptest::collection::vec(step, 1..12)
}

fn take(bench: &Bench, id: &str, step: Step) {
    let id = id.to_owned();
    match step {
        // Illegal changes are refused, and must leave no trace.
        Step::Order { status, force } => {
            let _ = bench.ask(ControlAction::SetStatus { id, status, comment: None, force });
        }
        Step::Comment => {
            bench
                .ask(ControlAction::AddComment { id, comment: "A remark".to_owned() })
                .expect("it is there");
        }
        Step::Read => {
            bench.get(&format!("/v1/requests/{id}"));
        }
        Step::Wait => {
            bench.advance(5);
        }
    }
}

/// The statuses in the log, oldest first.
fn logged(known: &Value) -> Vec<String> {
    let entries = known["activity"].as_array().expect("a list").iter();
    entries
        .filter(|entry| entry["attributes"]["action"] == "status_change")
        .filter_map(|entry| entry["attributes"]["description"].as_str())
        .filter_map(|text| text.strip_prefix("Status changed to ").map(str::to_owned))
        .collect()
}

/// Deliveries of a legal request.
fn deliveries(bench: &Bench, id: &str) -> usize {
    let outbox = bench
        .ask(ControlAction::ListDeliveries { filter: DeliveryFilter::default() })
        .expect("a question");
    let all = outbox["deliveries"].as_array().expect("a list").iter();
    all.filter(|delivery| delivery["legal_request_id"] == id).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_way_to_change_a_status_bypasses_log_and_deliveries(
        steps in steps(),
        progression in select(vec![
            Progression::Manual,
            Progression::Timed { seconds: 5 },
            Progression::OnRead { reads: 1 },
            Progression::Immediate,
        ]),
    ) {
        let bench = bench_with(|settings| settings.progression = progression);
        let id = bench.create(&sound());
        let once = {
            let manual = bench_with(|settings| settings.progression = Progression::Manual);
            let id = manual.create(&sound());
            manual.set_status(&id, Status::Signed);
            deliveries(&manual, &id)
        };
        prop_assert!(once > 0, "a webhook is subscribed");
        for step in steps {
            let before = bench.known(&id);
            take(&bench, &id, step);
            let known = bench.known(&id);
            let (log, status) = (logged(&known), known["status"].as_str().expect("a status"));
            prop_assert!(log.starts_with(&logged(&before)), "the log only grows: {log:?}");
            prop_assert_eq!(log.last().map_or("draft", String::as_str), status, "{:?}", step);
            let executed = log.iter().filter(|status| *status == "signed").count();
            prop_assert_eq!(deliveries(&bench, &id), executed * once, "{:?}: {:?}", step, log);
        }
    }
}
