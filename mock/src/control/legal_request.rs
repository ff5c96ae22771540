//! Shows, adds and changes legal requests.

use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;
use serde_json::{Map, Value, json};

use super::{Refusal, parties};
use crate::value::settings::Progression;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::activity::ActivityKind;
use crate::world::state::resource::legal_request::StoredFile;
use crate::world::state::resource::progression_plan::ProgressionPlan;
use crate::world::state::resource::status_way;
use crate::world::{World, transition};

/// The newest legal requests. `count` is the number of all that match. Shape: `{"count",
/// "legal_requests": [{"id", "company", "workflow_id", "name", "status", "created_at", "transitions",
/// "next_step_at"}]}`.
pub(super) fn list(world: &World, status: Option<LegalRequestStatus>, limit: usize) -> Value {
    let has_status = |record: &&LegalRequest| status.is_none_or(|status| record.status == status);
    let shown: Vec<Value> = newest_first(world)
        .filter(has_status)
        .take(limit)
        .map(|record| summary(world, record))
        .collect();
    json!({ "count": newest_first(world).filter(has_status).count(), "legal_requests": shown })
}

fn newest_first(world: &World) -> impl Iterator<Item = &LegalRequest> {
    let rows = &world.state().legal_requests;
    (0..rows.next_row()).rev().filter_map(|row| rows.get(row).map(AsRef::as_ref))
}

fn summary(world: &World, record: &LegalRequest) -> Value {
    json!({
        "id": record.id,
        "company": parties::company_name(world, record.company),
        "workflow_id": world.seed_data().workflow_id(record.workflow),
        "name": record.name,
        "status": record.status,
        "created_at": record.created_at,
        "transitions": status_way::next(world.answers(), record.status),
        "next_step_at": record.next_step_at(),
    })
}

/// Adds a copy of a company's newest legal request, as a draft with its own id and without progression.
pub(super) fn add(
    world: &mut World,
    now: Timestamp,
    company: Option<&str>,
) -> Result<Value, Refusal> {
    let company = parties::company_of(world, company)?;
    let newest = newest_first(world).find(|record| record.company == company).ok_or_else(|| {
        Refusal::conflict("the company has no legal request to copy: create one first")
    })?;
    let (row, id) =
        world.fresh_legal_request().ok_or_else(|| Refusal::conflict("the world is full"))?;
    let record = LegalRequest {
        row,
        status: LegalRequestStatus::Draft,
        created_at: now,
        progression: None,
        activity: transition::first_log(world, row, now),
        logged: 1,
        document: None,
        id: id.clone(),
        ..LegalRequest::clone(newest)
    };
    world.apply(vec![Change::from(record)]);
    Ok(summary(world, find(world, &id)?))
}

/// A legal request with all its data. Shape: `{"id", "company", "workflow_id", "name", "description", "status",
/// "created_at", "fields": {}, "variables": {}, "internal_signers": [], "files": [{"name",
/// "content_type", "length", "sha256", "role", "disposition"}], "merge", "activity": [],
/// "transitions": [], "next_step_at"}`.
pub(super) fn view(world: &World, id: &str) -> Result<Value, Refusal> {
    let record = find(world, id)?;
    let answers = world.answers();
    let submission = &record.submission;
    let variables = submission.variables.iter();
    let variables: Map<_, _> =
        variables.map(|(name, value)| (name.clone(), value.value())).collect();
    let activity: Vec<_> = record.activity.iter().map(|entry| entry.json(answers)).collect();
    Ok(json!({
        "id": record.id,
        "company": parties::company_name(world, record.company),
        "workflow_id": world.seed_data().workflow_id(record.workflow),
        "name": record.name,
        "description": record.description,
        "status": record.status,
        "created_at": record.created_at,
        "fields": submission.texts,
        "variables": variables,
        "internal_signers": submission.signers,
        "files": submission.files.iter().map(file).collect::<Vec<_>>(),
        "merge": submission.merge,
        "activity": activity,
        "transitions": status_way::next(answers, record.status),
        "next_step_at": record.next_step_at(),
    }))
}

/// Changes the status. Shape: as [`view`].
pub(super) fn set_status(
    world: &mut World,
    now: Timestamp,
    id: &str,
    status: LegalRequestStatus,
    comment: Option<String>,
    force: bool,
) -> Result<Value, Refusal> {
    let record = find(world, id)?;
    let legal = status_way::next(world.answers(), record.status);
    if !force && !legal.contains(&status) {
        let names: Vec<&str> = legal.iter().map(|status| status.as_str()).collect();
        return Err(Refusal::conflict(format!(
            "from `{}` to `{}` is not a legal change; {}; `force` makes it anyway",
            record.status.as_str(),
            status.as_str(),
            if names.is_empty() {
                "nothing follows that status".to_owned()
            } else {
                format!("legal are {}", names.join(", "))
            },
        )));
    }
    let (changes, _) = transition::change_status(world, now, record.clone(), status, comment);
    world.apply(changes);
    view(world, id)
}

/// Changes the progression of a request. Shape: as [`view`].
pub(super) fn set_progression(
    world: &mut World,
    now: Timestamp,
    id: &str,
    progression: Progression,
) -> Result<Value, Refusal> {
    let mut record = LegalRequest::clone(find(world, id)?);
    record.progression = ProgressionPlan::of(progression, &record.submission.texts, now)
        .filter(|plan| plan.goal != record.status && progression != Progression::Manual);
    world.apply(vec![Change::from(record)]);
    world.perform_due(now);
    view(world, id)
}

/// Adds a comment. Shape: as [`view`].
pub(super) fn comment(
    world: &mut World,
    now: Timestamp,
    id: &str,
    text: String,
) -> Result<Value, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::invalid("`comment` must not be empty"));
    }
    let mut record = LegalRequest::clone(find(world, id)?);
    transition::log(world, &mut record, now, ActivityKind::Comment, Some(text));
    world.apply(vec![Change::from(record)]);
    view(world, id)
}

fn find<'w>(world: &'w World, id: &str) -> Result<&'w LegalRequest, Refusal> {
    world
        .legal_request(id)
        .map(AsRef::as_ref)
        .ok_or_else(|| Refusal::unknown(format!("there is no legal request `{id}`")))
}

fn file(file: &StoredFile) -> Value {
    json!({
        "name": file.name,
        "content_type": file.content_type,
        "length": file.content.length,
        "sha256": file.content.hex_digest(),
        "role": file.role,
        "disposition": file.disposition,
    })
}
