//! The control plane as an OpenAPI 3.1 document, from its routes.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::routes::{PATH_MEMBER, ROUTES, Route, WAIT_MEMBER};
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;

/// The JSON Schemas of the responses (`schemas`), and the schema of each action's response (`responses`). A test
/// checks them against real responses.
static RESPONSES: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("responses.json")).expect("a test reads the responses")
});

/// The OpenAPI document of a world's control plane.
pub(super) fn document(site: &Site, realm: &Realm) -> Value {
    let mut paths = Map::new();
    for route in ROUTES.iter().filter(|route| route.is_of(site, realm)) {
        let path =
            paths.entry(route.path.clone()).or_insert_with(|| Value::Object(path_item(route)));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Moot control plane",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Controls the mock of the Legal Request Service. On loopback it is open; elsewhere it needs a bearer token. A member that is `null` counts as absent, unless its schema allows `null`.",
        },
        "servers": [{ "url": format!("{}/__admin", realm.settings.base_url) }],
        "security": [{}, { "admin_token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "admin_token": { "type": "http", "scheme": "bearer" } },
            "schemas": RESPONSES["schemas"],
            "responses": {
                "Problem": {
                    "description": "The action was not done, and nothing changed",
                    "content": {
                        "application/problem+json": {
                            "schema": { "$ref": "#/components/schemas/Problem" },
                        },
                    },
                },
            },
        },
    })
}

fn path_item(route: &Route) -> Map<String, Value> {
    let mut item = Map::new();
    if let Some(schema) = route.members.get(PATH_MEMBER) {
        let id = json!({ "name": PATH_MEMBER, "in": "path", "required": true, "schema": schema });
        item.insert("parameters".to_owned(), json!([id]));
    }
    item
}

fn operation(route: &Route) -> Value {
    let response = RESPONSES["responses"][&route.name].as_str().unwrap_or_default();
    let response = json!({ "$ref": format!("#/components/schemas/{response}") });
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.title,
        "responses": {
            (route.status.as_str()): {
                "description": "Done",
                "content": { (route.media_type.as_str()): { "schema": response } },
            },
            "default": { "$ref": "#/components/responses/Problem" },
        },
    });
    if route.members.contains_key(WAIT_MEMBER) {
        let mut timed_out = operation["responses"][route.status.as_str()].clone();
        timed_out["description"] = "Done, but receivers are too slow: not all was delivered".into();
        operation["responses"]["202"] = timed_out;
    }
    let mut members = route.own_members().peekable();
    if members.peek().is_none() {
        return operation;
    }
    if route.has_query() {
        let parameters =
            members.map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema }));
        operation["parameters"] = parameters.collect();
        return operation;
    }
    let properties: Map<String, Value> =
        members.map(|(name, schema)| (name.to_owned(), schema.clone())).collect();
    let required: Vec<&String> =
        route.required.iter().filter(|name| *name != PATH_MEMBER).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if !route.one_of.is_empty() {
        schema["oneOf"] = route.one_of.iter().map(|name| json!({ "required": [name] })).collect();
    }
    operation["requestBody"] = json!({
        "required": !required.is_empty() || !route.one_of.is_empty(),
        "content": { "application/json": { "schema": schema } },
    });
    operation
}
