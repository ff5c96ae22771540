//! Calls that store wrong changes.

use std::sync::Arc;

use serde::Deserialize;

use super::call::{DefectCall, companies};
use super::record;
use crate::value::identifier::IdKind;
use crate::world::Outcome;
use crate::world::state::change::Change;

/// A way in which the changes of a call are wrong.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EffectAct {
    /// The new object is created twice.
    Twice,
    /// The new object belongs to another company.
    ForAnother,
    /// Another webhook of the company is deleted.
    Another,
    /// Every webhook of the company is deleted.
    All,
    /// A newer webhook with the same address replaces the older one.
    Replaces,
    /// The next call of the operation reverts the changes of this call.
    UndoneByNext,
    /// The next call of the operation makes the changes of this call.
    DoneByNext,
}

impl EffectAct {
    /// The outcome of a successful call, with its changes replaced.
    pub(super) fn apply(&self, call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
        let changes = std::mem::take(&mut outcome.changes);
        outcome.changes = match self {
            Self::Twice => {
                let copies: Vec<Change> =
                    changes.iter().filter_map(|change| copy(call, change)).collect();
                changes.into_iter().chain(copies).collect()
            }
            Self::ForAnother => changes.iter().map(|change| move_to_other(call, change)).collect(),
            Self::Another => match own_webhooks(call).find(|row| !deletes(&changes, *row)) {
                Some(row) => vec![Change::DeleteWebhook { row }],
                None => changes,
            },
            Self::All => {
                let all = own_webhooks(call).map(|row| Change::DeleteWebhook { row });
                all.collect()
            }
            Self::Replaces => {
                let same = same_address(call, &changes);
                same.into_iter().map(|row| Change::DeleteWebhook { row }).chain(changes).collect()
            }
            Self::UndoneByNext => {
                let undo = changes.iter().filter_map(|change| inverse(call, change)).collect();
                let former = call.memory.swap_changes(call.call.admitted.operation, undo);
                changes.into_iter().chain(former).collect()
            }
            Self::DoneByNext => call.memory.swap_changes(call.call.admitted.operation, changes),
        };
        outcome
    }
}

/// The change that reverts another one. An object that cannot be deleted moves to another company.
fn inverse(call: &DefectCall<'_>, change: &Change) -> Option<Change> {
    match change {
        Change::PutWebhook { row, .. } => Some(Change::DeleteWebhook { row: *row }),
        Change::DeleteWebhook { row } => {
            let record = call.world.state().webhooks.get(*row)?;
            Some(Change::PutWebhook { row: *row, record: Arc::clone(record) })
        }
        Change::PutLegalRequest { .. } | Change::PutRepositoryDocument { .. } => {
            Some(move_to_other(call, change))
        }
        _ => None,
    }
}

/// The same object with another id, in the row after it.
fn copy(call: &DefectCall<'_>, change: &Change) -> Option<Change> {
    let id = |kind, row: &u32| call.world.id_of_row(kind, *row);
    let mut copy = change.clone();
    match &mut copy {
        Change::PutLegalRequest { row, record } => {
            *row += 1;
            let record = Arc::make_mut(record);
            (record.row, record.id) = (*row, id(IdKind::LegalRequest, row));
        }
        Change::PutRepositoryDocument { row, record } => {
            *row += 1;
            let record = Arc::make_mut(record);
            record.id = id(IdKind::RepositoryDocument, row);
            record.download_id = call.world.download_id(&record.id);
        }
        Change::PutWebhook { row, record } => {
            *row += 1;
            Arc::make_mut(record).id = id(IdKind::Webhook, row);
        }
        _ => return None,
    }
    Some(copy)
}

/// The same object of another company.
fn move_to_other(call: &DefectCall<'_>, change: &Change) -> Change {
    let other = |own: u32| (own + 1) % companies(call.world).end.max(1);
    record::of_company(change, other)
}

fn deletes(changes: &[Change], webhook: u32) -> bool {
    changes.iter().any(|it| matches!(it, Change::DeleteWebhook { row } if *row == webhook))
}

/// The rows of the caller's webhooks.
fn own_webhooks<'a>(call: &'a DefectCall<'_>) -> impl Iterator<Item = u32> + 'a {
    let (own, table) = (call.company(), &call.world.state().webhooks);
    (0..table.next_row())
        .filter(move |row| table.get(*row).is_some_and(|webhook| Some(webhook.company) == own))
}

/// The rows of the caller's webhooks that have the address of the created webhook.
fn same_address(call: &DefectCall<'_>, changes: &[Change]) -> Vec<u32> {
    let created = changes.iter().find_map(|change| match change {
        Change::PutWebhook { record, .. } => Some(record),
        _ => None,
    });
    let table = &call.world.state().webhooks;
    let is_same = |row: &u32| {
        table.get(*row).zip(created).is_some_and(|(known, created)| known.url == created.url)
    };
    own_webhooks(call).filter(is_same).collect()
}
