//! Requests and responses for unit tests.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::{ReceivedResponse, SentRequest};

/// A request of this operation, without headers and body.
pub(crate) fn request(operation: Operation) -> SentRequest {
    SentRequest {
        method: operation.method().to_string(),
        url: "http://localhost/v1".to_owned(),
        path: "/v1".to_owned(),
        operation: Some(operation),
        headers: Vec::new(),
        body_shown: String::new(),
        body_length: 0,
        curl: String::new(),
    }
}

/// A response with status 200 and this JSON.
pub(crate) fn response(json: Option<Value>) -> ReceivedResponse {
    ReceivedResponse {
        status: 200,
        headers: Vec::new(),
        body: Bytes::new(),
        json: json.map(Arc::new),
        is_cut: false,
        digest: None,
        peer: None,
    }
}
