//! The members of responses, from the JSON Schemas of the contract.

use moot_fixtures::schemas;
use serde::Deserialize;
use serde_json::Value;

/// The kind of value that a member has. It decides which operators are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueNature {
    /// An object that holds other members.
    Structure,
    /// An object that names another resource, or null.
    Relation,
    /// An id that the service gave.
    Id,
    /// A constant text.
    Constant,
    /// The status of a legal request.
    Status,
    /// One of a few texts.
    Enumerated,
    /// An ISO 8601 time.
    Time,
    /// An absolute address that the service chose.
    Address,
    /// A text that the service chose.
    Chosen,
    /// A text that the service chose, or null.
    Nullable,
    /// A text that a client sent.
    SentText,
    /// The name of a file that a client sent.
    SentName,
    /// An address that a client sent.
    SentAddress,
    /// An object that a client sent.
    SentObject,
    /// A list that a client sent.
    SentList,
    /// A number of things.
    Count,
    /// `true` or `false`.
    Flag,
    /// A list of names.
    Names,
    /// An object of which the specification promises nothing.
    OpenObject,
    /// Granted scopes.
    Scope,
    /// An access token.
    Secret,
    /// A number of seconds, or a time in seconds since 1970.
    Seconds,
    /// A code of OAuth.
    Error,
}

/// A member of the body of a response.
#[derive(Debug, Clone)]
pub(super) struct ResponseMember {
    /// A pointer with `*` for each member of a list: `/data/*/attributes/name`.
    pub(super) pointer: String,
    pub(super) nature: ValueNature,
    /// Whether its schema requires it.
    pub(super) is_required: bool,
    /// The name of the schema that describes it: `legal_request`.
    pub(super) resource: String,
    /// The pointer within that resource: `/attributes/name`.
    pub(super) within: String,
}

impl ResponseMember {
    /// The pointer as the name of a place: `data.attributes.name`.
    pub(super) fn name(&self) -> String {
        self.pointer
            .split('/')
            .filter(|part| !matches!(*part, "" | "*"))
            .collect::<Vec<_>>()
            .join(".")
    }
}

/// Natures that do not follow from the schemas: resource, pointer within it, nature.
const NATURES: [(&str, &str, ValueNature); 17] = [
    ("webhook", "/attributes/name", ValueNature::SentText),
    ("webhook", "/attributes/url", ValueNature::SentAddress),
    ("webhook", "/attributes/auth_type", ValueNature::Enumerated),
    ("webhook", "/attributes/events", ValueNature::SentList),
    ("repository_document", "/attributes/name", ValueNature::SentName),
    ("repository_document", "/attributes/custom_fields", ValueNature::SentObject),
    ("repository_document", "/attributes/agreement_url", ValueNature::Address),
    ("repository_document", "/relationships/legal_request/data", ValueNature::Relation),
    ("repository_document_created", "/data/name", ValueNature::SentName),
    ("activity_log_entry", "/attributes/action", ValueNature::Enumerated),
    ("activity_log_entry", "/attributes/comment", ValueNature::SentText),
    ("activity_log_entry", "/attributes/additional_data", ValueNature::OpenObject),
    ("token", "/access_token", ValueNature::Secret),
    ("token", "/scope", ValueNature::Scope),
    ("token", "/expires_in", ValueNature::Seconds),
    ("token", "/created_at", ValueNature::Seconds),
    ("token_failure", "/error", ValueNature::Error),
];

/// The members of the responses that this schema describes, without the root.
pub(super) fn of_schema(name: &str) -> Vec<ResponseMember> {
    let mut found = Vec::new();
    if let Some(schema) = schemas::get(name) {
        let root = ResponseMember {
            pointer: String::new(),
            nature: ValueNature::Structure,
            is_required: true,
            resource: name.to_owned(),
            within: String::new(),
        };
        below(schema, schema, &root, &mut found);
    }
    found
}

/// Adds the members below `parent`, which `node` of the document `root` describes.
fn below(root: &Value, node: &Value, parent: &ResponseMember, found: &mut Vec<ResponseMember>) {
    // The workflow schema: `else` describes the bare object.
    let node = node.get("else").unwrap_or(node);
    if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
        if let Some(name) = reference.strip_prefix(schemas::ID_PREFIX) {
            if let Some(schema) = schemas::get(name) {
                let own = ResponseMember {
                    resource: name.to_owned(),
                    within: String::new(),
                    ..parent.clone()
                };
                below(schema, schema, &own, found);
            }
        } else if let Some(inner) = root.pointer(reference.trim_start_matches('#')) {
            below(root, inner, parent, found);
        }
        return;
    }
    if let Some(items) = node.get("items").filter(|items| is_object(items)) {
        let each = ResponseMember { pointer: format!("{}/*", parent.pointer), ..parent.clone() };
        return below(root, items, &each, found);
    }
    let required: Vec<&str> = node
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = node.get("properties").and_then(Value::as_object);
    for (name, inner) in properties.into_iter().flatten() {
        let mut member = ResponseMember {
            pointer: format!("{}/{name}", parent.pointer),
            within: format!("{}/{name}", parent.within),
            is_required: required.contains(&name.as_str()),
            ..parent.clone()
        };
        member.nature = nature(&member, inner);
        found.push(member.clone());
        if matches!(member.nature, ValueNature::Structure | ValueNature::Relation) {
            below(root, inner, &member, found);
        }
    }
}

/// Whether a schema describes objects, directly or by reference.
fn is_object(schema: &Value) -> bool {
    schema.get("$ref").is_some() || schema.get("properties").is_some()
}

fn nature(member: &ResponseMember, schema: &Value) -> ValueNature {
    let is_this =
        |row: &&(&str, &str, ValueNature)| row.0 == member.resource && row.1 == member.within;
    if let Some(row) = NATURES.iter().find(is_this) {
        return row.2;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return match reference.strip_prefix(schemas::ID_PREFIX) {
            Some("timestamp") => ValueNature::Time,
            Some("legal_request_status") => ValueNature::Status,
            _ => ValueNature::Structure,
        };
    }
    if schema.get("const").is_some() {
        return ValueNature::Constant;
    }
    if schema.get("enum").is_some() {
        return ValueNature::Enumerated;
    }
    if member.pointer.ends_with("/id") {
        return ValueNature::Id;
    }
    let is_null =
        |kind: &Value| kind.as_array().is_some_and(|all| all.contains(&Value::from("null")));
    match schema.get("type").or_else(|| schema.get("x-stored")) {
        Some(Value::String(kind)) => match kind.as_str() {
            "integer" => ValueNature::Count,
            "boolean" => ValueNature::Flag,
            "array" if schema.get("items").is_some_and(is_object) => ValueNature::Structure,
            "array" => ValueNature::Names,
            "object" => ValueNature::Structure,
            _ => ValueNature::Chosen,
        },
        Some(kind) if is_null(kind) => ValueNature::Nullable,
        Some(_) | None => ValueNature::OpenObject,
    }
}

#[cfg(test)]
mod tests {
    use super::{ValueNature, of_schema};

    #[track_caller]
    fn check(schema: &str, pointer: &str, expected: ValueNature) {
        let all = of_schema(schema);
        let member = all.iter().find(|member| member.pointer == pointer);
        let found = member.unwrap_or_else(|| panic!("{pointer} of {schema}: {all:#?}"));
        assert_eq!(found.nature, expected, "{schema} {pointer}");
    }

    #[test]
    fn members_are_found_through_references_and_lists() {
        check("legal_request_list", "/data/*/attributes/name", ValueNature::Chosen);
        check("legal_request_list", "/data/*/attributes/status", ValueNature::Status);
        check("legal_request_list", "/pagination/total_count", ValueNature::Count);
        check("legal_request_single", "/data/id", ValueNature::Id);
        check("repository_document_single", "/data/attributes/created_at", ValueNature::Time);
        check("repository_document_created", "/data/name", ValueNature::SentName);
        check("workflow_schema", "/required_fields", ValueNature::Names);
        check("activity_log", "/data/*/attributes/comment", ValueNature::SentText);
        check("legal_request", "/attributes/description", ValueNature::Nullable);
        check("token", "/access_token", ValueNature::Secret);
    }
}
