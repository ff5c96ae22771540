//! Automatic status changes of created requests, and the consequences of each status change.

use moot_fixtures::contract::LegalRequestStatus as Status;
use moot_mock::control::ControlAction;
use moot_mock::settings::Progression;
use serde_json::Value;

use crate::support::{
    BASE_URL, Bench, THIRD_PARTY, USER, bench, bench_with, file, get, post, sound,
    sound_with_counterparty, texts,
};

fn progressing(progression: Progression) -> Bench {
    bench_with(|settings| settings.progression = progression)
}

/// The statuses in the log of a request, oldest first.
fn way(bench: &Bench, id: &str) -> Vec<String> {
    let response = bench.get(&format!("/v1/requests/{id}/activity")).ok();
    let entries = response.value("/data");
    let entries = entries.as_array().expect("a list").iter().rev();
    entries
        .filter(|entry| entry["attributes"]["action"] == "status_change")
        .filter_map(|entry| entry["attributes"]["description"].as_str())
        .filter_map(|text| text.strip_prefix("Status changed to ").map(str::to_owned))
        .collect()
}

const TO_ARCHIVED: [&str; 5] =
    ["initial_review", "ready_for_send", "sent_for_signature", "signed", "archived"];

/// A request with this counterparty takes this way in this number of seconds, and then stays.
#[track_caller]
fn check(bench: &Bench, email: &'static str, seconds: u64, expected: &[&str]) {
    let id = bench.create(&sound_with_counterparty(email));
    for (steps, status) in ["draft"].iter().chain(expected).enumerate() {
        assert_eq!(bench.status(&id), *status, "after {steps} steps");
        bench.advance(seconds);
    }
    bench.advance(100 * seconds);
    assert_eq!(way(bench, &id), expected);
}

#[test]
fn manual_requests_stay_but_for_reserved_counterparties() {
    let bench = bench();
    check(&bench, "avery@birchwood.example", 60, &[]);
    check(&bench, "sign@birchwood.example", 60, &[]);
    check(&bench, "sign@birchwood.test", 1, &TO_ARCHIVED);
    check(&bench, "SIGN@Birchwood.TEST", 1, &TO_ARCHIVED);
    let declined = ["initial_review", "ready_for_send", "sent_for_signature", "declined"];
    check(&bench, "decline@birchwood.test", 1, &declined);
    check(&bench, "expire@birchwood.test", 1, &["initial_review", "expired"]);
}

#[test]
fn a_draft_does_not_go_to_a_status_that_leads_back_to_it() {
    let back_from_ready = [
        (Status::Draft, vec![Status::ReadyForSend, Status::Archived]),
        (Status::ReadyForSend, vec![Status::Draft, Status::InitialReview]),
        (Status::InitialReview, vec![Status::BusinessReview]),
        (Status::BusinessReview, vec![Status::Archived]),
    ];
    let back_from_review = [
        (Status::Draft, vec![Status::InitialReview, Status::ReadyForSend]),
        (Status::InitialReview, vec![Status::Draft]),
        (Status::ReadyForSend, vec![Status::Archived]),
    ];
    for (transitions, expected) in [
        (back_from_ready.to_vec(), ["archived"].as_slice()),
        (back_from_review.to_vec(), &["ready_for_send", "archived"]),
    ] {
        let bench = bench_with(|settings| {
            settings.progression = Progression::Timed { seconds: 60 };
            settings.answers.transitions = transitions.into_iter().collect();
        });
        check(&bench, "avery@birchwood.example", 60, expected);
    }
}

#[test]
fn timed_requests_take_a_step_at_exactly_the_pace() {
    let bench = progressing(Progression::Timed { seconds: 60 });
    let id = bench.create(&sound());
    bench.advance(59);
    assert_eq!(bench.status(&id), "draft");
    let fired = bench.advance(1);
    assert_eq!(bench.status(&id), "initial_review");
    assert_eq!(fired["fired"][0]["kind"], "transition");
    assert_eq!(fired["fired"][0]["id"], id);
    assert_eq!(fired["fired"][0]["at"], "2026-03-05T14:31:00Z");
    check(
        &bench,
        "decline@birchwood.test",
        60,
        &["initial_review", "ready_for_send", "sent_for_signature", "declined"],
    );
}

#[test]
fn a_jump_of_the_clock_lets_each_step_happen_at_its_own_time() {
    let bench = progressing(Progression::Timed { seconds: 60 });
    let id = bench.create(&sound());
    let fired = bench.advance(10_000);
    let kinds: Vec<&str> = fired["fired"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|fired| fired["kind"].as_str())
        .collect();
    let delivery = "delivery";
    let transition = "transition";
    assert_eq!(
        kinds,
        [transition, transition, transition, transition, delivery, delivery, transition]
    );
    let known = bench.known(&id);
    let times: Vec<&str> = known["activity"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["attributes"]["created_at"].as_str())
        .collect();
    assert_eq!(times[0], "2026-03-05T14:30:00Z");
    assert_eq!(times[5], "2026-03-05T14:35:00Z");
}

#[test]
fn immediate_requests_show_draft_and_are_archived_after() {
    let bench = progressing(Progression::Immediate);
    let sent = post("/v1/requests").token(&bench.token()).multipart(texts(&sound()));
    let response = bench.send(&sent).ok();
    assert_eq!(response.text("/data/attributes/status"), "draft");
    let id = response.text("/data/id");
    assert_eq!(
        bench.get(&format!("/v1/requests/{id}")).text("/data/attributes/status"),
        "archived"
    );
    assert_eq!(way(&bench, &id), TO_ARCHIVED);
}

#[test]
fn on_read_counts_reads_of_the_request_alone() {
    let bench = progressing(Progression::OnRead { reads: 2 });
    let id = bench.create(&sound());
    let read = || bench.get(&format!("/v1/requests/{id}")).text("/data/attributes/status");
    bench.get("/v1/requests");
    bench.get(&format!("/v1/requests/{id}/activity"));
    let seen: Vec<String> = (0..12).map(|_| read()).collect();
    assert_eq!(
        seen,
        [
            "draft",
            "initial_review",
            "initial_review",
            "ready_for_send",
            "ready_for_send",
            "sent_for_signature",
            "sent_for_signature",
            "signed",
            "signed",
            "archived",
            "archived",
            "archived",
        ]
    );
    let seeded = bench.get("/v1/requests?status=draft&page=1").ids().pop().expect("a seed row");
    for _ in 0..5 {
        let response = bench.get(&format!("/v1/requests/{seeded}"));
        assert_eq!(response.text("/data/attributes/status"), "draft", "seed rows stay");
    }
}

#[test]
fn a_request_that_was_moved_goes_on_from_where_it_is() {
    let bench = progressing(Progression::Timed { seconds: 1 });
    let id = bench.create(&sound());
    bench.set_status(&id, Status::SentForSignature);
    bench.advance(1);
    assert_eq!(bench.status(&id), "signed");
    bench.set_status(&id, Status::Draft);
    bench.advance(1);
    assert_eq!(bench.status(&id), "initial_review");
    bench.set_status(&id, Status::Canceled);
    bench.advance(100);
    assert_eq!(bench.status(&id), "canceled", "nothing follows");
}

#[test]
fn illegal_changes_are_refused_unless_forced() {
    let bench = bench();
    for from in Status::ALL {
        let known = bench.get(&format!("/v1/requests?status={}", from.as_str())).ids();
        let id = &known[0];
        let legal: Vec<Value> =
            bench.known(id)["transitions"].as_array().cloned().unwrap_or_default();
        for to in Status::ALL.into_iter().filter(|to| !legal.contains(&to.as_str().into())) {
            let order = |force| ControlAction::SetStatus {
                id: id.clone(),
                status: to,
                comment: None,
                force,
            };
            assert_eq!(
                bench.ask(order(false)).expect_err("illegal").status,
                409,
                "{from:?} {to:?}"
            );
        }
        assert_eq!(bench.status(id), from.as_str());
        if let Some(to) = legal.first().and_then(Value::as_str) {
            let to: Status = to.parse().expect("a status");
            let comment = Some("as agreed".to_owned());
            let order =
                ControlAction::SetStatus { id: id.clone(), status: to, comment, force: false };
            let known = bench.ask(order).expect("legal");
            assert_eq!(known["status"], to.as_str());
            let last = known["activity"].as_array().and_then(|log| log.last()).cloned();
            assert_eq!(last.unwrap_or_default()["attributes"]["comment"], "as agreed");
        }
    }
}

#[test]
fn archiving_puts_the_uploaded_file_into_the_repository_with_its_request() {
    let bench = progressing(Progression::Immediate);
    let mut parts = texts(&[
        ("workflow_id", THIRD_PARTY),
        ("requester_email", USER),
        ("counterparty_name", "Meadow Logistics BV"),
        ("counterparty_signer_name", "Robin Sample"),
        ("counterparty_signer_email", "robin@meadow.example"),
    ]);
    parts.push(file("file", "terms.docx"));
    let sent = post("/v1/requests").token(&bench.token()).multipart(parts);
    let id = bench.send(&sent).ok().text("/data/id");
    let list = bench.get("/v1/repository_documents");
    let data = "/data/0/relationships/legal_request/data";
    assert_eq!(list.value(data), serde_json::json!({ "id": id, "type": "legal_request" }));
    assert_eq!(list.text("/data/0/attributes/name"), "terms.docx");
    let address = list.text("/data/0/attributes/agreement_url");
    assert_eq!(bench.send(&get(&address[BASE_URL.len()..])).ok().body, "some bytes");
}

#[test]
fn archiving_a_generated_agreement_makes_a_pdf_with_parties_and_variables() {
    let bench = progressing(Progression::Immediate);
    bench.create(&sound());
    let list = bench.get("/v1/repository_documents");
    let address = list.text("/data/0/attributes/agreement_url");
    let pdf = bench.send(&get(&address[BASE_URL.len()..])).ok().body;
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF-1.4") && text.ends_with("%%EOF\n"));
    for part in [
        "Avery Sample",
        "Birchwood Sample AG",
        "purpose: Due diligence",
        "duration: 2",
        "legal@northwind.example",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let id = list.text("/data/0/relationships/legal_request/data/id");
    bench.set_status(&id, Status::Archived);
    let again = bench.get("/v1/repository_documents");
    assert_eq!(again.value("/pagination/total_count"), list.value("/pagination/total_count"));
}
