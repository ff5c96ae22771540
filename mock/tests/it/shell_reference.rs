//! docs/reference/control-plane.md: each route with its members, an example and its response. The test sends each
//! example, and checks the response against the JSON Schema of the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use moot_fixtures::world;
use moot_mock::Settings;
use moot_mock::shell::{ServeLimits, Site, SiteOptions};
use serde_json::{Map, Value, json};

use crate::shell_support::{
    BASE, TestResponse, admin, call, client, done, form, register, request, send, served, settings,
    site_of, token,
};

/// An example of each action, in an order in which all of them succeed. `{request}`, `{document}` and `{token}` stand
/// for values of earlier responses.
const EXAMPLES: &[(&str, &str)] = &[
    ("GET /", ""),
    ("GET /health", ""),
    ("GET /openapi.json", ""),
    ("GET /world", ""),
    ("GET /exchanges?method=POST&path=/v1/*&limit=1", ""),
    ("GET /exchanges/count?status=2xx", ""),
    ("GET /exchanges/3", ""),
    ("GET /events?since=0&status=201&timeout_seconds=0", ""),
    ("GET /findings", ""),
    ("GET /drill_run", ""),
    (REFUSED, r#"{"only": ["limited"]}"#),
    ("POST /exchanges/wait", r#"{"operation": "create_legal_request", "timeout_seconds": 5}"#),
    ("GET /exchanges/har", ""),
    ("DELETE /exchanges", ""),
    ("POST /clock", r#"{"advance_seconds": 60}"#),
    ("POST /clock", r#"{"set": "2026-03-05T15:00:00Z"}"#),
    ("POST /clock", r#"{"next": true}"#),
    ("POST /clock", r#"{"freeze": true}"#),
    ("GET /clock", ""),
    ("GET /settings", ""),
    ("PUT /settings", r#"{"progression": "timed:60", "answers": {"list_lag": 0}}"#),
    ("PUT /settings", r#"{"progression": "manual"}"#),
    ("POST /checkpoints", r#"{"name": "stage"}"#),
    ("GET /checkpoints", ""),
    ("POST /checkpoints/stage/restore", ""),
    ("DELETE /checkpoints/stage", ""),
    ("GET /parties", ""),
    ("POST /users", r#"{"email": "new@northwind.example"}"#),
    ("DELETE /users/new@northwind.example", ""),
    ("PUT /applications/partner", r#"{"client_secret": "partner-secret", "scopes": ["read"]}"#),
    ("DELETE /applications/partner", ""),
    (
        "PUT /workflows/wfTerms",
        r#"{"name": "Terms", "kind": "generated", "signer_options": ["legal@northwind.example"]}"#,
    ),
    ("PUT /workflows/wfTerms", r#"{"status": "unpublished"}"#),
    ("DELETE /workflows/wfTerms", ""),
    ("GET /repository_documents/{document}", ""),
    ("GET /legal_requests?limit=1", ""),
    ("GET /legal_requests/{request}", ""),
    ("PUT /legal_requests/{request}/progression", r#"{"progression": "timed:3600"}"#),
    ("GET /timers", ""),
    ("POST /legal_requests/{request}/comments", r#"{"comment": "Please hurry"}"#),
    ("POST /legal_requests/{request}/status", r#"{"status": "signed", "force": true}"#),
    ("POST /legal_requests", "{}"),
    ("POST /deliveries/settle", ""),
    ("GET /deliveries?state=delivered", ""),
    ("POST /deliveries/wait", r#"{"state": "delivered", "timeout_seconds": 5}"#),
    ("POST /deliveries/1/redeliver", ""),
    ("GET /delivery_policy", ""),
    ("PUT /delivery_policy", r#"{"delay_seconds": 5}"#),
    ("POST /receiver", r#"{"any": "body"}"#),
    ("PUT /receiver", r#"{"statuses": [503, 200]}"#),
    ("GET /receiver", ""),
    ("DELETE /receiver", ""),
    ("POST /tokens", r#"{"client_id": "empty-main", "age_seconds": 7100}"#),
    ("POST /tokens/expire", r#"{"token": "{token}"}"#),
    ("POST /tokens/revoke", r#"{"token": "{token}"}"#),
    ("GET /rate_limit", ""),
    ("PUT /rate_limit", r#"{"mode": "enforce", "exhaust": "192.0.2.1"}"#),
    ("POST /faults", r#"{"kind": "status", "status": 503, "retry_after_seconds": 7}"#),
    (
        "POST /faults",
        r#"{"path": "/v1/requests*", "effects": [{"kind": "delay", "milliseconds": 500}, {"kind": "status", "status": 503}]}"#,
    ),
    (
        "POST /faults",
        r#"{"nth": 2, "sequence": [{"kind": "status", "status": 503}, {"kind": "reset_before"}, null]}"#,
    ),
    ("GET /faults", ""),
    ("DELETE /faults/1", ""),
    ("DELETE /faults", ""),
    ("GET /drills", ""),
    ("PUT /drills", r#"{"headers": true}"#),
    ("PUT /addresses", r#"{"url": "https://files.example/a.txt", "text": "Hello"}"#),
    ("PUT /addresses", r#"{"url": "https://files.example/b.txt", "status": 404}"#),
    ("GET /addresses", ""),
    ("DELETE /addresses", r#"{"url": "https://files.example/b.txt"}"#),
    ("POST /sandboxes", r#"{"clock": "frozen:2026-03-05T14:30:00Z", "lease_seconds": 600}"#),
    ("GET /sandboxes", ""),
    ("GET /sandboxes/s1", ""),
    ("GET /sandboxes/s1/findings", ""),
    ("POST /sandboxes/s1/renew", r#"{"lease_seconds": 3600}"#),
    ("DELETE /sandboxes/s1", ""),
    ("POST /restart", ""),
    ("POST /reset", ""),
];

/// The example that a mock refuses, because it runs no drills.
const REFUSED: &str = "POST /drill_run";

/// Texts longer than this are cut on the page.
const TEXT_LENGTH_MAX: usize = 60;
/// The largest number of members of an object on the page.
const MEMBERS_MAX: usize = 24;
/// Objects and lists below this depth are not shown on the page.
const DEPTH_MAX: usize = 4;

/// An example with its response.
struct Sent {
    line: String,
    body: String,
    status: u16,
    response: Value,
}

/// Sends every example. Returns them by the name of the action.
async fn sent(document: &Value) -> BTreeMap<String, Vec<Sent>> {
    let seed_world = Arc::new(world::named("empty").expect("it is embedded").clone());
    let site = site_of(options(Settings { seed_world, ..settings() }));
    let (legal_request, document_id) = prepared(&site).await;
    let wire = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let mut all: BTreeMap<String, Vec<Sent>> = BTreeMap::new();
    for (line, body) in EXAMPLES {
        let token = token(&site, BASE, "empty-main").await;
        let filled = |text: &str| {
            text.replace("{request}", &legal_request)
                .replace("{document}", &document_id)
                .replace("{token}", &token)
        };
        let body_json = match *body {
            "" => Value::Null,
            body => serde_json::from_str(&filled(body)).unwrap_or_else(|error| panic!("{error}")),
        };
        if *line == "POST /deliveries/settle" {
            // On a busy machine a delivery may be in flight. The page shows a response without one.
            admin(&site, BASE, line, Value::Null).await.ok();
        }
        let response = admin(&site, BASE, &filled(line), body_json).await;
        assert_eq!(response.status.is_success(), *line != REFUSED, "{line} {body}: {response:?}");
        let (name, operation) = operation(document, line);
        let status = response.status.as_str();
        let (media_type, schema) = content(document, operation, status);
        assert_eq!(response.headers["content-type"], media_type, "{line}");
        let responses = if media_type == "text/event-stream" {
            events(&response)
        } else {
            vec![response.json()]
        };
        for response in &responses {
            check_schema(document, schema, response, line);
        }
        // Actions that only read are also sent through a socket.
        if line.starts_with("GET ") && media_type == "application/json" {
            let path = filled(line).replacen("GET /", &format!("{BASE}/__admin/"), 1);
            let url = format!("http://{}{path}", wire.address);
            let response = client.get(url).send().await.expect("a response");
            assert_eq!(response.status().as_str(), status, "{line}");
            check_schema(document, schema, &response.json().await.expect("JSON"), line);
        }
        let (line, body) = ((*line).to_owned(), (*body).to_owned());
        let status = response.status.as_u16();
        let response = responses.last().cloned().expect("a response");
        all.entry(name).or_default().push(Sent { line, body, status, response });
    }
    all
}

/// The media type and the schema of a response.
fn content<'d>(document: &'d Value, operation: &'d Value, status: &str) -> (&'d str, &'d Value) {
    let problem = &document["components"]["responses"]["Problem"];
    let response = operation["responses"].get(status).unwrap_or(problem);
    let content = response["content"].as_object().expect("a content");
    let (media_type, content) = content.iter().next().expect("one media type");
    (media_type, &content["schema"])
}

/// The data of server-sent events.
fn events(response: &TestResponse) -> Vec<Value> {
    let text = String::from_utf8_lossy(&response.body).into_owned();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

/// A site with a judge of clients, as the command line makes one.
fn options(settings: Settings) -> SiteOptions {
    let judge = |journal: &Value| {
        let calls = journal["exchanges"].as_array()?.len();
        let finding = json!({
            "rule": "honour-retry-after", "severity": "must", "clause": "§8, RFC 9110 §10.2.3", "times": 1,
            "calls": [3], "sandbox": null, "worlds": 1, "seen": "Called again before `Retry-After` was over.",
            "instead": "Wait as long as `Retry-After` says.", "excerpt": null,
        });
        Some(json!({ "calls": calls, "forgotten": 0, "findings": [finding] }))
    };
    SiteOptions { judge: Some(Arc::new(judge)), ..SiteOptions::new(settings) }
}

/// Creates a legal request, a document and a webhook to the built-in receiver, and makes a call that is refused.
async fn prepared(site: &Site) -> (String, String) {
    let token = token(site, BASE, "empty-main").await;
    let list = call(site, &format!("GET {BASE}/v1/workflows"), &token).await.ok().json();
    let workflows = list["data"].as_array().expect("a list");
    let nda = workflows.iter().find(|row| row["attributes"]["name"] == "Mutual NDA");
    let id = nda.and_then(|row| row["id"].as_str()).expect("the workflow of the seed");
    let workflow = format!("workflow_id={id}");
    let parts = [
        workflow.as_str(),
        "requester_email=requester@northwind.example",
        "counterparty_name=Ada Sample",
        "counterparty_email=ada@sample.example",
        "counterparty_organization_name=Sample Works Ltd",
        "internal_signer_email=legal@northwind.example",
        "variables={\"purpose\":\"Test\"}",
    ];
    let post =
        |path: &str, body| send(site, request(&format!("POST {BASE}{path}"), &token, Some(body)));
    let made = post("/v1/requests", form(&parts)).await.ok();
    post("/v1/repository_documents", form(&["file@terms.txt=Hello"])).await.ok();
    let list = call(site, &format!("GET {BASE}/v1/repository_documents"), &token).await.ok();
    let hook = json!({ "name": "Own", "url": format!("http://moot.test{BASE}/__admin/receiver"),
        "auth_type": "bearer", "token": "receiver-token" });
    register(site, BASE, &token, &hook).await.ok();
    call(site, &format!("GET {BASE}/v1/nowhere"), &token).await;
    (made.text("/data/id"), list.text("/data/0/id"))
}

/// The name and the OpenAPI operation of a line.
fn operation<'d>(document: &'d Value, line: &str) -> (String, &'d Value) {
    let (method, target) = line.split_once(' ').expect("a method and a path");
    let path = target.split('?').next().unwrap_or_default();
    let is_of = |known: &str| {
        let (known, path): (Vec<&str>, Vec<&str>) =
            (known.split('/').collect(), path.split('/').collect());
        let fits = |(known, given): (&&str, &&str)| known == given || *known == "{id}";
        known.len() == path.len() && known.iter().zip(&path).all(fits)
    };
    let paths = document["paths"].as_object().expect("paths");
    let mut found = paths.iter().filter(|(known, _)| is_of(known));
    let operation = found.find_map(|(_, item)| item.get(method.to_ascii_lowercase()));
    let operation = operation.unwrap_or_else(|| panic!("no operation is {line}"));
    (operation["operationId"].as_str().expect("a name").to_owned(), operation)
}

#[track_caller]
fn check_schema(document: &Value, schema: &Value, response: &Value, line: &str) {
    assert!(schema["$ref"].is_string(), "{line}: no schema");
    let whole = json!({ "$ref": schema["$ref"], "components": document["components"] });
    let validator = jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{error}"));
    let errors: Vec<String> = validator
        .iter_errors(response)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{line}: {errors:?}\n{response}");
}

async fn document() -> Value {
    let site = site_of(options(settings()));
    done(&site, "GET /openapi.json", Value::Null).await
}

/// Every action has an example, and its response matches the schema.
#[tokio::test]
async fn every_response_fits_the_schema_of_the_openapi_document() {
    let document = document().await;
    let sent = sent(&document).await;
    let names = |(_, item): (&String, &Value)| {
        let operations = item.as_object().expect("operations").values().cloned();
        operations.filter_map(|one| one["operationId"].as_str().map(str::to_owned)).collect()
    };
    let paths = document["paths"].as_object().expect("paths");
    let known: BTreeSet<String> =
        paths.iter().flat_map(|item| -> Vec<String> { names(item) }).collect();
    assert_eq!(sent.keys().cloned().collect::<BTreeSet<_>>(), known);
}

/// The page is up to date with the routes.
#[tokio::test]
async fn the_page_of_the_control_plane_is_up_to_date() {
    let document = document().await;
    let page = page(&document, &sent(&document).await);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/control-plane.md");
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    if shown != page {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("control-plane.md");
        std::fs::write(&new, page).expect("a written file");
        panic!("cp {} docs/reference/control-plane.md", new.display());
    }
}

const HEAD: &str = "\
# The control plane

The mock has a control plane below `/__admin`. A test uses it to move the clock, to arm faults, to look into the
journal, and to go back. It is never limited and never in the journal. `POST /__admin/sandboxes` makes another
world; each has a control plane of its own, below its base address. [The sandbox](../tutorials/sandbox.md) shows it at work.

- On loopback it is open. Beyond loopback it needs its token: `Authorization: Bearer TOKEN`.
- A body is a JSON object. A `GET` takes its members in the query. An unknown member is refused.
  `null` counts as absent, unless its member gives it a meaning.
- An error is a problem (RFC 9457) with `type`, `title`, `status`, `detail` and `instance`. Then nothing changed.
- `GET /__admin/openapi.json` describes all of it, with a JSON Schema of each response, for generated clients.
- `GET /__admin/events` tells what happens as server-sent events. What is shown of its response here is the data of one
  event. The `id` of an event counts the calls that were recorded; a reader that comes again sends it as
  `Last-Event-ID`, and misses nothing. A reader that is too slow is told `lost`, and asks the other routes again.
- `GET /__admin/findings` is there where the mock was started by `moot`, which has the rules of conduct.
- `/__admin/console/` of each world shows all of it in a browser: see [the console](../guides/console.md).
- With `--state`, what an action changes survives a restart, but for the journal, faults, drills and the counts of
  the rate limit.

`GET /health` is outside the control plane. It needs no token and answers `ok`, also beyond loopback. A container
asks it with `moot mock --healthcheck http://127.0.0.1:4010`, which ends with 0 or 1.

A test sends every example on this page. Long texts are cut, lists show their first element, and objects deep inside
are left out. The name before a response is that of its JSON Schema in the OpenAPI document.
";

/// The whole page.
fn page(document: &Value, sent: &BTreeMap<String, Vec<Sent>>) -> String {
    let mut page = HEAD.to_owned();
    let paths = document["paths"].as_object().expect("paths");
    let mut shown = BTreeMap::new();
    let mut sections: BTreeMap<&str, Vec<(&String, &Value)>> = BTreeMap::new();
    for (path, item) in paths {
        let section = path.split('/').nth(1).unwrap_or_default();
        sections.entry(section).or_default().push((path, item));
    }
    for (section, items) in sections {
        let title = if section.is_empty() { "index".to_owned() } else { section.replace('_', " ") };
        let _ = write!(page, "\n## {title}\n");
        for (path, item) in items {
            let operations = item.as_object().expect("operations");
            for (method, operation) in operations.iter().filter(|(key, _)| *key != "parameters") {
                push_route(&mut page, &mut shown, (document, method, path), operation, sent);
            }
        }
    }
    page
}

/// The section of a route. A response with a schema that was shown before refers to that route.
fn push_route(
    page: &mut String,
    shown: &mut BTreeMap<String, String>,
    (document, method, path): (&Value, &str, &str),
    operation: &Value,
    sent: &BTreeMap<String, Vec<Sent>>,
) {
    let summary = operation["summary"].as_str().expect("a summary");
    let method = method.to_ascii_uppercase();
    let _ = write!(page, "\n### `{method} /__admin{path}`\n\n{summary}.\n");
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut members: Vec<(String, String)> = Vec::new();
    for (name, member) in schema["properties"].as_object().unwrap_or(&Map::new()) {
        let must = if required.contains(&json!(name)) { " (required)" } else { "" };
        members.push((name.clone(), format!("{}{must}", says(member))));
    }
    for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
        let name = parameter["name"].as_str().expect("a name").to_owned();
        members.push((name, says(&parameter["schema"])));
    }
    if !members.is_empty() {
        page.push_str("\n| member | is |\n|---|---|\n");
        for (name, says) in members {
            let _ = writeln!(page, "| `{name}` | {says} |");
        }
    }
    let name = operation["operationId"].as_str().expect("a name");
    for example in &sent[name] {
        let _ = write!(page, "\n```http\n{}\n", example.line.replacen(" /", " /__admin/", 1));
        if !example.body.is_empty() {
            let _ = writeln!(page, "\n{}", example.body);
        }
        page.push_str("```\n");
    }
    let Some(Sent { status, response, .. }) = sent[name].last() else { return };
    let (_, schema) = content(document, operation, &status.to_string());
    let schema = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let schema = schema.expect("a schema").to_owned();
    if let Some(other) = shown.get(&schema) {
        let _ = write!(page, "\n{status}, as `{other}`.\n");
        return;
    }
    let json = serde_json::to_string_pretty(&short(response, 0)).expect("JSON");
    let _ = write!(page, "\n{status}, `{schema}`:\n\n```json\n{json}\n```\n");
    shown.insert(schema, format!("{method} /__admin{path}"));
}

fn says(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ")
}

/// A response as the page shows it: cut, and without values that differ from run to run.
fn short(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(_) | Value::Array(_) if depth >= DEPTH_MAX => json!("…"),
        Value::Object(members) => {
            let shown = members.iter().take(MEMBERS_MAX);
            shown.map(|(name, value)| (name.clone(), member(name, value, depth))).collect()
        }
        Value::Array(items) => items.iter().take(1).map(|item| short(item, depth + 1)).collect(),
        Value::String(text) if text.chars().count() > TEXT_LENGTH_MAX => {
            let cut: String = text.chars().take(TEXT_LENGTH_MAX).collect();
            json!(format!("{cut}…"))
        }
        value => value.clone(),
    }
}

fn member(name: &str, value: &Value, depth: usize) -> Value {
    match name {
        "answers" => json!({ "…": "…" }),
        "access_token" | "authorization" | "version" if value.is_string() => json!("…"),
        "lease_ends_in_seconds" => json!(600),
        _ => short(value, depth + 1),
    }
}
