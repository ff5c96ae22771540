//! The document that a check judges: a response, or a value made of many responses.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use moot_fixtures::media_type::essence;
use serde_json::Value;

use crate::exchange::{Exchange, ReceivedResponse};

/// A response of the service, or a value made of many responses (pages, a burst, deliveries).
///
/// A value made of many responses has only `json`, and perhaps a `request_line` and an `operation`.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The HTTP status.
    pub status: Option<u16>,
    /// In the order received, with names in lower case. The values are not masked.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body, or its beginning.
    pub body: Bytes,
    /// SHA-256 of the whole body, if `body` is only its beginning.
    pub digest: Option<String>,
    /// The body as JSON, or the value.
    pub json: Option<Arc<Value>>,
    /// What a value that is no response is about, as the start of a sentence: `of 1500 calls in a burst`.
    pub about: Option<String>,
    /// The request: `GET /v1/webhooks`.
    pub request_line: Option<String>,
    /// The operation of the request, if it is one of the contract.
    pub operation: Option<Operation>,
    /// `{method, path}` of the operation on the target. `None` if the call failed.
    pub endpoint: Option<Value>,
    /// The exchange that reports show with the checks of this document.
    pub exchange: Option<Arc<Exchange>>,
}

impl Document {
    /// A document that consists of a value.
    pub fn of_value(value: Value) -> Self {
        Self { json: Some(Arc::new(value)), ..Self::default() }
    }

    /// All values of a header, joined by a comma (RFC 9110 §5.3). `name` is in lower case.
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
            digest: response.digest.clone(),
            json: response.json.clone(),
            ..Self::default()
        }
    }
}

/// All values of a header, joined by a comma.
pub(super) fn joined(headers: &[(String, String)], name: &str) -> Option<String> {
    let values: Vec<&str> = headers
        .iter()
        .filter(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The media type in `Content-Type`: in lower case, without parameters.
pub(super) fn media_type(headers: &[(String, String)]) -> Option<String> {
    let value = joined(headers, "content-type")?;
    Some(essence(&value).to_ascii_lowercase())
}

/// Whether a media type is `application/json` or has the suffix `+json`.
pub(super) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
