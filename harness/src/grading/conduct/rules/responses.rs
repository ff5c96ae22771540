//! Rules about reading responses: ids, addresses and parameters.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use moot_fixtures::journal::RuleGroup;
use moot_fixtures::nearest::{alike, nearest};
use serde_json::Value;

use super::super::evidence::{ConductEvidence, REPEATED_MIN, of_calls, of_texts};
use super::super::journal::JournalCall;
use super::super::world_journal::WorldJournal;

/// Parameters that other rules judge.
const SECRET_PARAMETERS: [&str; 3] = ["access_token", "token", "client_secret"];

pub(super) fn reads_id_shape(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    if world.forgotten > 0 {
        return Vec::new();
    }
    let mut named = BTreeSet::new();
    world.calls.iter().for_each(|call| collect_ids(&call.answer, &mut named));
    let mut unknown: Vec<&JournalCall> = Vec::new();
    for call in world.calls.iter().filter(|call| call.is_refused() && call.status == 404) {
        let is_new = |id: &str| !named.contains(id) && unknown.iter().all(|it| it.id() != Some(id));
        if call.operation != Some(Operation::DownloadAgreement) && call.id().is_some_and(is_new) {
            unknown.push(call);
        }
    }
    if unknown.len() < REPEATED_MIN {
        return Vec::new();
    }
    of_calls(unknown, "unknown id", "that no response named")
}

fn collect_ids<'a>(value: &'a Value, ids: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            ids.extend(members.get("id").and_then(Value::as_str));
            members.values().for_each(|member| collect_ids(member, ids));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        _ => {}
    }
}

pub(super) fn unknown_address(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    // A HEAD before a download, and the OPTIONS of a browser, go to right addresses.
    let is_lost = |call: &&JournalCall| {
        call.operation.is_none()
            && call.is_refused()
            && call.refused_by == Some(RuleGroup::Route)
            && !["HEAD", "OPTIONS"].contains(&call.method.as_str())
    };
    let mut by_right: BTreeMap<_, ConductEvidence<'_>> = BTreeMap::new();
    for call in world.calls.iter().filter(is_lost) {
        let (path, query) = path_and_query(&call.path);
        let Some(right) = right_operation(&call.method, path) else { continue };
        // This service does not have the operation, as §5.3 allows for the revocation of a token.
        if right.method().as_str() == call.method && right.path() == call.path {
            continue;
        }
        let shown = format!("{} {}{query}", right.method(), right.path());
        let seen = || format!("{} {}; did you mean `{shown}`?", call.method, call.path);
        let evidence = by_right.entry((&call.method, right));
        evidence.or_insert_with(|| ConductEvidence::new(Vec::new(), seen())).calls.push(call);
    }
    let mut found: Vec<_> = by_right.into_values().collect();
    found.sort_by_key(|evidence| evidence.calls[0].serial);
    found
}

/// The operation with the nearest path.
fn right_operation(method: &str, sent: &str) -> Option<Operation> {
    // Each segment may be the id.
    let ids = || sent.split('/').filter(|segment| !segment.is_empty());
    let paths: Vec<(Operation, String)> = Operation::ALL
        .into_iter()
        .flat_map(|operation| {
            ids().map(move |id| (operation, operation.path().replace("{id}", id)))
        })
        .collect();
    let same_method = || paths.iter().filter(|(operation, _)| operation.method() == method);
    let mut alike = same_method().chain(&paths);
    if let Some((operation, _)) = alike.find(|(_, path)| path == sent) {
        return Some(*operation);
    }
    let near = nearest(sent, same_method().map(|(_, path)| path))?;
    same_method().find(|(_, path)| path == near).map(|(operation, _)| *operation)
}

/// The path without a slash at its end, and its query if that begins with `&` or an encoded `?`.
fn path_and_query(path: &str) -> (&str, String) {
    let begins = ["&", "%3F", "%3f"].map(|mark| path.find(mark).map(|place| (place, mark.len())));
    let (path, query) = match begins.into_iter().flatten().min() {
        Some((place, length)) => (&path[..place], format!("?{}", &path[place + length..])),
        None => (path, String::new()),
    };
    (path.trim_end_matches('/'), query)
}

pub(super) fn unknown_parameter(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut found = Vec::new();
    for call in &world.calls {
        let Some(operation) = call.operation else { continue };
        // `secret-in-address` judges a whole form in the query.
        let is_form_in_query = operation == Operation::CreateAccessToken
            && call.parameters().iter().any(|(name, _)| name == "client_secret");
        if operation == Operation::DownloadAgreement || is_form_in_query {
            continue;
        }
        let known = parameters(operation);
        for (name, _) in call.parameters() {
            if known.contains(&name.as_str()) || SECRET_PARAMETERS.contains(&name.as_str()) {
                continue;
            }
            let hint = match alike(name.as_str(), known.iter().copied()) {
                Some(near) => format!("; did you mean `{near}`?"),
                None if known.is_empty() => "; it has none".to_owned(),
                None => format!("; it has `{}`", known.join("`, `")),
            };
            let operation = operation.as_str();
            found.push((call, format!("`{name}` is not a parameter of {operation}{hint}")));
        }
    }
    of_texts(found)
}

/// The query parameters of an operation (§4).
fn parameters(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::ListWorkflows | Operation::ListLegalRequests => &["page", "status"],
        _ if operation.is_list() => &["page"],
        _ => &[],
    }
}
