//! Implicit checks of ids over several responses: new ids, and ids that one response has twice.

use moot_fixtures::contract::Operation;
use moot_harness::exchange::Exchange;
use moot_harness::verdict::check::Judgement;
use moot_harness::verdict::check::implicit::{self, ImplicitContext};
use serde_json::{Value, json};

use crate::check_support::Seen;

const DOCUMENTS: &str = "/v1/repository_documents";
const LOG: &str = "/v1/requests/x/activity";

/// The failures of a response to a request of this second.
fn failures(context: &ImplicitContext, sent_at_seconds: i64, seen: &Seen) -> Vec<&'static str> {
    let exchange = Exchange { sent_at_seconds, ..seen.exchange() };
    let found = implicit::judge(&exchange, context).into_iter();
    let failed = found.filter(|(_, judgement)| matches!(judgement, Judgement::Fails(_)));
    failed.map(|(requirement, _)| requirement).collect()
}

fn uploaded(id: &str) -> Seen {
    let data = json!({ "id": id, "name": "a.pdf", "created_at": "2026-03-05T14:30:00Z" });
    let body = json!({ "success": true, "message": "stored", "data": data });
    Seen::new(Operation::CreateRepositoryDocument, DOCUMENTS, 201, &body)
}

fn created(id: &str) -> Seen {
    let attributes = json!({ "name": "n", "status": "draft" });
    let body = json!({ "data": { "id": id, "type": "legal_request", "attributes": attributes } });
    Seen::new(Operation::CreateLegalRequest, "/v1/requests", 201, &body)
}

/// A log whose entries have these ids and times.
fn log(entries: &[(&str, &str)]) -> Seen {
    let entry = |(id, at): &(&str, &str)| -> Value {
        let attributes = json!({
            "action": "comment", "description": "A comment", "comment": "c", "additional_data": {},
            "created_at": at,
        });
        json!({ "id": id, "type": "activity_log", "attributes": attributes })
    };
    let body = json!({ "data": entries.iter().map(entry).collect::<Vec<_>>() });
    Seen::new(Operation::GetLegalRequestActivity, LOG, 200, &body)
}

#[test]
fn a_new_resource_has_an_id_that_no_response_showed_before() {
    let context = ImplicitContext::new("/api", false);
    assert_eq!(failures(&context, 100, &uploaded("a")), [""; 0]);
    // The first response with the id ended in this second or the one before.
    assert_eq!(failures(&context, 101, &uploaded("a")), [""; 0]);
    assert_eq!(failures(&context, 102, &uploaded("b")), [""; 0]);
    assert_eq!(
        failures(&context, 102, &uploaded("a")),
        ["create-repository-document.twice-is-two"]
    );
    assert_eq!(failures(&context, 200, &created("a")), [""; 0], "another kind of resource");
    assert_eq!(failures(&context, 202, &created("a")), ["create-legal-request.twice-is-two"]);
}

#[test]
fn an_id_that_is_in_a_log_twice_is_no_time_that_changed() {
    let (one, two) = ("2026-03-05T14:30:00Z", "2026-03-05T14:30:09Z");
    let context = ImplicitContext::new("/api", false);
    assert_eq!(failures(&context, 1, &log(&[("a", one)])), [""; 0]);
    let twice = log(&[("a", one), ("a", two)]);
    assert_eq!(failures(&context, 2, &twice), ["activity.entry-id-unique"]);
    assert_eq!(failures(&context, 3, &log(&[("a", two)])), ["timestamps.stay"]);
}
