//! The kind of an identifier, from a resource's `type`, a member's name or a path. It is the word in the
//! brackets of a placeholder: `[request:1]`.

use serde_json::{Map, Value};

/// The kind of any other identifier.
const OTHER: &str = "id";

/// The kind of a resource with this `type`.
fn of_type(name: &str) -> &'static str {
    match name {
        "legal_request" => "request",
        "workflow" => "workflow",
        "repository_document" => "document",
        "activity_log" => "activity",
        "webhook" => "webhook",
        _ => OTHER,
    }
}

/// The kind of the resources below this path segment.
pub(crate) fn of_collection(segment: &str) -> Option<&'static str> {
    match segment {
        "requests" => Some("request"),
        "workflows" => Some("workflow"),
        "repository_documents" => Some("document"),
        "webhooks" => Some("webhook"),
        // The id in a download address may differ from the id of the document.
        "agreements" => Some(OTHER),
        _ => None,
    }
}

/// The kind of the identifier in a member of `object`; `None` if the member has no identifier.
///
/// `is_upload`: the object is the `data` of the response to an upload, which has `success` and no `type`.
pub(crate) fn of_member(
    object: &Map<String, Value>,
    member: &str,
    is_upload: bool,
) -> Option<&'static str> {
    match member {
        "id" => Some(match object.get("type").and_then(Value::as_str) {
            Some(name) => of_type(name),
            None if is_upload => "document",
            None => OTHER,
        }),
        "access_token" | "refresh_token" => Some("token"),
        "request_id" if is_problem(object) => Some("request-id"),
        "request_id" | "legal_request_id" => Some("request"),
        "workflow_id" => Some("workflow"),
        "document_id" | "repository_document_id" => Some("document"),
        "webhook_id" => Some("webhook"),
        other if other.ends_with("_id") => Some(OTHER),
        _ => None,
    }
}

/// Whether an object is a problem, whose `request_id` identifies the HTTP call.
fn is_problem(object: &Map<String, Value>) -> bool {
    ["title", "detail", "instance"].iter().any(|member| object.contains_key(*member))
}

/// Whether a list has resources. Then only the merged shape of its items is stable.
pub(crate) fn is_resource_list(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.get("type").is_some_and(Value::is_string))
}
