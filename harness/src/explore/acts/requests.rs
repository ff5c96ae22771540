//! Acts that create a request (§4.5) from the schema of its workflow. A valid request is then read, listed
//! and logged; a refused one stores nothing.

use moot_fixtures::contract::{CREATE_REQUEST_FIELDS, Operation};
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::menu::Menu;
use crate::explore::inputs::{PLAIN_ID, ROWS, TEXT, WORD, no_object, unknown_email};
use crate::explore::steps::{assume, broken_multipart, group, literal, one, then_listed};

/// The fields that a schema requires are left out one by one, the first eight of them.
const REQUIRED_FIELDS: usize = 8;

pub(super) fn add(menu: &mut Menu) {
    // The first workflow exists wherever there is any.
    let workflow = || prop_oneof![2 => Just(0), 3 => 0..ROWS];
    let of_workflow = prop_oneof![
        4 => Just(valid()),
        2 => (0..REQUIRED_FIELDS).prop_map(without_required),
        12 => flaw().prop_map(|flaw| flaw.steps()),
    ];
    let steps = prop_oneof![
        18 => (workflow(), of_workflow).prop_map(|(row, steps)| for_workflow(row, steps)),
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

fn valid() -> Vec<Value> {
    let mut steps = vec![
        json!({
            "name": "a valid request",
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

/// A request that differs from a valid one, and what its answer must be.
#[derive(Debug, Clone, Default)]
struct FlawedRequest {
    name: &'static str,
    /// Fields that replace those of the valid request, or are added to them.
    set: Map<String, Value>,
    omit: Option<&'static str>,
    /// A field that is sent besides the others, with its text.
    part: Option<(&'static str, Value)>,
    by_read_token: bool,
    /// The flaw is one only where this place of the schema holds this, with the reason.
    only_where: Option<(&'static str, Value, &'static str)>,
    /// The row that says how it is refused. Without one, the answer is open.
    row: Option<(&'static str, Value)>,
}

impl FlawedRequest {
    fn steps(self) -> Vec<Value> {
        let mut steps = Vec::new();
        if let Some((place, needed, because)) = &self.only_where {
            steps.push(json!({ "let": { "asked": { "from": "<form>", "at": place } } }));
            steps.push(assume("<asked>", needed.clone(), because));
        }
        steps.push(self.step());
        steps
    }

    fn step(self) -> Value {
        let mut set = self.set;
        if self.omit != Some("workflow_id") {
            set.entry("workflow_id").or_insert_with(|| "<workflow>".into());
        }
        let mut step = json!({
            "name": self.name, "request": "POST /v1/requests",
            "token": if self.by_read_token { "read" } else { "write" },
            "multipart": { "from_schema": "<form>" },
        });
        if !set.is_empty() {
            step["multipart"]["set"] = set.into();
        }
        if let Some(field) = self.omit {
            step["multipart"]["omit"] = json!([field]);
        }
        if let Some((field, text)) = self.part {
            step["multipart"]["parts"] = json!([{ "name": field, "text": text }]);
        }
        if let Some((row, expected)) = self.row {
            step["expect"] = one(row, expected);
            step["unchanged"] = json!(["GET /v1/requests"]);
        }
        step
    }

    /// Another value of a field.
    fn setting(name: &'static str, field: &str, text: &str) -> Self {
        let set = Map::from_iter([(field.to_owned(), literal(text))]);
        Self { name, set, ..Self::default() }
    }

    /// Another value of a field that the form may not ask for.
    fn replacing(name: &'static str, field: &'static str, text: &str) -> Self {
        Self { name, omit: Some(field), part: Some((field, literal(text))), ..Self::default() }
    }

    fn refused(self, row: &'static str, expected: Value) -> Self {
        Self { row: Some((row, expected)), ..self }
    }

    fn only_where(self, place: &'static str, needed: Value, because: &'static str) -> Self {
        Self { only_where: Some((place, needed, because)), ..self }
    }
}

fn missing() -> Value {
    json!({ "status": 400, "problem": "parameter_missing" })
}

/// A problem with one of these statuses.
fn problem(statuses: &[u16]) -> Value {
    json!({ "status": statuses, "/type": { "type": "string", "length": { "min": 1 } } })
}

/// The statuses that refuse a request for or by something that may not be used.
const FORBIDDEN: [u16; 4] = [400, 403, 404, 422];
/// The statuses that refuse an invalid value.
const INVALID: [u16; 2] = [400, 422];

fn flaw() -> impl Strategy<Value = FlawedRequest> {
    let fields: Vec<&str> = CREATE_REQUEST_FIELDS.iter().map(|field| field.name).collect();
    let omitted = select(vec![
        ("workflow_id", "create-legal-request.workflow-id-required"),
        ("requester_email", "create-legal-request.requester-required"),
    ])
    .prop_map(|(field, row)| {
        let name = "a request without a field that every request needs";
        FlawedRequest { name, omit: Some(field), ..FlawedRequest::default() }
            .refused(row, missing())
    });
    let unknown_workflow = PLAIN_ID.prop_map(|id| {
        FlawedRequest::setting("a request for an unknown workflow", "workflow_id", &id)
            .refused("create-legal-request.workflow-must-exist", problem(&FORBIDDEN))
    });
    let unknown_requester = unknown_email().prop_map(|email| {
        FlawedRequest::setting("a request of an unknown requester", "requester_email", &email)
            .refused("create-legal-request.requester-is-a-user", problem(&FORBIDDEN))
    });
    let unknown_signer = unknown_email().prop_map(|email| {
        FlawedRequest::setting("a request with an unknown signer", "internal_signer_email", &email)
            .refused("create-legal-request.signer-is-an-option", problem(&INVALID))
            .only_where(
                "$..fields_properties.internal_signer_email.properties.options[*]",
                json!({ "length": { "min": 1 } }),
                "the workflow does not ask for a single signer",
            )
    });
    let no_email = select(vec![
        ("counterparty_email", "create-legal-request.counterparty-email"),
        ("counterparty_signer_email", "create-legal-request.counterparty-signer-email"),
    ]);
    let no_email = (no_email, WORD).prop_map(|((field, row), word)| {
        FlawedRequest::replacing("a request with an invalid e-mail address", field, &word)
            .refused(row, problem(&INVALID))
            .only_where(
                "$..['required_fields','optional_fields'][*]",
                json!({ "contains": field }),
                "the workflow takes no such field",
            )
    });
    let variables = no_object().prop_map(|text| {
        let row = match serde_json::from_str::<Value>(&text) {
            Ok(_) => "create-legal-request.variables-are-an-object",
            Err(_) => "create-legal-request.variables-are-json",
        };
        FlawedRequest::replacing("a request with invalid variables", "variables", &text)
            .refused(row, problem(&INVALID))
            .only_where(
                "$..['required_variables','variables_properties'][*]",
                json!({ "length": { "min": 1 } }),
                "the schema describes no variables",
            )
    });
    let read_token = FlawedRequest {
        name: "a request with a token that may only read",
        by_read_token: true,
        ..FlawedRequest::default()
    }
    .refused(
        "authentication.write-scope-required",
        json!({ "status": 403, "problem": "insufficient_scope" }),
    );
    let twice = (select(vec!["workflow_id", "requester_email", "variables"]), TEXT).prop_map(
        |(field, text)| FlawedRequest {
            name: "a request with a field twice",
            part: Some((field, literal(&text))),
            ..FlawedRequest::default()
        },
    );
    prop_oneof![
        2 => omitted,
        1 => unknown_workflow,
        1 => unknown_requester,
        1 => unknown_signer,
        1 => no_email,
        1 => variables,
        1 => Just(read_token),
        1 => twice,
        2 => (select(fields), TEXT)
            .prop_map(|(field, text)| FlawedRequest::setting("a request with another value", field, &text)),
        1 => (WORD, TEXT)
            .prop_map(|(field, text)| FlawedRequest::setting("a request with an unknown field", &field, &text)),
    ]
}

/// A request without one of the fields that its schema requires.
fn without_required(field: usize) -> Vec<Value> {
    // A single signer is not needed where exactly one is configured.
    let required = "$..required_fields[?@ != 'internal_signer_email']";
    let chosen = format!("$[{field}:{}]", field + 1);
    let step = FlawedRequest {
        name: "a request without a field that its schema requires",
        omit: Some("<omitted>"),
        ..FlawedRequest::default()
    }
    .refused("create-legal-request.required-field", missing())
    .step();
    vec![
        json!({ "let": { "required": { "from": "<form>", "at": required } } }),
        json!({ "let": { "chosen": { "from": "<required>", "at": chosen } } }),
        json!({ "for_each": { "omitted": "<chosen>" }, "steps": [step] }),
    ]
}

/// A request for an unpublished workflow, with the fields that its schema asks for.
fn unpublished() -> Vec<Value> {
    let request =
        FlawedRequest { name: "a request for an unpublished workflow", ..FlawedRequest::default() }
            .refused("create-legal-request.workflow-must-be-published", problem(&FORBIDDEN));
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
        request.step(),
    ])
}
