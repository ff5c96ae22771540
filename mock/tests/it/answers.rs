//! Every response of every operation satisfies its schema, for all answers to the open questions.

use std::sync::LazyLock;

use jsonschema::{Draft, Registry, Validator};
use moot_fixtures::contract::{Answers, Operation};
use moot_fixtures::{answers, schemas, world};
use moot_mock::settings::Progression;
use serde_json::{Value, json};

use crate::support::{
    Bench, Sent, TestResponse, bench_with, delete, file, get, post, sent, sound, text, texts,
};

static VALIDATORS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    for (name, schema) in schemas::all() {
        registry = registry
            .add(format!("{}{name}", schemas::ID_PREFIX), schema.clone())
            .expect("an absolute id");
    }
    let registry = registry.prepare().expect("every reference leads somewhere");
    let build = |schema| {
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        options.with_registry(&registry).offline().build(schema).expect("it compiles")
    };
    schemas::all().iter().map(|(name, schema)| (*name, build(schema))).collect()
});

/// The schema of a response, by its status. Where the answer to a question sets the status, the schema of the success.
fn schema_of(operation: Operation, status: u16) -> Option<&'static str> {
    let rows = operation.responses();
    let row = rows.iter().find(|row| row.status == status);
    let fallback = if status < 300 { rows.first() } else { None };
    match row.or(fallback) {
        Some(row) => row.schema,
        None => Some("problem"),
    }
}

#[track_caller]
pub(crate) fn check(operation: Operation, response: &TestResponse) {
    let status = response.status.as_u16();
    let Some(name) = schema_of(operation, status) else {
        assert!(
            operation == Operation::DownloadAgreement || response.body.is_empty(),
            "{response:?}"
        );
        return;
    };
    let validator = VALIDATORS.iter().find(|(known, _)| *known == name);
    let (_, validator) = validator.expect("each documented schema is there");
    if let Err(error) = validator.validate(&response.json()) {
        panic!("{operation:?} {status} {name}: {error}: {response:?}");
    }
}

/// A token of the first application.
fn token(bench: &Bench) -> String {
    let described = bench.service.describe();
    bench.minted(described["applications"][0]["client_id"].as_str().expect("an id"), 0)
}

/// Builds a creation from a schema, like a client that does not know the workflow.
fn from_schema(bench: &Bench, workflow: &str, answers: &Answers) -> Sent {
    let endpoint = &answers.workflow_schema_endpoint;
    let method = endpoint.method.parse().expect("a method");
    let path = endpoint.path.replace("{id}", workflow);
    let response = bench.send(&sent(method, &path).token(&token(bench)));
    check(Operation::GetWorkflowSchema, &response);
    let schema = response.json();
    let schema = schema.get("data").unwrap_or(&schema).clone();
    let fields = schema["required_fields"].as_array().expect("a list").iter();
    let parts = fields.flat_map(|field| {
        let field = field.as_str().expect("a name");
        let options = &schema["fields_properties"][field]["properties"]["options"];
        match field {
            "workflow_id" => vec![text(field, workflow)],
            "requester_email" => vec![text(field, "requester@northwind.example")],
            "file" => vec![file(field, "terms.pdf")],
            "variables" => vec![text(field, &variables(&schema).to_string())],
            "internal_signer_email" => vec![text(field, options[0].as_str().expect("an option"))],
            "internal_signer_emails[]" => {
                let options = options.as_array().expect("a list").iter();
                options.filter_map(Value::as_str).map(|option| text(field, option)).collect()
            }
            _ if field.ends_with("email") => vec![text(field, "avery@birchwood.example")],
            _ => vec![text(field, "Birchwood Sample AG")],
        }
    });
    post("/v1/requests").token(&token(bench)).multipart(parts.collect())
}

fn variables(schema: &Value) -> Value {
    let required = schema["required_variables"].as_array().expect("a list").iter();
    let value = |name: &str| {
        let properties = &schema["variables_properties"][name]["properties"];
        match properties["type"].as_str() {
            Some("number") => json!(3),
            Some("boolean") => json!(true),
            Some("date") => json!("2026-05-01"),
            _ => properties["options"].get(0).cloned().unwrap_or_else(|| json!("text")),
        }
    };
    let members = required.filter_map(Value::as_str).map(|name| (name.to_owned(), value(name)));
    Value::Object(members.collect())
}

/// Calls of every operation, with most of its documented responses.
fn exercise(answers: &Answers) {
    let bench = bench_with(|settings| {
        settings.answers = answers.clone();
        settings.progression = Progression::Immediate;
    });
    let token = token(&bench);
    let call = |operation: Operation, sent: Sent| {
        let anonymous = Sent { headers: Default::default(), ..sent.clone() };
        check(operation, &bench.send(&anonymous));
        let response = bench.send(&sent.token(&token));
        check(operation, &response);
        response
    };
    for workflow in ["wfMutualNda1", "wfConsulting2", "wfThirdParty3", "wfSupplier4"] {
        let created = bench.send(&from_schema(&bench, workflow, answers));
        check(Operation::CreateLegalRequest, &created);
        assert_eq!(created.status, 201, "{created:?}");
        let id = created.text("/data/id");
        call(Operation::GetLegalRequest, get(&format!("/v1/requests/{id}")));
        call(Operation::GetLegalRequestActivity, get(&format!("/v1/requests/{id}/activity")));
        call(Operation::GetWorkflow, get(&format!("/v1/workflows/{workflow}")));
    }
    for (operation, path) in [
        (Operation::ListWorkflows, "/v1/workflows"),
        (Operation::ListLegalRequests, "/v1/requests"),
        (Operation::ListRepositoryDocuments, "/v1/repository_documents"),
        (Operation::ListWebhooks, "/v1/webhooks"),
    ] {
        for query in ["", "?page=2", "?page=0", "?page=9999", "?status=nope"] {
            call(operation, get(&format!("{path}{query}")));
        }
    }
    for path in ["/v1/requests/x", "/v1/requests/x/activity", "/v1/workflows/x"] {
        call(Operation::GetLegalRequest, get(path));
    }
    let upload = |parts| post("/v1/repository_documents").multipart(parts);
    let documents = Operation::CreateRepositoryDocument;
    let uploaded = call(documents, upload(vec![file("file", "a.pdf")]));
    let id = uploaded.text("/data/id");
    let document =
        call(Operation::GetRepositoryDocument, get(&format!("/v1/repository_documents/{id}")));
    let address = document.text("/data/attributes/agreement_url");
    let path = address.strip_prefix("http://moot.test/api").expect("below the base address");
    assert_eq!(call(Operation::DownloadAgreement, get(path)).body, "some bytes");
    call(documents, upload(vec![file("file", "a.exe")]));
    call(documents, upload(vec![text("url", "http://files.example/a.pdf")]));
    call(documents, upload(Vec::new()));
    call(Operation::CreateLegalRequest, post("/v1/requests").multipart(texts(&sound()[1..])));
    let hook = json!({ "name": "hook", "url": "https://hooks.example/" });
    let endpoint = &answers.webhook_create_endpoint;
    let method: http::Method = endpoint.method.parse().expect("a method");
    let create = || sent(method.clone(), &endpoint.path);
    let hook = call(Operation::CreateWebhook, create().json(&hook));
    call(Operation::CreateWebhook, create().json(&json!({ "name": "hook" })));
    let path = format!("/v1/webhooks/{}", hook.text("/data/id"));
    let deleted = bench.send(&delete(&path).token(&token));
    assert!(deleted.status.is_success() && deleted.body.is_empty());
    call(Operation::DeleteWebhook, delete(&path));
    let form = [("grant_type", "client_credentials")];
    for fields in [&form[..], &[]] {
        check(Operation::CreateAccessToken, &bench.send(&post("/oauth/token").form(fields)));
    }
}

#[test]
fn default_answers_satisfy_their_schemas() {
    exercise(answers::default());
}

#[test]
fn documented_answers_satisfy_their_schemas() {
    exercise(answers::documented());
}

#[test]
fn drawn_answers_satisfy_their_schemas() {
    for seed in 0..40 {
        exercise(&answers::draw(seed));
    }
}

#[test]
fn issued_tokens_satisfy_their_schema() {
    for name in ["default", "documented"] {
        let answers = answers::named(name).expect("it is embedded");
        let bench = bench_with(|settings| settings.answers = answers.clone());
        let application =
            &world::named("demo").expect("it is embedded").companies[0].applications[0];
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &application.client_id),
            ("client_secret", &application.client_secret),
            ("scope", "read"),
        ];
        let response = bench.send(&post("/oauth/token").form(&form));
        assert_eq!(response.status, 200);
        check(Operation::CreateAccessToken, &response);
    }
}
