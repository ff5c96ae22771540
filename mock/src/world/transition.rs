//! Status changes of a legal request (§3) and their consequences.
//!
//! Every status change goes through [`change_status`].

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{EXECUTION_COMPLETE, LegalRequestStatus};

use crate::value::limits::ACTIVITIES_MAX;
use crate::world::state::change::{Change, Effect};
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::activity::{Activity, ActivityKind};
use crate::world::state::resource::signed_document::signed_document;
use crate::world::{World, deliver};

/// Changes the status of a request and adds an entry to its log. A fully executed request queues a
/// delivery to each subscribed webhook. An archived request puts its signed document into the
/// repository, unless it is already there or the repository is full.
pub(crate) fn change_status(
    world: &World,
    at: Timestamp,
    mut record: LegalRequest,
    to: LegalRequestStatus,
    comment: Option<String>,
) -> (Vec<Change>, Vec<Effect>) {
    let from = record.status;
    record.status = to;
    log(world, &mut record, at, ActivityKind::StatusChange { from, to }, comment);
    let mut effects = vec![Effect::transition(at, &record, from, to)];
    let mut consequences = Vec::new();
    if to == world.answers().fully_executed {
        let (deliveries, queued) = deliver::queue(world, at, EXECUTION_COMPLETE, &record);
        consequences.extend(deliveries);
        effects.extend(queued);
    }
    if to == LegalRequestStatus::Archived
        && record.document.is_none()
        && let Some((row, stored)) = stored_document(world, at, &record)
    {
        record.document = Some(row);
        consequences.push(stored);
    }
    let changes = std::iter::once(Change::from(record)).chain(consequences);
    (changes.collect(), effects)
}

/// The log of a request that is created in this row.
pub(crate) fn first_log(world: &World, row: u32, at: Timestamp) -> Vec<Activity> {
    let happening = ActivityKind::Created;
    vec![Activity { id: world.activity_id(row, 1), at, happening, comment: None }]
}

/// Adds an entry to the log of a request. A full log drops its second entry, so that it still begins
/// with the creation.
pub(crate) fn log(
    world: &World,
    record: &mut LegalRequest,
    at: Timestamp,
    happening: ActivityKind,
    comment: Option<String>,
) {
    if record.activity.len() >= ACTIVITIES_MAX {
        record.activity.remove(1);
    }
    record.logged += 1;
    let id = world.activity_id(record.row, record.logged);
    record.activity.push(Activity { id, at, happening, comment: comment.map(Into::into) });
}

/// Row and change of a new document in the repository that results from a request. `None` if the
/// repository is full.
pub(crate) fn stored_document(
    world: &World,
    at: Timestamp,
    legal_request: &LegalRequest,
) -> Option<(u32, Change)> {
    let (row, id) = world.fresh_document()?;
    let record = Arc::new(signed_document(legal_request, world.download_id(&id), id, at));
    Some((row, Change::PutRepositoryDocument { row, record }))
}
