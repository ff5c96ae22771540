//! The requests that a run may send to a deployment, as a table.

use moot_fixtures::contract::Operation;
use moot_harness::client::consent::ConsentGuard;
use moot_harness::client::target_file::Consent;
use moot_harness::client::{BodyPiece, ClientBody, ClientRequest, FormPart};
use serde_json::json;

use crate::target_sample::{call, json_call, upload};

fn guard(consent: &[Consent]) -> ConsentGuard {
    let bound = ["Requester@Legal.example".to_owned()];
    ConsentGuard::new(consent.iter().copied().collect(), bound, 2)
}

/// `refused` is a part of the reason. It is empty for an allowed request.
#[track_caller]
fn check(
    consent: &[Consent],
    prepared: &ClientRequest,
    operation: Option<Operation>,
    refused: &str,
) {
    let outcome = guard(consent).check(prepared, operation, false);
    match (outcome, refused) {
        (Ok(()), "") => {}
        (Err(reason), refused) if !refused.is_empty() && reason.contains(refused) => {}
        (outcome, refused) => panic!("{outcome:?}, but expected `{refused}`"),
    }
}

#[test]
fn without_consent_only_reading_and_tokens_leave() {
    check(&[], &call("GET", "/v1/requests"), None, "");
    check(&[], &call("POST", "/oauth/token"), Some(Operation::CreateAccessToken), "");
    for method in ["POST", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "get"] {
        check(&[], &call(method, "/v1/requests"), None, "consent: [write]");
    }
    check(&[], &call("DELETE", "/v1/webhooks/a"), None, "consent: [delete]");
}

#[test]
fn write_is_not_delete_and_delete_is_not_write() {
    let (write, delete) = ([Consent::Write], [Consent::Delete]);
    check(&write, &call("POST", "/v1/requests"), None, "");
    check(&write, &call("DELETE", "/v1/webhooks/a"), None, "consent: [delete]");
    check(&delete, &call("DELETE", "/v1/webhooks/a"), None, "");
    check(&delete, &call("POST", "/v1/requests"), None, "consent: [write]");
}

#[test]
fn only_bound_and_invalid_addresses_are_allowed() {
    let write = [Consent::Write];
    let rows = [
        ("requester@legal.example", ""),
        ("someone@legal.example", "someone@legal.example"),
        ("moot-t1@example.invalid", ""),
        ("moot@INVALID.", ""),
        ("a@example.invalid.com", "a@example.invalid.com"),
        ("see a@b.invalid, c@d.test", "c@d.test"),
        ("https://name@127.0.0.1/agreement.pdf", ""),
        ("https://legal.example/a@d.test", "a@d.test"),
        ("not-an-address", ""),
        ("sign@counterparty.test", "neither bound in the target file"),
    ];
    for (value, refused) in rows {
        check(&write, &upload("/v1/requests", &[("name", value)]), None, refused);
        check(&write, &json_call("/v1/webhooks", &json!({ "a": [{ "b": value }] })), None, refused);
        let form = form_urlencoded::Serializer::new(String::new()).append_pair("e", value).finish();
        let body = ClientBody::bytes("application/x-www-form-urlencoded", form);
        check(&write, &ClientRequest { body, ..call("POST", "/v1/x") }, None, refused);
    }
}

#[test]
fn an_offered_address_leaves() {
    let guard = guard(&[Consent::Write]);
    let prepared = upload("/v1/requests", &[("internal_signer_email", "Signer@legal.example")]);
    assert!(guard.check(&prepared, None, false).is_err());
    guard.offer("signer@legal.example");
    assert!(guard.check(&prepared, None, false).is_ok());
}

#[test]
fn load_and_fetch_need_their_own_consent() {
    let zeros = |length| {
        let part = FormPart { content: BodyPiece::Zeros(length), ..FormPart::text("f", "") };
        ClientRequest { body: ClientBody::Multipart(vec![part]), ..call("POST", "/v1/requests") }
    };
    check(&[Consent::Write], &zeros(8 * 1024 * 1024), None, "");
    check(&[Consent::Write], &zeros(8 * 1024 * 1024 + 1), None, "consent: [load]");
    let by_address = upload("/v1/repository_documents", &[("url", "https://a.example/b.pdf")]);
    let operation = Some(Operation::CreateRepositoryDocument);
    check(&[Consent::Write], &by_address, operation, "consent: [fetch]");
    check(&[Consent::Write, Consent::Fetch], &by_address, operation, "");
    let get = call("GET", "/v1/requests");
    assert!(guard(&[]).check(&get, None, true).is_err());
    assert!(guard(&[Consent::Load]).check(&get, None, true).is_ok());
}

#[test]
fn the_budget_of_creations_ends_and_can_be_given_back() {
    let guard = guard(&[]);
    assert!(guard.spend_creation().is_ok() && guard.spend_creation().is_ok());
    let reason = guard.spend_creation().expect_err("two are spent");
    assert!(reason.contains("limits.created_objects_max"), "{reason}");
    guard.return_creation();
    assert!(guard.spend_creation().is_ok());
}
