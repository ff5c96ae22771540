//! Status changes of a legal request (§3): which are legal, and what each of them brings.
//!
//! Every way to a new status leads through [`change_status`].

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;
use serde_json::Map;

use crate::resource::activity::{Activity, Happening};
use crate::resource::signed_document::signed_document;
use crate::resource::{LegalRequest, RepositoryDocument};
use crate::state::change::{Change, Effect, EffectKind};
use crate::value::limits::ACTIVITIES_MAX;
use crate::world::World;
use crate::world::deliver;

/// The event of §6 that a fully executed request causes.
pub(crate) const EXECUTION_COMPLETE: &str = "execution_complete";

/// A request after a status change, and what the change brings beside it.
pub(crate) struct Moved {
    pub(crate) record: LegalRequest,
    pub(crate) changes: Vec<Change>,
    pub(crate) effects: Vec<Effect>,
}

impl Moved {
    /// All changes, the request's among them.
    pub(crate) fn into_changes(self) -> (Vec<Change>, Vec<Effect>) {
        let mut changes = vec![Change::from(self.record)];
        changes.extend(self.changes);
        (changes, self.effects)
    }
}

/// Changes the status of a request: one activity entry; a delivery per subscribed webhook where it is
/// fully executed; the signed document in the repository where it is archived.
pub(crate) fn change_status(
    world: &World,
    at: Timestamp,
    legal_request: &LegalRequest,
    to: LegalRequestStatus,
    comment: Option<String>,
) -> Moved {
    let from = legal_request.status();
    let mut record = legal_request.clone();
    record.status = to;
    log(world, &mut record, at, Happening::StatusChange { from, to }, comment);
    let mut moved = Moved { changes: Vec::new(), effects: vec![effect(at, &record, from)], record };
    if to == world.answers().fully_executed {
        let (changes, effects) = deliver::queue(world, at, EXECUTION_COMPLETE, &moved.record);
        moved.changes.extend(changes);
        moved.effects.extend(effects);
    }
    if to == LegalRequestStatus::Archived {
        archive(world, at, &mut moved);
    }
    moved
}

/// Appends an entry to the log of a request; a full log forgets its second entry, so that it still
/// begins with the creation.
pub(crate) fn log(
    world: &World,
    record: &mut LegalRequest,
    at: Timestamp,
    happening: Happening,
    comment: Option<String>,
) {
    if record.activity.len() >= ACTIVITIES_MAX {
        record.activity.remove(1);
    }
    record.logged += 1;
    let id = world.activity_id(record.row, record.logged);
    record.activity.push(Activity { id, at, happening, comment: comment.map(Into::into) });
}

fn effect(at: Timestamp, record: &LegalRequest, from: LegalRequestStatus) -> Effect {
    let to = record.status();
    Effect {
        at,
        kind: match to {
            LegalRequestStatus::Expired => EffectKind::Expiry,
            _ => EffectKind::Transition,
        },
        id: record.id.clone(),
        detail: format!("{} -> {}", from.as_str(), to.as_str()),
    }
}

/// Puts the signed document into the repository, once; in a full repository there is no room for it.
fn archive(world: &World, at: Timestamp, moved: &mut Moved) {
    if moved.record.document.is_some() {
        return;
    }
    let Some((row, id)) = world.fresh_document() else { return };
    let (name, content) = signed_document(&moved.record);
    let record = RepositoryDocument {
        download_id: world.download_id(&id),
        id,
        company: moved.record.company,
        name,
        custom_fields: Map::new(),
        created_at: at,
        legal_request_id: Some(moved.record.id.clone()),
        content,
    };
    moved.record.document = Some(row);
    moved.changes.push(Change::PutRepositoryDocument { row, record: Arc::new(record) });
}
