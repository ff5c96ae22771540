//! The kind of an identifier, from a resource's `type`, a member's name or a path.

use serde_json::{Map, Value};

/// The kind of value that a placeholder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentifierKind {
    Request,
    Workflow,
    Document,
    Activity,
    Webhook,
    RequestId,
    Token,
    Time,
    /// An identifier of unknown kind.
    Other,
}

impl IdentifierKind {
    /// The word inside the brackets.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Workflow => "workflow",
            Self::Document => "document",
            Self::Activity => "activity",
            Self::Webhook => "webhook",
            Self::RequestId => "request-id",
            Self::Token => "token",
            Self::Time => "time",
            Self::Other => "id",
        }
    }

    /// The kind of a resource with this `type`.
    fn of_type(name: &str) -> Self {
        match name {
            "legal_request" => Self::Request,
            "workflow" => Self::Workflow,
            "repository_document" => Self::Document,
            "activity_log" => Self::Activity,
            "webhook" => Self::Webhook,
            _ => Self::Other,
        }
    }

    /// The kind of the resources below this path segment.
    pub(crate) fn of_collection(segment: &str) -> Option<Self> {
        match segment {
            "requests" => Some(Self::Request),
            "workflows" => Some(Self::Workflow),
            "repository_documents" => Some(Self::Document),
            "webhooks" => Some(Self::Webhook),
            // The id in a download address may differ from the id of the document.
            "agreements" => Some(Self::Other),
            _ => None,
        }
    }

    /// The kind of the identifier in a member of `object`; `None` if the member has no identifier.
    ///
    /// `is_upload`: the object is the `data` of an upload's answer, which has `success` and no `type`.
    pub(crate) fn of_member(
        object: &Map<String, Value>,
        member: &str,
        is_upload: bool,
    ) -> Option<Self> {
        match member {
            "id" => Some(match object.get("type").and_then(Value::as_str) {
                Some(name) => Self::of_type(name),
                None if is_upload => Self::Document,
                None => Self::Other,
            }),
            "access_token" | "refresh_token" => Some(Self::Token),
            "request_id" if is_problem(object) => Some(Self::RequestId),
            "request_id" | "legal_request_id" => Some(Self::Request),
            "workflow_id" => Some(Self::Workflow),
            "document_id" | "repository_document_id" => Some(Self::Document),
            "webhook_id" => Some(Self::Webhook),
            other if other.ends_with("_id") => Some(Self::Other),
            _ => None,
        }
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
