//! Acts that upload a document (§4.9), as a file or by address. A valid upload is then read and listed; a
//! refused one stores nothing.
//!
//! An address that must be refused never names a server that could answer.

use moot_fixtures::contract::Operation;
use proptest::collection::btree_map;
use proptest::option;
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use serde_json::{Value, json};

use super::menu::Menu;
use crate::explore::inputs::{TEXT, WORD, json_value, no_object, one_of, private_host};
use crate::explore::steps::{
    broken_multipart, client_error, group, literal, one, success, then_listed,
};

pub(super) fn add(menu: &mut Menu) {
    menu.add_creating(3, &[], prop_oneof![valid(), flawed().prop_map(|step| vec![step])]);
    menu.add_creating(2, &["fetch"], by_address());
}

fn call(name: &str, parts: &[Value]) -> Value {
    json!({
        "name": name, "request": "POST /v1/repository_documents", "token": "write",
        "multipart": { "parts": parts },
    })
}

fn file(word: &str, extension: &str) -> Value {
    let filename = format!("moot-<run.tag>-{word}.{extension}");
    json!({ "name": "file", "file": "agreement.pdf", "filename": filename })
}

fn field(name: &str, text: Value) -> Value {
    json!({ "name": name, "text": text })
}

fn refused(mut step: Value, row: &str, expected: Value) -> Value {
    step["unchanged"] = json!(["GET /v1/repository_documents"]);
    step["expect"] = one(row, expected);
    step
}

fn valid() -> impl Strategy<Value = Vec<Value>> {
    let metadata = option::of(btree_map(WORD, json_value(), 0..4));
    (WORD, metadata).prop_map(|(word, metadata)| {
        let mut parts = vec![file(&word, "pdf")];
        let (row, kept) = match metadata {
            None => ("repository-document.custom-fields-empty", json!({})),
            Some(metadata) => {
                let metadata = json!(metadata);
                parts.push(field("metadata", literal(&metadata.to_string())));
                ("create-repository-document.metadata-keeps-json-types", metadata)
            }
        };
        let mut step = call("a valid upload", &parts);
        step["expect"] = one("create-repository-document.file-accepted", success());
        let kept = json!({ "/data/attributes/custom_fields": { "equals": kept } });
        then_kept(step, Some((row, kept)))
    })
}

/// The uploaded document can be read and is listed.
fn then_kept(mut step: Value, further: Option<(&str, Value)>) -> Vec<Value> {
    step["capture"] = json!({ "created": "/data/id", "created_name": "/data/name" });
    let mut read = json!({
        "name": "the created document",
        "request": Operation::GetRepositoryDocument.as_str(), "id": "<created>", "token": "read",
        "expect": {
            "create-repository-document.then-readable": {
                "status": 200, "/data/id": "<created>", "/data/attributes/name": "<created_name>",
            },
            "repository-document.relation-null-when-untied": {
                "/data/relationships/legal_request/data": null,
            },
        },
    });
    if let Some((row, expected)) = further {
        read["expect"][row] = expected;
    }
    let mut steps = vec![step, read];
    let row = "create-repository-document.then-listed";
    steps.extend(then_listed(Operation::ListRepositoryDocuments, row));
    group(steps)
}

fn flawed() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(refused(
            call("an upload of nothing", &[field("metadata", "{}".into())]),
            "create-repository-document.file-or-url-required",
            json!({ "status": 400, "problem": "parameter_missing" }),
        )),
        (WORD, no_object()).prop_map(|(word, text)| refused(
            call(
                "metadata that is not an object",
                &[file(&word, "pdf"), field("metadata", literal(&text))]
            ),
            "create-repository-document.metadata-must-be-an-object",
            json!({ "status": [400, 422] }),
        )),
        (WORD, WORD).prop_map(|(word, extension)| {
            call("an upload of another type", &[file(&word, &extension)])
        }),
        TEXT.prop_map(|text| broken_multipart(
            "/v1/repository_documents",
            &text,
            "create-repository-document.file-or-url-required",
        )),
    ]
}

fn by_address() -> impl Strategy<Value = Vec<Value>> {
    // The public address of the target file. A mock accepts any.
    let bound = || field("url", "<bindings.document_url>".into());
    let valid = move || {
        let mut step = call("an upload by address", &[bound()]);
        step["expect"] = one("create-repository-document.url-accepted", success());
        then_kept(step, None)
    };
    let both = refused(
        call(
            "an upload of a file and an address",
            &[json!({ "name": "file", "file": "agreement.pdf" }), bound()],
        ),
        "create-repository-document.not-both",
        client_error(),
    );
    let refused_address = |name: &str, address: &str, row: &str| {
        vec![refused(call(name, &[field("url", literal(address))]), row, client_error())]
    };
    prop_oneof![
        3 => Just(valid()),
        1 => Just(vec![both]),
        2 => not_https().prop_map(move |address| refused_address(
            "an upload by an address that is not https",
            &address,
            "create-repository-document.https-only",
        )),
        3 => (private_host(), WORD).prop_map(move |(host, path)| refused_address(
            "an upload by an address inside a network",
            &format!("https://{host}/{path}"),
            "create-repository-document.private-addresses-blocked",
        )),
    ]
}

fn not_https() -> impl Strategy<Value = String> {
    prop_oneof![
        (one_of(&["http://", "ftp://", "file://", "ws://", "gopher://", "//"]), WORD)
            .prop_map(|(scheme, word)| format!("{scheme}{word}.invalid/a.pdf")),
        WORD.prop_map(|word| format!("{word}.pdf")),
        one_of(&["https://", "https:///", "data:application/pdf,a", "file:///agreement.pdf"]),
    ]
}
