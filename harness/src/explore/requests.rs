//! Acts that create a request (§4.5), from the schema of its workflow: what is sound is created, readable,
//! logged and listed; what is refused leaves nothing behind.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

use super::act::RequestFlaw;
use super::creating::{garbage, then_listed};
use super::steps::{literal, one, set};

/// Creates a request for a workflow of the target, if it has so many.
pub(super) fn request(workflow: u8, flaw: Option<&RequestFlaw>, number: usize) -> Vec<Value> {
    if flaw == Some(&RequestFlaw::Unpublished) {
        return unpublished();
    }
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
        Some(flaw) => steps.extend(where_it_applies(flaw, flawed_request(flaw))),
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

/// Many a flaw is none unless the schema asks for what it spoils.
fn where_it_applies(flaw: &RequestFlaw, step: Value) -> Vec<Value> {
    let asked = |place: &str, needed: Value, because: &str| {
        vec![
            json!({ "let": { "asked": { "from": "<form>", "at": place } } }),
            json!({ "assume": { "<asked>": needed }, "because": because }),
        ]
    };
    let mut steps = match flaw {
        RequestFlaw::Lacking(place) => {
            // A single signer is not needed where exactly one is configured.
            let required = "$..required_fields[?@ != 'internal_signer_email']";
            let one_of_them = format!("$[{place}:{}]", u32::from(*place) + 1);
            return vec![
                json!({ "let": { "required": { "from": "<form>", "at": required } } }),
                json!({ "let": { "one_required": { "from": "<required>", "at": one_of_them } } }),
                json!({ "for_each": { "lacking": "<one_required>" }, "steps": [step] }),
            ];
        }
        RequestFlaw::NoAddress(field, _) => asked(
            "$..['required_fields','optional_fields'][*]",
            json!({ "contains": field }),
            "the workflow takes no such field",
        ),
        RequestFlaw::Variables(_) => asked(
            "$..['required_variables','variables_properties'][*]",
            json!({ "length": { "min": 1 } }),
            "the schema describes no variables",
        ),
        RequestFlaw::UnknownSigner(_) => asked(
            "$..fields_properties.internal_signer_email.properties.options[*]",
            json!({ "length": { "min": 1 } }),
            "the workflow does not ask for a single signer",
        ),
        RequestFlaw::Omitted(_)
        | RequestFlaw::UnknownWorkflow(_)
        | RequestFlaw::UnknownRequester(_)
        | RequestFlaw::Unpublished
        | RequestFlaw::ReadToken
        | RequestFlaw::Twice(..)
        | RequestFlaw::Field(..)
        | RequestFlaw::Foreign(..)
        | RequestFlaw::Body(_) => Vec::new(),
    };
    steps.push(step);
    steps
}

/// With the very fields that the schema of an unpublished workflow asks for.
fn unpublished() -> Vec<Value> {
    let steps = json!([
        {
            "name": "workflows that are not published",
            "request": "GET /v1/workflows", "query": { "status": "unpublished" }, "token": "read",
            "require": { "status": 200 },
            "capture": { "unpublished": "$.data[?@.attributes.status == 'unpublished'].id" },
        },
        {
            "assume": { "<unpublished>": { "length": { "min": 1 } } },
            "because": "every workflow is published",
        },
        { "let": { "workflow": { "from": "<unpublished>", "at": "/0" } } },
        {
            "name": "the form of an unpublished workflow",
            "request": Operation::GetWorkflowSchema.as_str(), "id": "<workflow>", "token": "read",
            "capture": { "schema_status": "status", "form": "body" },
        },
        {
            "assume": { "<schema_status>": 200 },
            "because": "the schema of an unpublished workflow can't be read",
        },
        flawed_request(&RequestFlaw::Unpublished),
    ]);
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}

fn flawed_request(flaw: &RequestFlaw) -> Value {
    let mut set_fields = Map::from_iter([("workflow_id".to_owned(), Value::from("<workflow>"))]);
    let (mut omit, mut parts) = (Vec::new(), Vec::new());
    let missing = json!({ "status": 400, "problem": "parameter_missing" });
    let refused = json!({
        "status": [400, 403, 404, 422], "/type": { "type": "string", "length": { "min": 1 } },
    });
    let invalid = json!({
        "status": [400, 422], "/type": { "type": "string", "length": { "min": 1 } },
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
        RequestFlaw::UnknownSigner(address) => {
            set_fields.insert("internal_signer_email".to_owned(), literal(address));
            let row = "create-legal-request.signer-is-an-option";
            ("a request with an unknown signer", Some((row, invalid)))
        }
        RequestFlaw::Lacking(_) => {
            omit.push("<lacking>");
            let row = "create-legal-request.required-field";
            ("a request without a field of its schema", Some((row, missing)))
        }
        RequestFlaw::NoAddress(field, text) => {
            omit.push(*field);
            parts.push(json!({ "name": field, "text": literal(text) }));
            let row = match *field {
                "counterparty_email" => "create-legal-request.counterparty-email",
                _ => "create-legal-request.counterparty-signer-email",
            };
            ("a request with an address that is none", Some((row, invalid)))
        }
        RequestFlaw::Variables(text) => {
            omit.push("variables");
            parts.push(json!({ "name": "variables", "text": literal(text) }));
            let row = match serde_json::from_str::<Value>(text) {
                Ok(_) => "create-legal-request.variables-are-an-object",
                Err(_) => "create-legal-request.variables-are-json",
            };
            ("a request with other variables", Some((row, invalid)))
        }
        RequestFlaw::Unpublished => {
            let row = "create-legal-request.workflow-must-be-published";
            ("a request for an unpublished workflow", Some((row, refused)))
        }
        RequestFlaw::ReadToken => {
            let scope = json!({ "status": 403, "problem": "insufficient_scope" });
            let row = "authentication.write-scope-required";
            ("a request with a token that may only read", Some((row, scope)))
        }
        RequestFlaw::Twice(field, text) => {
            parts.push(json!({ "name": field, "text": literal(text) }));
            ("a request with a field twice", None)
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
    if !parts.is_empty() {
        multipart["parts"] = json!(parts);
    }
    let token = if flaw == &RequestFlaw::ReadToken { "read" } else { "write" };
    let mut step = json!({
        "name": name, "request": "POST /v1/requests", "token": token, "multipart": multipart,
    });
    if let Some((row, expected)) = check {
        step["expect"] = one(row, expected);
        step["unchanged"] = json!(["GET /v1/requests"]);
    }
    step
}

fn merge(into: &mut Value, other: &Value) {
    for (key, value) in other.as_object().into_iter().flatten() {
        into[key] = value.clone();
    }
}
