//! Acts that create a request or a document: what is sound is created, readable and listed; what is
//! refused leaves nothing behind.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

use super::act::{RequestFlaw, UploadFlaw};
use super::steps::{PAGES_MAX, get, literal, one, set};

/// A boundary of our own, for bodies that break the rules of multipart.
const MULTIPART: &str = "multipart/form-data; boundary=moot";

/// Creates a request for a workflow of the target, if it has so many.
pub(super) fn request(workflow: u8, flaw: Option<&RequestFlaw>, number: usize) -> Vec<Value> {
    let (first, picked) = (usize::from(workflow), format!("picked_{number}"));
    let choose = json!({ "let": one(&picked, json!({
        "from": "<bindings>", "at": format!("$.workflows[{first}:{}]", first + 1),
    })) });
    let form = json!({
        "name": "the form of a workflow",
        "request": Operation::GetWorkflowSchema.as_str(), "id": "<workflow>", "token": "read",
        "require": { "status": 200 }, "capture": { "form": "body" },
    });
    let mut steps = vec![form];
    match flaw {
        None => steps.extend(sound_request()),
        Some(flaw) => steps.push(flawed_request(flaw)),
    }
    vec![
        choose,
        json!({ "for_each": one("workflow", format!("<{picked}>").into()), "steps": steps }),
    ]
}

fn sound_request() -> Vec<Value> {
    let name = json!({ "/data/attributes/name": "<created_name>" });
    let mut readable = json!({ "status": 200, "/data/id": "<created>" });
    merge(&mut readable, &name);
    let mut steps = vec![
        json!({
            "name": "a sound request",
            "request": "POST /v1/requests", "token": "write",
            "multipart": { "from_schema": "<form>", "set": { "workflow_id": "<workflow>" } },
            "expect": {
                "create-legal-request.status-201": { "status": 201 },
                "create-legal-request.draft": { "/data/attributes/status": "draft" },
            },
            "capture": { "created": "/data/id", "created_name": "/data/attributes/name" },
        }),
        json!({
            "name": "the created request",
            "request": Operation::GetLegalRequest.as_str(), "id": "<created>", "token": "read",
            "expect": { "create-legal-request.then-readable": readable },
        }),
        json!({
            "name": "the log of the created request",
            "request": Operation::GetLegalRequestActivity.as_str(), "id": "<created>",
            "token": "read",
            "expect": { "create-legal-request.then-logged": { "status": 200 } },
        }),
    ];
    steps.extend(then_listed(Operation::ListLegalRequests, "create-legal-request.then-listed"));
    steps
}

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

fn flawed_request(flaw: &RequestFlaw) -> Value {
    let mut set_fields = Map::from_iter([("workflow_id".to_owned(), Value::from("<workflow>"))]);
    let mut omit = Vec::new();
    let missing = json!({ "status": 400, "problem": "parameter_missing" });
    let refused = json!({
        "status": [400, 403, 404, 422], "/type": { "type": "string", "length": { "min": 1 } },
    });
    let (name, check) = match flaw {
        RequestFlaw::Omitted(field) => {
            set_fields.retain(|name, _| name != field);
            omit.push(*field);
            let row = match *field {
                "workflow_id" => "create-legal-request.workflow-id-required",
                _ => "create-legal-request.requester-required",
            };
            ("a request without what it needs", Some((row, missing)))
        }
        RequestFlaw::UnknownWorkflow(id) => {
            set_fields.insert("workflow_id".to_owned(), literal(id));
            let row = "create-legal-request.workflow-must-exist";
            ("a request for an unknown workflow", Some((row, refused)))
        }
        RequestFlaw::UnknownRequester(address) => {
            set_fields.insert("requester_email".to_owned(), literal(address));
            let row = "create-legal-request.requester-is-a-user";
            ("a request of an unknown requester", Some((row, refused)))
        }
        RequestFlaw::Field(field, text) => {
            set_fields.insert((*field).to_owned(), literal(text));
            ("a request with another value", None)
        }
        RequestFlaw::Foreign(field, text) => {
            set_fields.insert(field.clone(), literal(text));
            ("a request with a field of its own", None)
        }
        RequestFlaw::Body(text) => return garbage("/v1/requests", text),
    };
    let mut multipart = json!({ "from_schema": "<form>" });
    set(&mut multipart, "set", set_fields);
    if !omit.is_empty() {
        multipart["omit"] = json!(omit);
    }
    let mut step = json!({
        "name": name, "request": "POST /v1/requests", "token": "write", "multipart": multipart,
    });
    if let Some((row, expected)) = check {
        step["expect"] = one(row, expected);
        step["unchanged"] = json!(["GET /v1/requests"]);
    }
    step
}

/// What is no multipart body: refused by whatever status (§7), and nothing is stored.
fn garbage(path: &str, text: &str) -> Value {
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
        "expect": { "create-repository-document.then-readable": {
            "status": 200, "/data/id": "<created>", "/data/attributes/name": "<created_name>",
        } },
    })
}

fn merge(into: &mut Value, other: &Value) {
    for (key, value) in other.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
