//! The rules of §4.5, in its order.

use moot_fixtures::contract::{RequestName, UnexpectedField};
use moot_mock::call::Part;
use moot_mock::content::Content;
use serde_json::json;

use crate::support::{
    Bench, FOREIGN, MULTI_SIGNER, Sent, THIRD_PARTY, UNPUBLISHED, USER, bench, bench_answering,
    file, post, sound, text, texts,
};

/// [`sound`] with fields replaced; an empty list of values leaves a field out.
pub(crate) fn with(changes: &[(&'static str, &[&'static str])]) -> Vec<Part> {
    let mut fields = sound();
    for (name, values) in changes {
        fields.retain(|(known, _)| known != name);
        fields.extend(values.iter().map(|value| (*name, *value)));
    }
    texts(&fields)
}

pub(crate) fn third_party() -> Vec<Part> {
    let mut parts = texts(&[
        ("workflow_id", THIRD_PARTY),
        ("requester_email", USER),
        ("counterparty_name", "Meadow Logistics BV"),
        ("counterparty_signer_name", "Robin Sample"),
        ("counterparty_signer_email", "robin@meadow.example"),
    ]);
    parts.push(file("file", "terms.docx"));
    parts
}

fn multi_signer(signers: &[&str]) -> Vec<Part> {
    let mut parts = with(&[
        ("workflow_id", &[MULTI_SIGNER]),
        ("internal_signer_email", &[]),
        ("variables", &[r#"{"day_rate": 900.5, "project": "Move", "start_date": "2026-04-01"}"#]),
    ]);
    parts.extend(signers.iter().map(|signer| text("internal_signer_emails[]", signer)));
    parts
}

pub(crate) fn sent(bench: &Bench, parts: Vec<Part>) -> Sent {
    post("/v1/requests").token(&bench.token()).multipart(parts)
}

/// Checks status, problem and detail of a creation, and that only a success creates a request.
#[track_caller]
pub(crate) fn check(bench: &Bench, parts: Vec<Part>, expected: (u16, &str), said: &str) {
    let count = || bench.get("/v1/requests").value("/pagination/total_count").as_u64();
    let before = count().expect("a number");
    let response = bench.send(&sent(bench, parts));
    let (status, problem) = response.outcome();
    assert_eq!((status, problem.as_str()), expected, "{response:?}");
    assert_eq!(count(), Some(before + u64::from(status == 201)));
    if status != 201 {
        assert!(response.text("/detail").contains(said), "{response:?}");
    }
}

pub(crate) const MISSING: (u16, &str) = (400, "parameter_missing");
pub(crate) const INVALID: (u16, &str) = (422, "request_creation_error");
pub(crate) const CREATED: (u16, &str) = (201, "");

#[test]
fn a_sound_request_is_created_as_a_draft_with_name_and_status_only() {
    let bench = bench();
    let response = bench.send(&sent(&bench, with(&[])));
    assert_eq!(response.status, 201);
    let id = response.text("/data/id");
    assert_eq!(
        response.value("/data").to_string(),
        json!({ "id": id, "type": "legal_request", "attributes": {
            "name": "Mutual NDA — Birchwood Sample AG", "status": "draft" } })
        .to_string()
    );
    let read = bench.get(&format!("/v1/requests/{id}"));
    assert_eq!(
        read.value("/data/attributes").to_string(),
        json!({ "name": "Mutual NDA — Birchwood Sample AG", "description": null, "status": "draft" })
            .to_string()
    );
}

#[test]
fn each_required_field_is_missed_by_name() {
    let bench = bench();
    for field in [
        "workflow_id",
        "requester_email",
        "counterparty_name",
        "counterparty_email",
        "counterparty_organization_name",
        "variables",
        "internal_signer_email",
    ] {
        check(&bench, with(&[(field, &[])]), MISSING, field);
        check(&bench, with(&[(field, &[""])]), MISSING, field);
        check(&bench, with(&[(field, &[" \t"])]), MISSING, field);
    }
    for field in
        ["counterparty_name", "counterparty_signer_name", "counterparty_signer_email", "file"]
    {
        let mut parts = third_party();
        parts.retain(|part| part.name != field);
        check(&bench, parts, MISSING, field);
    }
    check(&bench, multi_signer(&[]), MISSING, "internal_signer_emails[]");
    check(&bench, Vec::new(), MISSING, "workflow_id");
}

#[test]
fn creating_requires_the_required_lists_of_the_schema() {
    let bench = bench();
    let schema = bench.get("/v1/workflows/wfMutualNda1/schema").ok();
    let required = schema.value("/required_fields");
    for field in required.as_array().expect("a list") {
        let mut parts = with(&[]);
        parts.retain(|part| part.name != field.as_str().expect("a name"));
        check(&bench, parts, MISSING, field.as_str().expect("a name"));
    }
}

#[test]
fn single_valued_fields_are_sent_once() {
    let bench = bench();
    for field in [
        "workflow_id",
        "requester_email",
        "counterparty_name",
        "variables",
        "internal_signer_email",
        "merge_documents_into_pdf",
    ] {
        let mut parts = with(&[("merge_documents_into_pdf", &["true"])]);
        let again = parts.iter().find(|part| part.name == field).expect("it was sent").clone();
        parts.push(again);
        check(&bench, parts, MISSING, field);
    }
    let mut parts = third_party();
    parts.push(file("file", "other.pdf"));
    check(&bench, parts, MISSING, "file");
}

#[test]
fn text_is_text_and_a_file_is_a_file() {
    let bench = bench();
    let mut parts = with(&[("counterparty_name", &[])]);
    parts.push(file("counterparty_name", "name.txt"));
    check(&bench, parts, MISSING, "counterparty_name");

    let mut parts = third_party();
    parts.retain(|part| part.name != "file");
    parts.push(text("file", "some text"));
    check(&bench, parts, MISSING, "file");

    let mut parts = with(&[("counterparty_name", &[])]);
    let content = Content::in_memory(bytes::Bytes::from_static(b"\xff\xfe"));
    parts.push(Part { content, ..text("counterparty_name", "") });
    check(&bench, parts, MISSING, "UTF-8");
}

#[test]
fn the_workflow_exists_is_the_companys_and_published() {
    let bench = bench();
    let not_found = (404, "request_not_found");
    for id in ["unknown1", FOREIGN, UNPUBLISHED] {
        check(&bench, with(&[("workflow_id", &[id])]), not_found, id);
    }
    for (status, problem) in [(400, "parameter_missing"), (422, "request_creation_error")] {
        let bench = bench_answering(|answers| answers.request_workflow_unknown = status);
        check(&bench, with(&[("workflow_id", &["unknown1"])]), (status, problem), "unknown1");
    }
}

#[test]
fn the_requester_is_a_user_of_the_company() {
    let bench = bench();
    for email in ["nobody@northwind.example", "einkauf@harbour.example"] {
        check(&bench, with(&[("requester_email", &[email])]), INVALID, "not a user");
    }
    check(&bench, with(&[("requester_email", &["no address"])]), INVALID, "not an e-mail");
    check(&bench, with(&[("requester_email", &["Requester@Northwind.Example"])]), CREATED, "");
    let bench = bench_answering(|answers| answers.request_requester_unknown = 403);
    let expected = (403, "forbidden");
    check(
        &bench,
        with(&[("requester_email", &["nobody@northwind.example"])]),
        expected,
        "not a user",
    );
}

#[test]
fn the_workflow_wins_over_the_requester_and_the_requester_over_other_fields() {
    let bench = bench();
    let nobody: (&str, &[&str]) = ("requester_email", &["nobody@northwind.example"]);
    let unknown: (&str, &[&str]) = ("workflow_id", &["unknown1"]);
    check(&bench, with(&[unknown, nobody]), (404, "request_not_found"), "unknown1");
    check(&bench, with(&[nobody, ("counterparty_name", &[])]), INVALID, "not a user");
    let malformed: (&str, &[&str]) = ("counterparty_email", &["x"]);
    check(&bench, with(&[("counterparty_name", &[]), malformed]), MISSING, "counterparty_name");
}

#[test]
fn emails_are_well_formed() {
    let bench = bench();
    for email in [
        "x",
        "@x.example",
        "a@",
        "a@b",
        "a b@c.example",
        "a@b..example",
        "a@-b.example",
        "a@b.example\u{0}",
        "a@@b.example",
        ".a@b.example",
        "a@b.example, c@d.example",
        "<a@b.example>",
    ] {
        check(&bench, with(&[("counterparty_email", &[email])]), INVALID, "counterparty_email");
    }
    for email in ["a@b.example", "a.b+c@d-e.example", "o'hara@b.example", "größe@müller.example"]
    {
        check(&bench, with(&[("counterparty_email", &[email])]), CREATED, "");
    }
}

#[test]
fn variables_are_a_json_object_with_the_required_variables() {
    let bench = bench();
    for (variables, said) in [
        ("no JSON", "JSON object"),
        ("[]", "JSON object"),
        ("\"text\"", "JSON object"),
        ("null", "JSON object"),
        ("{}", "`duration`, `duration_unit`, `purpose` are required"),
        (r#"{"purpose": "x", "duration": 2}"#, "duration_unit"),
        (r#"{"purpose": "x", "duration": 2, "duration_unit": null}"#, "duration_unit"),
        (r#"{"purpose": "", "duration": 2, "duration_unit": "years"}"#, "purpose"),
        (r#"{"purpose": 1, "duration": 2, "duration_unit": "years"}"#, "string"),
        (r#"{"purpose": "x", "duration": "2", "duration_unit": "years"}"#, "number"),
        (r#"{"purpose": "x", "duration": 2, "duration_unit": "decades"}"#, "months, years"),
        (
            r#"{"purpose": "x", "duration": 2, "duration_unit": "years", "mutual": "yes"}"#,
            "boolean",
        ),
        (
            r#"{"purpose": "x", "duration": 2, "duration_unit": "years", "effective_date": "2026-02-30"}"#,
            "date",
        ),
        (
            r#"{"purpose": "x", "duration": 2, "duration_unit": "years", "effective_date": "01.02.2026"}"#,
            "date",
        ),
    ] {
        check(&bench, with(&[("variables", &[variables])]), INVALID, said);
    }
    let full = r#"{"purpose": "x", "duration": 2.5, "duration_unit": "months", "mutual": false,
        "effective_date": "2028-02-29", "governing_law": "France", "unknown": [1]}"#;
    check(&bench, with(&[("variables", &[full])]), CREATED, "");
    let bench = bench_answering(|answers| answers.request_field_invalid = 400);
    check(&bench, with(&[("variables", &["{}"])]), MISSING, "duration");
}

#[test]
fn signers_are_options_in_order_and_once() {
    let bench = bench();
    let option = "internal_signer_email";
    check(&bench, with(&[(option, &["finance@northwind.example"])]), INVALID, option);
    let (legal, director) = ("legal@northwind.example", "director@northwind.example");
    check(&bench, multi_signer(&[legal, USER]), INVALID, USER);
    check(&bench, multi_signer(&[legal, director, legal]), INVALID, "twice");
    let response = bench.send(&sent(&bench, multi_signer(&[director, legal])));
    let known = bench.known(&response.text("/data/id"));
    assert_eq!(known["internal_signers"], json!([director, legal]));
}

#[test]
fn exactly_one_configured_signer_is_assigned_by_itself() {
    let bench = bench();
    let response = bench.send(&sent(&bench, third_party()));
    let known = bench.known(&response.text("/data/id"));
    assert_eq!(known["internal_signers"], json!(["director@northwind.example"]));
    let mut named = third_party();
    named.push(text("internal_signer_email", "director@northwind.example"));
    check(&bench, named.clone(), CREATED, "");
    named.pop();
    named.push(text("internal_signer_email", "legal@northwind.example"));
    check(&bench, named, INVALID, "internal_signer_email");
}

#[test]
fn fields_that_the_workflow_does_not_list_are_an_answer() {
    let unlisted = with(&[("counterparty_signer_name", &["Robin Sample"])]);
    for (choice, expected) in [
        (UnexpectedField::Ignored, CREATED),
        (UnexpectedField::BadRequest, MISSING),
        (UnexpectedField::Unprocessable, INVALID),
    ] {
        let bench = bench_answering(|answers| answers.request_field_unexpected = choice);
        check(&bench, unlisted.clone(), expected, "counterparty_signer_name");
        check(&bench, with(&[("unheard_of", &["x"])]), CREATED, "");
    }
    let bench =
        bench_answering(|answers| answers.request_field_unexpected = UnexpectedField::Ignored);
    let mut ignored = with(&[]);
    ignored.push(file("file", "ignored.exe"));
    check(&bench, ignored, CREATED, "");
}

#[test]
fn values_that_no_response_shows_are_stored() {
    let bench = bench();
    let mut parts = third_party();
    parts.push(file("support_documents[]", "notes.txt"));
    let id = bench.send(&sent(&bench, parts)).text("/data/id");
    let known = bench.known(&id);
    assert_eq!(known["company"], "Northwind Example Ltd");
    assert_eq!(known["workflow_id"], THIRD_PARTY);
    assert_eq!(known["fields"]["counterparty_signer_email"], "robin@meadow.example");
    assert_eq!(known["name"], "Third-party paper — Meadow Logistics BV");
    assert_eq!(known["files"][0]["role"], "document");
    assert_eq!(known["files"][1]["role"], "support");
    assert_eq!(known["files"][0]["length"], 10);
    assert_eq!(known["files"][0]["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(known["transitions"][0], "initial_review");
    let named = bench_answering(|answers| answers.request_name = RequestName::Workflow);
    let response = named.send(&sent(&named, with(&[])));
    assert_eq!(response.text("/data/attributes/name"), "Mutual NDA");
}
