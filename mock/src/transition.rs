//! Status changes of a legal request (§3): which are legal, and what each of them brings.
//!
//! Every way to a new status leads through [`change_status`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus};
use serde_json::Map;

use crate::call::Content;
use crate::changes::{Change, Effect, EffectKind};
use crate::deliver;
use crate::limits::ACTIVITIES_MAX;
use crate::pdf;
use crate::resource::activity::{Activity, Happening};
use crate::resource::legal_request::FileRole;
use crate::resource::repository_document::Draft;
use crate::resource::{LegalRequest, RepositoryDocument};
use crate::world::World;

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
        let mut changes = vec![self.record.into_change()];
        changes.extend(self.changes);
        (changes, self.effects)
    }
}

/// The statuses that may follow `from`.
pub(crate) fn next(answers: &Answers, from: LegalRequestStatus) -> &[LegalRequestStatus] {
    answers.transitions.get(&from).map_or(&[], Vec::as_slice)
}

/// The shortest legal way from one status to another, without the start; `None` where there is none.
/// Of ways equally short it is the one whose statuses come first in §3, in whatever order the answers
/// list them.
pub(crate) fn way(
    answers: &Answers,
    from: LegalRequestStatus,
    to: LegalRequestStatus,
) -> Option<Vec<LegalRequestStatus>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut waiting = VecDeque::from([from]);
    while let Some(status) = waiting.pop_front() {
        if status == to {
            let mut way = Vec::new();
            let mut at = to;
            while at != from {
                way.push(at);
                at = came_from[&at];
            }
            way.reverse();
            return Some(way);
        }
        let mut choices = next(answers, status).to_vec();
        choices.sort();
        for following in choices {
            if let std::collections::btree_map::Entry::Vacant(entry) = came_from.entry(following) {
                entry.insert(status);
                waiting.push_back(following);
            }
        }
    }
    None
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
    record.shown = record.shown.with_status(&record.id, to);
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
    let draft = Draft {
        download_id: world.download_id(&id),
        id,
        company: moved.record.company,
        name,
        custom_fields: &Map::new(),
        created_at: at,
        legal_request_id: Some(&moved.record.id),
        content,
    };
    let record = Arc::new(RepositoryDocument::new(world.answers().timestamps, draft));
    moved.record.document = Some(row);
    moved.changes.push(Change::PutRepositoryDocument { row, record });
}

/// The signed document of a request: the third-party file, or an agreement with its parties and
/// variables.
pub(crate) fn signed_document(record: &LegalRequest) -> (String, Content) {
    let mut files = record.submission.files.iter();
    if let Some(file) = files.find(|file| file.role == FileRole::Document) {
        return (file.name.clone(), file.content.clone());
    }
    let mut lines = vec![record.shown.name.clone(), String::new(), "Parties".to_owned()];
    lines.extend(record.submission.texts.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.extend(record.submission.signers.iter().map(|email| format!("internal signer: {email}")));
    lines.extend([String::new(), "Variables".to_owned()]);
    let variables = record.submission.variables.iter();
    lines.extend(variables.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    }));
    let content = Content::in_memory(Bytes::from(pdf::document(&lines)));
    (format!("{}.pdf", record.shown.name), content)
}
