//! Drills: additions that a service may make without notice (§9). With them a test checks that its client ignores
//! unknown data. A drill changes nothing that the specification states.

use http::header::{HeaderName, HeaderValue};
use moot_fixtures::contract::{Operation, ProblemType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::value::message::json::json_bytes;
use crate::value::message::response::{Response, ResponseBody};

/// The unknown member.
const MEMBER: &str = "moot_unknown_member";
/// The unknown header and its value.
const HEADER: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-moot-unknown-header"), HeaderValue::from_static("drill"));
/// The unknown `action` of an activity entry.
const ACTION: &str = "moot_unknown_action";
/// The unknown event kind.
pub(crate) const EVENT: &str = "moot_unknown_event";
/// The unknown `type` of a problem.
const PROBLEM: &str = "moot_unknown_problem";

/// The active additions. Shape: `{"members", "values", "events", "headers", "problems"}`, each
/// true or false; absent is false.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Drills {
    // The objects with a shape of §2, except `attributes` in the response to a creation (§2.1).
    /// `true`: an unknown member in every object of a response
    pub members: bool,
    // Statuses are not extended: §3 lists all of them.
    /// `true`: an unknown activity action, and webhook event
    pub values: bool,
    /// `true`: every event is followed by one of an unknown kind
    pub events: bool,
    /// `true`: an unknown header
    pub headers: bool,
    /// `true`: problems whose `type` is not in §7 have an unknown `type`
    pub problems: bool,
}

/// The response with the additions of these drills.
pub(crate) fn added(
    drills: Drills,
    operation: Option<Operation>,
    mut response: Response,
) -> Response {
    if drills.headers {
        response.headers.push(HEADER);
    }
    if !(drills.members || drills.values || drills.problems) {
        return response;
    }
    let ResponseBody::Bytes(bytes) = &response.body else { return response };
    // A downloaded document is never changed, even if it is JSON.
    if operation == Some(Operation::DownloadAgreement) && response.status.is_success() {
        return response;
    }
    let Ok(Value::Object(mut body)) = serde_json::from_slice(bytes) else { return response };
    if drills.problems && is_of_open_type(&body) {
        body.insert("type".to_owned(), PROBLEM.into());
    }
    let rows = match body.get_mut("data") {
        Some(Value::Array(rows)) => rows.as_mut_slice(),
        Some(row) => std::slice::from_mut(row),
        None => &mut [],
    };
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        let is_created = operation == Some(Operation::CreateLegalRequest);
        if let Some(Value::Object(attributes)) = row.get_mut("attributes") {
            if drills.values {
                add_values(attributes);
            }
            if drills.members && !is_created {
                add_member(attributes);
            }
        }
        if drills.members {
            add_member(row);
        }
    }
    if drills.members {
        if let Some(Value::Object(pagination)) = body.get_mut("pagination") {
            add_member(pagination);
        }
        add_member(&mut body);
    }
    response.body = ResponseBody::Bytes(json_bytes(&body).into());
    response
}

fn add_member(object: &mut Map<String, Value>) {
    object.insert(MEMBER.to_owned(), json!({ "added": true }));
}

fn add_values(attributes: &mut Map<String, Value>) {
    if let Some(action) = attributes.get_mut("action")
        && *action != "status_change"
    {
        *action = ACTION.into();
    }
    if let Some(Value::Array(events)) = attributes.get_mut("events") {
        events.push(EVENT.into());
    }
}

/// Whether it is a problem whose `type` is not in §7.
fn is_of_open_type(body: &Map<String, Value>) -> bool {
    let Some(named) = body.get("type").and_then(Value::as_str) else { return false };
    body.contains_key("title") && ProblemType::STATED.iter().all(|known| known.as_str() != named)
}
