//! Acts that upload a document, and what all that creates has in common: what is sound is created,
//! readable and listed; what is refused leaves nothing behind.

use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use super::act::UploadFlaw;
use super::steps::{PAGES_MAX, get, literal, one};

/// A boundary of our own, for bodies that break the rules of multipart.
const MULTIPART: &str = "multipart/form-data; boundary=moot";

/// It is on one of the pages, once, under its name.
pub(super) fn then_listed(operation: Operation, row: &str) -> Vec<Value> {
    vec![
        json!({
            "name": "how long the list is",
            "request": get(operation), "token": "read",
            "require": { "status": 200 }, "capture": { "total_pages": "/pagination/total_pages" },
        }),
        json!({
            "assume": { "<total_pages>": { "max": PAGES_MAX } },
            "because": "the list is too long to be walked to its end",
        }),
        json!({
            "name": "the list with what was created",
            "request": get(operation), "token": "read", "each_page": { "at_most": PAGES_MAX },
            "expect": one(row, one(
                "$.items[?@.id == '<created>'].attributes.name",
                json!({ "equals": ["<created_name>"] }),
            )),
        }),
    ]
}

/// What is no multipart body: refused by whatever status (§7), and nothing is stored.
pub(super) fn garbage(path: &str, text: &str) -> Value {
    let row = match path {
        "/v1/requests" => "create-legal-request.refused-changes-nothing",
        _ => "create-repository-document.file-or-url-required",
    };
    json!({
        "name": "a body that is no form",
        "request": format!("POST {path}"), "token": "write",
        "raw": { "content_type": MULTIPART, "text": literal(text) },
        "unchanged": [format!("GET {path}")],
        "expect": one(row, json!({ "status": { "min": 400, "max": 499 } })),
    })
}

/// Uploads a small PDF, or what is none.
pub(super) fn upload(
    name: &str,
    metadata: Option<&Value>,
    flaw: Option<&UploadFlaw>,
    number: usize,
) -> Vec<Value> {
    let file = |extension: &str| {
        let filename = format!("moot-<run.tag>-{name}-{number}.{extension}");
        json!({ "name": "file", "file": "agreement.pdf", "filename": filename })
    };
    let call = |name: &str, parts: Value| {
        json!({
            "name": name, "request": "POST /v1/repository_documents", "token": "write",
            "multipart": { "parts": parts },
        })
    };
    let with_metadata = |text: &str| json!({ "name": "metadata", "text": literal(text) });
    let refused = |mut step: Value, row: &str, expected: Value| {
        step["unchanged"] = json!(["GET /v1/repository_documents"]);
        step["expect"] = one(row, expected);
        vec![step]
    };
    match flaw {
        None => {
            let mut parts = vec![file("pdf")];
            parts.extend(metadata.map(|metadata| with_metadata(&metadata.to_string())));
            sound_upload(call("a sound upload", json!(parts)), metadata)
        }
        Some(UploadFlaw::Nothing) => refused(
            call("an upload of nothing", json!([with_metadata("{}")])),
            "create-repository-document.file-or-url-required",
            json!({ "status": 400, "problem": "parameter_missing" }),
        ),
        Some(UploadFlaw::Metadata(text)) => refused(
            call("metadata that are no object", json!([file("pdf"), with_metadata(text)])),
            "create-repository-document.metadata-must-be-an-object",
            json!({ "status": [400, 422] }),
        ),
        Some(UploadFlaw::Twice) => {
            vec![call("an upload of two files", json!([file("pdf"), file("pdf")]))]
        }
        Some(UploadFlaw::Extension(extension)) => {
            vec![call("an upload of another type", json!([file(extension)]))]
        }
        Some(UploadFlaw::Body(text)) => vec![garbage("/v1/repository_documents", text)],
    }
}

fn sound_upload(mut step: Value, metadata: Option<&Value>) -> Vec<Value> {
    step["expect"] = json!({
        "create-repository-document.file-accepted": { "status": { "min": 200, "max": 299 } },
    });
    step["capture"] = json!({ "created": "/data/id", "created_name": "/data/name" });
    let kept = metadata.cloned().unwrap_or_else(|| json!({}));
    let row = match metadata {
        Some(_) => "create-repository-document.metadata-keeps-json-types",
        None => "repository-document.custom-fields-empty",
    };
    let mut read = then_readable();
    read["expect"][row] = json!({ "/data/attributes/custom_fields": { "equals": kept } });
    let mut steps = vec![step, read];
    let row = "create-repository-document.then-listed";
    steps.extend(then_listed(Operation::ListRepositoryDocuments, row));
    // A list that is too long ends this act, and no other.
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}

/// An uploaded document is read by its id.
pub(super) fn then_readable() -> Value {
    json!({
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
    })
}
