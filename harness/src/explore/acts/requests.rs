//! Acts that create a request (§4.5) from the schema of its workflow. A valid request is then read, listed
//! and logged; a refused one stores nothing.

use moot_fixtures::contract::{CREATE_REQUEST_FIELDS, Operation};
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Value, json};

use super::menu::Menu;
use crate::explore::inputs::{PLAIN_ID, ROWS, TEXT, WORD, unknown_email};
use crate::explore::steps::{assume, broken_multipart, group, literal, one, then_listed};

/// The fields that a schema requires are left out one by one, the first eight of them.
const REQUIRED_FIELDS: usize = 8;

/// The statuses that refuse a request for or by something that may not be used.
const FORBIDDEN: [u16; 4] = [400, 403, 404, 422];

pub(super) fn add(menu: &mut Menu) {
    // The first workflow exists wherever there is any.
    let workflow = prop_oneof![2 => Just(0), 3 => 0..ROWS];
    let of_workflow = prop_oneof![
        4 => Just(valid()),
        2 => (0..REQUIRED_FIELDS).prop_map(without_required),
        8 => flawed().prop_map(|step| vec![step]),
    ];
    let steps = prop_oneof![
        17 => (workflow, of_workflow).prop_map(|(row, steps)| for_workflow(row, steps)),
        1 => Just(unpublished()),
        1 => TEXT.prop_map(|text| vec![broken_multipart(
            "/v1/requests", &text, "create-legal-request.refused-changes-nothing",
        )]),
    ];
    menu.add_creating(5, &[], steps);
}

/// The steps for the `row`th workflow of the target, if there is one. `<form>` is its schema.
fn for_workflow(row: usize, mut steps: Vec<Value>) -> Vec<Value> {
    let picked = format!("$.workflows[{row}:{}]", row + 1);
    steps.insert(
        0,
        json!({
            "name": "the form of a workflow",
            "request": Operation::GetWorkflowSchema.as_str(), "id": "<workflow>", "token": "read",
            "require": { "status": 200 }, "capture": { "form": "body" },
        }),
    );
    vec![
        json!({ "let": { "picked": { "from": "<bindings>", "at": picked } } }),
        json!({ "for_each": { "workflow": "<picked>" }, "steps": steps }),
    ]
}

/// A request from the form. `changes` are further members of `multipart`; `set` adds to the workflow.
fn request(name: &str, changes: &Value) -> Value {
    let mut step = json!({
        "name": name, "request": "POST /v1/requests", "token": "write",
        "multipart": { "from_schema": "<form>", "set": { "workflow_id": "<workflow>" } },
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        match (key.as_str(), value.as_object()) {
            ("set", Some(fields)) => {
                for (field, text) in fields {
                    step["multipart"]["set"][field] = text.clone();
                }
            }
            _ => step["multipart"][key] = value.clone(),
        }
    }
    step
}

fn refused(mut step: Value, row: &str, expected: Value) -> Value {
    step["unchanged"] = json!(["GET /v1/requests"]);
    step["expect"] = one(row, expected);
    step
}

fn missing() -> Value {
    json!({ "status": 400, "problem": "parameter_missing" })
}

/// A problem with one of these statuses.
fn problem(statuses: &[u16]) -> Value {
    json!({ "status": statuses, "/type": { "type": "string", "length": { "min": 1 } } })
}

/// Another value of a field, or a further field.
fn set(name: &str, field: &str, text: &str) -> Value {
    request(name, &json!({ "set": one(field, literal(text)) }))
}

fn valid() -> Vec<Value> {
    let mut create = request("a valid request", &json!({}));
    create["expect"] = json!({
        "create-legal-request.status-201": { "status": 201 },
        "create-legal-request.draft": { "/data/attributes/status": "draft" },
    });
    create["capture"] = json!({ "created": "/data/id", "created_name": "/data/attributes/name" });
    let mut steps = vec![
        create,
        json!({
            "name": "the created request",
            "request": Operation::GetLegalRequest.as_str(), "id": "<created>", "token": "read",
            "expect": { "create-legal-request.then-readable": {
                "status": 200, "/data/id": "<created>", "/data/attributes/name": "<created_name>",
            } },
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

/// A request with a flaw. Without a row, its answer is open.
fn flawed() -> impl Strategy<Value = Value> {
    let fields: Vec<&str> = CREATE_REQUEST_FIELDS.iter().map(|field| field.name).collect();
    let without_requester = refused(
        request("a request without a requester", &json!({ "omit": ["requester_email"] })),
        "create-legal-request.requester-required",
        missing(),
    );
    let mut without_workflow = request("a request without a workflow", &json!({}));
    without_workflow["multipart"] = json!({ "from_schema": "<form>", "omit": ["workflow_id"] });
    let without_workflow =
        refused(without_workflow, "create-legal-request.workflow-id-required", missing());
    let mut read_token = refused(
        request("a request with a token that may only read", &json!({})),
        "authentication.write-scope-required",
        json!({ "status": 403, "problem": "insufficient_scope" }),
    );
    read_token["token"] = "read".into();
    prop_oneof![
        1 => Just(without_requester),
        1 => Just(without_workflow),
        1 => Just(read_token),
        1 => PLAIN_ID.prop_map(|id| refused(
            set("a request for an unknown workflow", "workflow_id", &id),
            "create-legal-request.workflow-must-exist",
            problem(&FORBIDDEN),
        )),
        1 => unknown_email().prop_map(|email| refused(
            set("a request of an unknown requester", "requester_email", &email),
            "create-legal-request.requester-is-a-user",
            problem(&FORBIDDEN),
        )),
        2 => (select(fields), TEXT)
            .prop_map(|(field, text)| set("a request with another value", field, &text)),
        1 => (WORD, TEXT)
            .prop_map(|(field, text)| set("a request with an unknown field", &field, &text)),
    ]
}

/// A request without one of the fields that its schema requires.
fn without_required(field: usize) -> Vec<Value> {
    // A single signer is not needed where exactly one is configured.
    let required = "$..required_fields[?@ != 'internal_signer_email']";
    let chosen = format!("$[{field}:{}]", field + 1);
    let step = refused(
        request(
            "a request without a field that its schema requires",
            &json!({ "omit": ["<omitted>"] }),
        ),
        "create-legal-request.required-field",
        missing(),
    );
    vec![
        json!({ "let": { "required": { "from": "<form>", "at": required } } }),
        json!({ "let": { "chosen": { "from": "<required>", "at": chosen } } }),
        json!({ "for_each": { "omitted": "<chosen>" }, "steps": [step] }),
    ]
}

/// A request for an unpublished workflow, with the fields that its schema asks for.
fn unpublished() -> Vec<Value> {
    group(vec![
        json!({
            "name": "workflows that are not published",
            "request": "GET /v1/workflows", "query": { "status": "unpublished" }, "token": "read",
            "require": { "status": 200 },
            "capture": { "unpublished": "$.data[?@.attributes.status == 'unpublished'].id" },
        }),
        assume("<unpublished>", json!({ "length": { "min": 1 } }), "every workflow is published"),
        json!({ "let": { "workflow": { "from": "<unpublished>", "at": "/0" } } }),
        json!({
            "name": "the form of an unpublished workflow",
            "request": Operation::GetWorkflowSchema.as_str(), "id": "<workflow>", "token": "read",
            "capture": { "schema_status": "status", "form": "body" },
        }),
        assume(
            "<schema_status>",
            200.into(),
            "the schema of an unpublished workflow can't be read",
        ),
        refused(
            request("a request for an unpublished workflow", &json!({})),
            "create-legal-request.workflow-must-be-published",
            problem(&FORBIDDEN),
        ),
    ])
}
