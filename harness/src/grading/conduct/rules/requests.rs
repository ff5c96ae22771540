//! Rules about creating legal requests and documents.

use std::collections::BTreeMap;

use moot_fixtures::contract::{CREATE_REQUEST_FIELDS, Operation};
use moot_fixtures::journal::RuleGroup;
use moot_fixtures::nearest::{alike, ending};
use serde_json::Value;

use super::super::evidence::{ConductEvidence, REPEATED_MIN, of_calls, of_texts};
use super::super::journal::JournalCall;
use super::super::world_journal::WorldJournal;

/// The fields of an upload (§4.9).
const UPLOAD_FIELDS: [&str; 3] = ["file", "url", "metadata"];
/// Fields that the lists of a schema do not have to name.
const FIELDS_OF_ALL: [&str; 3] = ["workflow_id", "requester_email", "variables"];
const JSON_FIELDS: [&str; 2] = ["variables", "metadata"];
const SIGNER_FIELDS: [&str; 2] = ["internal_signer_email", "internal_signer_emails[]"];

/// Each creation with a valid token and scope, with its workflow, and the schema of it that was read last.
fn creations(world: &WorldJournal) -> Vec<(&JournalCall, &str, Option<&Value>)> {
    let mut schemas: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut creations = Vec::new();
    for call in &world.calls {
        if let (true, Some(id)) = (call.did(Operation::GetWorkflowSchema), call.id()) {
            let inner = call.answer.get("data").unwrap_or(&call.answer);
            schemas.insert(id, inner);
        }
        let is_judged = call.operation == Some(Operation::CreateLegalRequest)
            && call.application.is_some()
            && !matches!(
                call.refused_by,
                Some(RuleGroup::Limit | RuleGroup::Token | RuleGroup::Scope)
            )
            && !call.request.expects_refusal;
        if let Some(workflow) = call.field("workflow_id").filter(|_| is_judged) {
            creations.push((call, workflow, schemas.get(workflow).copied()));
        }
    }
    creations
}

pub(super) fn schema_unread(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    if world.forgotten > 0 {
        return Vec::new();
    }
    let unread = creations(world)
        .into_iter()
        .filter(|(call, _, schema)| schema.is_none() && call.status != 404)
        .map(|(call, _, _)| call);
    of_calls(unread, "creation", "before the workflow's schema was read")
}

/// Evidence if the service accepted one of these calls, or if there are several of them. A test may provoke one or
/// two refusals.
fn served_or_repeated<'j>(
    calls: Vec<&'j JournalCall>,
    noun: &str,
    what: &str,
) -> Vec<ConductEvidence<'j>> {
    let is_served = calls.iter().any(|call| call.status < 300);
    if is_served || calls.len() >= REPEATED_MIN { of_calls(calls, noun, what) } else { Vec::new() }
}

pub(super) fn field_not_listed(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut first = None;
    let mut calls = Vec::new();
    for (call, _, schema) in creations(world) {
        let Some(wrong) = schema.and_then(|schema| wrong_field(call, schema)) else { continue };
        first.get_or_insert(wrong);
        calls.push(call);
    }
    let what = format!("against the schema: {}", first.unwrap_or_default());
    served_or_repeated(calls, "creation", &what)
}

/// A field that the schema does not list, or a required field that is missing.
fn wrong_field(call: &JournalCall, schema: &Value) -> Option<String> {
    let names = |key: &str| -> Vec<&str> {
        schema[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let (required, optional) = (names("required_fields"), names("optional_fields"));
    let sent = |name: &str| call.request.parts.iter().any(|part| part.name == name);
    if let Some(missing) = required.iter().find(|name| !sent(name)) {
        return Some(format!("`{missing}` is missing"));
    }
    let unlisted = CREATE_REQUEST_FIELDS.into_iter().map(|(name, _)| name).find(|name| {
        sent(name)
            && !FIELDS_OF_ALL.contains(name)
            && !required.contains(name)
            && !optional.contains(name)
    });
    unlisted.map(|name| format!("`{name}` is not listed"))
}

pub(super) fn unknown_field(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut found = Vec::new();
    for call in world.calls.iter().filter(|call| !call.request.expects_refusal) {
        let known: Vec<&str> = match call.operation {
            Some(Operation::CreateLegalRequest) => {
                CREATE_REQUEST_FIELDS.into_iter().map(|(name, _)| name).collect()
            }
            Some(Operation::CreateRepositoryDocument) => UPLOAD_FIELDS.to_vec(),
            _ => continue,
        };
        for part in &call.request.parts {
            let name = part.name.as_str();
            if known.contains(&name) || name == "access_token" {
                continue;
            }
            let list = format!("{name}[]");
            let right = known.iter().copied().find(|known| *known == list);
            let hint = ending(right.or_else(|| alike(name, known.iter().copied())));
            found.push((call, format!("`{name}` is not a field of {}{hint}", call.name())));
        }
    }
    of_texts(found)
}

pub(super) fn signer_not_offered(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let wrong = creations(world).into_iter().filter(|(call, _, schema)| {
        schema.is_some_and(|schema| {
            SIGNER_FIELDS.iter().any(|name| is_not_offered(call, schema, name))
        })
    });
    let calls: Vec<_> = wrong.map(|(call, _, _)| call).collect();
    served_or_repeated(calls, "creation", "with a signer who is not an option")
}

fn is_not_offered(call: &JournalCall, schema: &Value, name: &str) -> bool {
    let options = &schema["fields_properties"][name]["properties"]["options"];
    let Some(options) = options.as_array() else { return false };
    let sent = call.request.parts.iter().filter(|part| part.name == name);
    sent.filter_map(|part| part.text.as_deref())
        .any(|signer| options.iter().all(|option| option.as_str() != Some(signer)))
}

pub(super) fn unpublished_used(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut statuses: BTreeMap<&str, &str> = BTreeMap::new();
    let mut calls = Vec::new();
    for call in &world.calls {
        let workflows = call.rows().iter().chain([&call.answer["data"]]);
        for row in workflows.filter(|row| row["type"] == "workflow") {
            let id = row["id"].as_str();
            statuses.extend(id.zip(row["attributes"]["status"].as_str()));
        }
        let is_creation =
            call.operation == Some(Operation::CreateLegalRequest) && !call.request.expects_refusal;
        let workflow = call.field("workflow_id").filter(|_| is_creation);
        if workflow.and_then(|id| statuses.get(id)) == Some(&"unpublished") {
            calls.push(call);
        }
    }
    served_or_repeated(calls, "creation", "with a workflow that a list showed as `unpublished`")
}

pub(super) fn bad_json_field(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_bad = |call: &&JournalCall| {
        let parts = call.request.parts.iter();
        call.is_creation()
            && !call.request.expects_refusal
            && parts.filter(|part| JSON_FIELDS.contains(&part.name.as_str())).any(|part| {
                let text = part.text.as_deref().unwrap_or_default();
                // The journal may have cut the text.
                let is_whole = text.len() as u64 == part.length;
                let json: Result<Value, _> = serde_json::from_str(text);
                is_whole && !json.is_ok_and(|json| json.is_object())
            })
    };
    let calls: Vec<_> = world.calls.iter().filter(is_bad).collect();
    served_or_repeated(calls, "form", "with a field that holds no JSON object")
}
