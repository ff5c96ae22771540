//! Edits of a response: an operator at a place.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::filter::{ReplyContext, ResponseFilter};
use super::operator::Operator;
use super::place::{self, ResponsePlace};
use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::value::message::response::{Response, ResponseBody};

/// An operator at a place of the responses that a filter selects.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponseEdit {
    #[serde(default)]
    pub(super) responses: ResponseFilter,
    pub(super) at: ResponsePlace,
    pub(super) by: Operator,
}

impl ResponseEdit {
    /// Edits a response if the filter selects it.
    pub(super) fn apply(&self, context: &ReplyContext<'_>, response: &mut Response) {
        if !self.responses.holds(context, response) {
            return;
        }
        match &self.at {
            ResponsePlace::Status => response.status = self.by.on_status(response.status),
            ResponsePlace::Header(name) => self.by.on_header(&mut response.headers, name),
            ResponsePlace::Body => match (&response.body, &self.by) {
                (ResponseBody::Bytes(bytes), by) => {
                    response.body = ResponseBody::Bytes(by.on_bytes(bytes).into());
                }
                (ResponseBody::Content(_), Operator::Set(Value::String(text))) => {
                    let content = Content::in_memory(text.clone().into());
                    response.body = ResponseBody::Content(content);
                }
                // The other operators need the bytes in memory.
                (ResponseBody::Content(_), _) => {}
            },
            ResponsePlace::Json(segments) => rewrite(response, |body| {
                let before = body.clone();
                place::visit(body, segments, &mut |value, name| match name {
                    Some(name) => self.by.on_member(&before, value, name),
                    None => self.by.on_value(&before, value),
                });
            }),
        }
    }
}

/// The JSON body of a response; `None` if it has none.
pub(super) fn json(response: &Response) -> Option<Value> {
    let ResponseBody::Bytes(bytes) = &response.body else { return None };
    serde_json::from_slice(bytes).ok()
}

/// Rewrites the JSON body of a response, if it has one. Its bytes stay the same where nothing changes.
pub(super) fn rewrite(response: &mut Response, edit: impl FnOnce(&mut Value)) {
    let ResponseBody::Bytes(bytes) = &response.body else { return };
    let Ok(before) = serde_json::from_slice::<Value>(bytes) else { return };
    let mut after = before.clone();
    edit(&mut after);
    if after != before {
        response.body = ResponseBody::Bytes(Bytes::from(json_bytes(&after)));
    }
}
