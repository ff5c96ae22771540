//! The document that a check judges: an answer, or one value made of many answers.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::exchange::ReceivedResponse;

/// An answer of the service, or a document made of many (pages, a burst, deliveries).
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// HTTP status; `None` where no single answer is meant.
    pub status: Option<u16>,
    /// In the order received, names lower case, true values.
    pub headers: Vec<(String, String)>,
    /// The bytes; empty where no single answer is meant.
    pub body: Bytes,
    /// The body as JSON, or the value itself.
    pub json: Option<Arc<Value>>,
    /// What was asked: `GET /v1/webhooks`. `None` where no single answer is meant.
    pub request_line: Option<String>,
    /// What was asked, where it is an operation of the contract.
    pub operation: Option<Operation>,
    /// `{method, path}` of that operation on the target, where it succeeded.
    pub endpoint: Option<Value>,
}

impl Document {
    /// A document that is a value: pointers look into the value itself.
    pub fn of_value(value: Value) -> Self {
        Self { json: Some(Arc::new(value)), ..Self::default() }
    }

    /// Every value of this header, joined by a comma (RFC 9110 §5.3); `name` in lower case.
    pub fn header(&self, name: &str) -> Option<String> {
        joined(&self.headers, name)
    }
}

impl From<&ReceivedResponse> for Document {
    fn from(response: &ReceivedResponse) -> Self {
        Self {
            status: Some(response.status),
            headers: response.headers.clone(),
            body: response.body.clone(),
            json: response.json.clone(),
            request_line: None,
            operation: None,
            endpoint: None,
        }
    }
}

/// Every value of a header, joined by a comma.
pub(super) fn joined(headers: &[(String, String)], name: &str) -> Option<String> {
    let values: Vec<&str> = headers
        .iter()
        .filter(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The media type of a `Content-Type`: lower case, without parameters.
pub(super) fn media_type(headers: &[(String, String)]) -> Option<String> {
    let value = joined(headers, "content-type")?;
    let essence = value.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

/// Whether a media type is JSON: `application/json`, or any with the suffix `+json`.
pub(super) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
