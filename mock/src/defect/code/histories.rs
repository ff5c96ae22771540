//! Defects of stored data: documents that result from requests, and data that a restart loses.

use super::DefectCode::{self, Change as OnChange, Restart as OnRestart};
use super::deliveries::without;
use crate::world::World;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::transition::stored_document;

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("service.drafts-stored", OnChange(drafts_stored)),
    ("states.archived-without-document", OnChange(archived_without_document)),
    ("restart.forgets-everything", OnRestart(forget_everything)),
    ("restart.forgets-revocations", OnRestart(forget_revocations)),
];

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

fn forget_everything(world: &mut World) {
    // The settings of a running world are valid, so this is never an error.
    if let Ok(first) = world.at_first() {
        *world = first;
    }
}

fn forget_revocations(world: &mut World) {
    let forget = |serial| Change::ForgetToken { serial };
    let changes = world.state().token_marks.revoked().map(forget).collect();
    world.apply(changes);
}

/// Whether an existing request changes its status.
pub(super) fn is_moved(world: &World, row: u32, record: &LegalRequest) -> bool {
    let before = world.state().legal_requests.get(row);
    before.is_some_and(|before| before.status != record.status)
}
