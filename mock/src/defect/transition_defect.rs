//! Status changes that are executed wrongly (§3, §4.8).

use std::sync::Arc;

use moot_fixtures::contract::LegalRequestStatus;
use serde::Deserialize;

use crate::world::World;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::activity::{Activity, ActivityKind};

/// A way in which a status change is wrong.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TransitionAct {
    /// The log has no entry of the change.
    NotRecorded,
    /// The log has two entries of the change.
    RecordedTwice,
    /// The entry swaps the old and the new status.
    StatusesSwapped,
    /// The log has the entry, but the request keeps its old status.
    StatusKept,
    /// The entry has the creation time of the request.
    LoggedAtCreation,
}

impl TransitionAct {
    /// Edits the changes that set the status `to`, or any status if `to` is `None`.
    pub(super) fn apply(
        self,
        to: Option<LegalRequestStatus>,
        world: &World,
        mut changes: Vec<Change>,
    ) -> Vec<Change> {
        for change in &mut changes {
            if let Change::PutLegalRequest { row, record } = change
                && to.is_none_or(|to| record.status == to)
                && let Some(before) = world.state().legal_requests.get(*row)
                && before.status != record.status
            {
                self.edit(Arc::make_mut(record), before.status);
            }
        }
        changes
    }

    fn edit(self, record: &mut LegalRequest, before: LegalRequestStatus) {
        let log = &mut record.activity;
        match self {
            Self::NotRecorded => drop(log.pop()),
            Self::RecordedTwice => {
                let twin = log
                    .last()
                    .map(|last| Activity { id: last.id.chars().rev().collect(), ..last.clone() });
                log.extend(twin);
            }
            Self::StatusesSwapped => {
                if let Some(last) = log.last_mut()
                    && let ActivityKind::StatusChange { from, to } = &mut last.happening
                {
                    std::mem::swap(from, to);
                }
            }
            Self::StatusKept => record.status = before,
            Self::LoggedAtCreation => {
                if let Some(last) = log.last_mut() {
                    last.at = record.created_at;
                }
            }
        }
    }
}
