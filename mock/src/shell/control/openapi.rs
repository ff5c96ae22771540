//! The control plane as an OpenAPI 3.1 document, from the table of routes.

use serde_json::{Map, Value, json};

use super::routes::{Action, FILTERS, Field, Kind, ROUTES, Route};
use crate::shell::sandbox::Realm;

/// The document of a world's control plane.
pub(super) fn document(realm: &Realm) -> Value {
    let mut paths = Map::new();
    for route in ROUTES.iter().filter(|row| !row.is_at_root_only || realm.sandbox().is_none()) {
        let path = paths.entry(route.path).or_insert_with(|| Value::Object(path_item(route)));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Moot control plane",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Steers the mock of the Legal Request Service. On loopback it is open; elsewhere it wants a bearer token.",
        },
        "servers": [{ "url": format!("{}/__admin", realm.settings().base_url) }],
        "security": [{}, { "admin_token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "admin_token": { "type": "http", "scheme": "bearer" } },
            "schemas": { "Problem": problem_schema() },
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
    if route.path.contains("{id}") {
        let id =
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
        item.insert("parameters".to_owned(), json!([id]));
    }
    item
}

fn operation(route: &Route) -> Value {
    let is_made = matches!(route.action, Action::CreateSandbox | Action::ArmFault);
    let success = if is_made { "201" } else { "200" };
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.title,
        "responses": {
            (success): {
                "description": "Done",
                "content": { "application/json": { "schema": { "type": "object" } } },
            },
            "default": { "$ref": "#/components/responses/Problem" },
        },
    });
    let limit = (route.action == Action::ListExchanges).then_some(("limit", Kind::Integer));
    if matches!(route.action, Action::ListExchanges | Action::ExportExchanges) {
        let parameters = limit.into_iter().chain(FILTERS).map(
            |(name, kind)| json!({ "name": name, "in": "query", "schema": kind_schema(kind) }),
        );
        operation["parameters"] = parameters.collect();
    }
    if !route.fields.is_empty() {
        let schema = object_schema(route.fields);
        operation["requestBody"] = json!({
            "required": route.fields.iter().any(|field| field.is_required),
            "content": { "application/json": { "schema": schema } },
        });
    }
    operation
}

/// `MintToken` is `mint_token`.
fn operation_id(route: &Route) -> String {
    let mut id = String::new();
    for character in format!("{:?}", route.action).chars() {
        if character.is_ascii_uppercase() && !id.is_empty() {
            id.push('_');
        }
        id.push(character.to_ascii_lowercase());
    }
    id
}

fn object_schema(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = kind_schema(field.kind);
            schema["description"] = field.says.into();
            (field.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn kind_schema(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::TextOrObject => json!({ "type": ["string", "object"] }),
        Kind::TextOrNull => json!({ "type": ["string", "null"] }),
        Kind::Integer => json!({ "type": "integer", "minimum": 0 }),
        Kind::Integers => {
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } })
        }
        Kind::Signed => json!({ "type": "integer" }),
        Kind::Any => json!({}),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Scopes => {
            json!({ "type": "array", "items": { "enum": ["read", "write"] }, "uniqueItems": true })
        }
    }
}

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "instance": { "type": "string" },
        },
        "required": ["type", "title", "status", "detail", "instance"],
    })
}
