//! Applying the effects of a fault to a response.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::{FailedStatus, FaultEffect};
use crate::value::message::json::json_bytes;
use crate::value::message::problem::Problem;
use crate::value::message::responder::Responder;
use crate::value::message::response::{Response, ResponseBody, TransportFault};
use crate::value::timestamp;

/// The page that a gateway sends in place of the service.
const GATEWAY_PAGE: &str = "<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body>\r\n\
    <center><h1>Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";

/// The response after all effects, in their order. `None` if none of them can damage it.
pub(crate) fn damage(
    responder: &Responder<'_>,
    operation: Option<Operation>,
    effects: &[FaultEffect],
    response: &Response,
) -> Option<Response> {
    let mut damaged = None;
    for effect in effects {
        let current = damaged.as_ref().unwrap_or(response);
        if let Some(next) = with_effect(responder, operation, effect, current) {
            damaged = Some(next);
        }
    }
    damaged
}

fn with_effect(
    responder: &Responder<'_>,
    operation: Option<Operation>,
    effect: &FaultEffect,
    response: &Response,
) -> Option<Response> {
    match effect {
        FaultEffect::Status(failed) | FaultEffect::CommitThenFail(Some(failed)) => {
            let failure = failure(responder, operation, failed);
            Some(Response { transport: response.transport.clone(), ..failure })
        }
        FaultEffect::Redirect { status, location } => {
            let mut redirect = responder.empty(status.as_u16());
            redirect.headers.push((LOCATION, location.clone()));
            Some(Response { transport: response.transport.clone(), ..redirect })
        }
        FaultEffect::ResetBefore | FaultEffect::CommitThenFail(None) => {
            Some(carried(response, TransportFault::ResetBefore))
        }
        FaultEffect::Close => Some(carried(response, TransportFault::Close)),
        FaultEffect::Garbage => Some(carried(response, TransportFault::Garbage)),
        FaultEffect::Stall { milliseconds } => {
            let delay = TransportFault::Delay { milliseconds: *milliseconds };
            Some(carried(&carried(response, delay), TransportFault::Close))
        }
        FaultEffect::Delay { milliseconds } => {
            Some(carried(response, TransportFault::Delay { milliseconds: *milliseconds }))
        }
        FaultEffect::SlowBody { milliseconds } => {
            of_body(response, TransportFault::SlowBody { milliseconds: *milliseconds })
        }
        FaultEffect::Truncate => of_body(response, TransportFault::Truncate),
        FaultEffect::ResetDuring => of_body(response, TransportFault::ResetDuring),
        FaultEffect::WrongContentType { content_type } => with_type(response, content_type),
        FaultEffect::HtmlPage => {
            let page = with_type(response, &HeaderValue::from_static("text/html"))?;
            Some(with_bytes(&page, Bytes::from_static(GATEWAY_PAGE.as_bytes())))
        }
        FaultEffect::MalformedJson => {
            let (bytes, _) = json_of(response)?;
            Some(with_bytes(response, bytes.slice(..bytes.len() / 2)))
        }
        FaultEffect::MissingMember { pointer } => {
            edited(response, |json| removed(json, pointer).map(drop))
        }
        FaultEffect::ExtraMember { pointer, value } => {
            edited(response, |json| added(json, pointer, value))
        }
    }
}

fn failure(
    responder: &Responder<'_>,
    operation: Option<Operation>,
    failed: &FailedStatus,
) -> Response {
    let FailedStatus { status, problem, retry_after_seconds, is_retry_after_date } = failed;
    let mut response = responder.problem(&Problem::injected(operation, *status, problem));
    // No rule of the service refused it.
    response.refused = None;
    let retry_after = retry_after_seconds.map(|seconds| match is_retry_after_date {
        true => timestamp::retry_date(responder.now, seconds),
        false => HeaderValue::from(seconds),
    });
    let retry_after = retry_after.map(|value| (RETRY_AFTER, value));
    response.headers.extend(retry_after);
    response
}

fn carried(response: &Response, transport: TransportFault) -> Response {
    let mut carried = response.clone();
    carried.transport.push(transport);
    carried
}

/// A body of less than two bytes cannot be cut in the middle.
fn of_body(response: &Response, transport: TransportFault) -> Option<Response> {
    let length = match &response.body {
        ResponseBody::Bytes(bytes) => bytes.len() as u64,
        ResponseBody::Content(content) => content.length,
    };
    (length >= 2).then(|| carried(response, transport))
}

fn with_type(response: &Response, content_type: &HeaderValue) -> Option<Response> {
    let mut response = response.clone();
    let (_, value) = response.headers.iter_mut().find(|(name, _)| *name == CONTENT_TYPE)?;
    *value = content_type.clone();
    Some(response)
}

fn with_bytes(response: &Response, bytes: Bytes) -> Response {
    Response { body: ResponseBody::Bytes(bytes), ..response.clone() }
}

fn json_of(response: &Response) -> Option<(Bytes, Value)> {
    let ResponseBody::Bytes(bytes) = &response.body else { return None };
    let json: Value = serde_json::from_slice(bytes).ok()?;
    (json.is_object() || json.is_array()).then(|| (bytes.clone(), json))
}

fn edited(response: &Response, edit: impl FnOnce(&mut Value) -> Option<()>) -> Option<Response> {
    let (_, mut json) = json_of(response)?;
    edit(&mut json)?;
    Some(with_bytes(response, json_bytes(&json).into()))
}

fn removed(json: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, name) = pointer.rsplit_once('/')?;
    json.pointer_mut(parent)?.as_object_mut()?.shift_remove(&unescaped(name))
}

/// Adds a member, unless it exists.
fn added(json: &mut Value, pointer: &str, value: &Value) -> Option<()> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let (parent, name) = (json.pointer_mut(parent)?.as_object_mut()?, unescaped(name));
    if parent.contains_key(&name) {
        return None;
    }
    parent.insert(name, value.clone());
    Some(())
}

/// RFC 6901 §4.
fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}
