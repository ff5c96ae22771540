//! Defects of what is stored: uploads, and documents that result from requests.

use std::sync::Arc;

use super::CodeRow;
use super::DefectCode::Change as OnChange;
use super::deliveries::without;
use crate::world::World;
use crate::world::state::change::Change;
use crate::world::state::resource::{LegalRequest, RepositoryDocument};
use crate::world::transition::stored_document;

pub(super) const ROWS: &[CodeRow] = &[
    ("service.uploads-lost", OnChange(uploads_lost)),
    ("service.drafts-stored", OnChange(drafts_stored)),
    ("states.archived-without-document", OnChange(archived_without_document)),
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

/// Puts a document of each new request into the repository.
fn drafts_stored(world: &World, mut changes: Vec<Change>) -> Vec<Change> {
    let draft = changes.iter().find_map(|change| match change {
        Change::PutLegalRequest { row, record } => {
            world.state().legal_requests.get(*row).is_none().then_some(record)
        }
        _ => None,
    });
    let created = draft.and_then(|draft| Some((draft, draft.activity.first()?.at)));
    let stored = created.and_then(|(draft, at)| stored_document(world, at, draft));
    changes.extend(stored.map(|(_, change)| change));
    changes
}

fn archived_without_document(_: &World, changes: Vec<Change>) -> Vec<Change> {
    match changes.iter().any(|change| matches!(change, Change::PutLegalRequest { .. })) {
        true => without(changes, |change| matches!(change, Change::PutRepositoryDocument { .. })),
        false => changes,
    }
}

/// Whether a request that exists changes its status.
pub(super) fn is_moved(world: &World, row: u32, record: &LegalRequest) -> bool {
    let before = world.state().legal_requests.get(row);
    before.is_some_and(|before| before.status() != record.status())
}
