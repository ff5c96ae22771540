//! Status changes that are carried out wrongly (§3, §4.8).

use std::sync::Arc;

use moot_fixtures::contract::LegalRequestStatus;
use serde::Deserialize;

use crate::value::short_id::ShortId;
use crate::world::World;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::activity::{Activity, ActivityKind};

/// A way in which a status change is wrong.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TransitionAct {
    /// The log has no entry of it.
    NotRecorded,
    /// The log has its entry twice.
    RecordedTwice,
    /// The entry names the two statuses the wrong way round.
    StatusesSwapped,
    /// The entry is there, but the request keeps its status.
    StatusKept,
    /// The entry has the creation time of the request.
    LoggedAtCreation,
}

impl TransitionAct {
    /// Changes of the status to `to`, as the defect makes them. `None`: to every status.
    pub(super) fn apply(
        self,
        to: Option<LegalRequestStatus>,
        world: &World,
        changes: Vec<Change>,
    ) -> Vec<Change> {
        let edited = |change| match change {
            Change::PutLegalRequest { row, record }
                if to.is_none_or(|to| record.status() == to) =>
            {
                let before = world.state().legal_requests.get(row).map(|it| it.status());
                match before {
                    Some(before) if before != record.status() => {
                        let record = self.edited(LegalRequest::clone(&record), before);
                        Change::PutLegalRequest { row, record: Arc::new(record) }
                    }
                    _ => Change::PutLegalRequest { row, record },
                }
            }
            other => other,
        };
        changes.into_iter().map(edited).collect()
    }

    fn edited(self, mut record: LegalRequest, before: LegalRequestStatus) -> LegalRequest {
        let log = &mut record.activity;
        match self {
            Self::NotRecorded => drop(log.pop()),
            Self::RecordedTwice => {
                let twin =
                    log.last().map(|last| Activity { id: reversed(last.id), ..last.clone() });
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
        record
    }
}

fn reversed(id: ShortId) -> ShortId {
    let letters: String = id.as_str().chars().rev().collect();
    ShortId::try_from(letters).unwrap_or(id)
}
