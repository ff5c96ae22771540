//! Defects of what is stored: activity logs, documents that result from requests, revocations.

use std::sync::Arc;

use super::CodeRow;
use super::DefectCode::Change as OnChange;
use super::deliveries::without;
use crate::resource::activity::{Activity, ActivityKind};
use crate::resource::{LegalRequest, RepositoryDocument};
use crate::state::change::Change;
use crate::value::short_id::ShortId;
use crate::world::World;

pub(super) const ROWS: &[CodeRow] = &[
    ("service.uploads-lost", OnChange(uploads_lost)),
    (
        "states.change-not-recorded",
        OnChange(|world, changes| edit_logs(world, changes, |log| drop(log.pop()))),
    ),
    ("states.archived-without-document", OnChange(archived_without_document)),
    ("activity.change-twice", OnChange(|world, changes| edit_logs(world, changes, repeat_last))),
    (
        "activity.names-former-status",
        OnChange(|world, changes| edit_logs(world, changes, |log| swap_statuses(log))),
    ),
];

/// Gives uploads to a company that does not exist.
fn uploads_lost(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let disowned = |change| match change {
        Change::PutRepositoryDocument { row, record } => {
            let record = RepositoryDocument::clone(&record);
            let record = Arc::new(RepositoryDocument { company: u32::MAX, ..record });
            Change::PutRepositoryDocument { row, record }
        }
        other => other,
    };
    changes.into_iter().map(disowned).collect()
}

fn archived_without_document(_: &World, changes: Vec<Change>) -> Vec<Change> {
    match changes.iter().any(|change| matches!(change, Change::PutLegalRequest { .. })) {
        true => without(changes, |change| matches!(change, Change::PutRepositoryDocument { .. })),
        false => changes,
    }
}

fn repeat_last(log: &mut Vec<Activity>) {
    let twin = log.last().map(|last| Activity { id: reversed(last.id), ..last.clone() });
    log.extend(twin);
}

fn swap_statuses(log: &mut [Activity]) {
    if let Some(last) = log.last_mut()
        && let ActivityKind::StatusChange { from, to } = &mut last.happening
    {
        std::mem::swap(from, to);
    }
}

/// Edits the log of each request that changes its status.
fn edit_logs(
    world: &World,
    changes: Vec<Change>,
    edit: impl Fn(&mut Vec<Activity>),
) -> Vec<Change> {
    let edited = |change| match change {
        Change::PutLegalRequest { row, record } if is_moved(world, row, &record) => {
            let mut record = LegalRequest::clone(&record);
            edit(&mut record.activity);
            Change::PutLegalRequest { row, record: Arc::new(record) }
        }
        other => other,
    };
    changes.into_iter().map(edited).collect()
}

/// Whether a request that exists changes its status.
pub(super) fn is_moved(world: &World, row: u32, record: &LegalRequest) -> bool {
    let before = world.state().legal_requests.get(row);
    before.is_some_and(|before| before.status() != record.status())
}

fn reversed(id: ShortId) -> ShortId {
    let letters: String = id.as_str().chars().rev().collect();
    ShortId::try_from(letters).unwrap_or(id)
}
