//! Defects over time: statuses, the activity log and what comes of a request (§2.5, §3, §4.8).

use std::sync::Arc;

use http::StatusCode;
use moot_fixtures::contract::{LegalRequestStatus, Operation};
use serde_json::Value;

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Seam, success};
use crate::resource::LegalRequest;
use crate::resource::activity::{Activity, Happening};
use crate::state::change::Change;
use crate::value::short_id::ShortId;
use crate::world::World;

const ACTIVITY: Operation = Operation::GetLegalRequestActivity;
const REQUEST: Operation = Operation::GetLegalRequest;
const REQUESTS: Operation = Operation::ListLegalRequests;

const LOG_ROWS: &[&str] = &[
    "states.change-recorded",
    "activity.records-every-status-change",
    "activity.status-change-named",
    "activity.each-change-once",
    "get-legal-request-activity.tells-current-status",
];

pub(super) const ROWS: &[Defect] = &[
    row(
        "states.thirteenth",
        "3",
        &["states.only-the-twelve"],
        "A request that is under review has the status `in_review`.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(REQUEST | REQUESTS)) {
                edit::rewrite(response, |body| edit::restate(body, "initial_review", "in_review"));
            }
        }),
    )
    .also(&[
        "states.each-is-shown-by-get",
        "list-legal-requests.filter-does-not-leak",
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "service.request-moves-through-statuses",
    ]),
    row(
        "states.cancelled",
        "3",
        &["states.only-the-twelve"],
        "The status `canceled` is spelt `cancelled`.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(REQUEST | REQUESTS)) {
                edit::rewrite(response, |body| edit::restate(body, "canceled", "cancelled"));
            }
        }),
    )
    .also(&[
        "states.each-is-shown-by-get",
        "list-legal-requests.filter-does-not-leak",
        "list-legal-requests.shape",
        "get-legal-request.shape",
    ]),
    row(
        "states.get-swaps-reviews",
        "3",
        &["states.each-is-shown-by-get"],
        "Getting a request shows `ongoing_review` where it is under business review.",
        Seam::Reply(|said, response| {
            if said.operation == Some(REQUEST) {
                edit::rewrite(response, |body| {
                    edit::restate(body, "business_review", "ongoing_review");
                });
            }
        }),
    )
    .also(&["list-legal-requests.agrees-with-get"]),
    row(
        "states.get-is-stale",
        "1",
        &["service.request-moves-through-statuses", "states.each-is-shown-by-get"],
        "Getting a request shows the status that it was created with.",
        success(&[REQUEST], "/data/attributes/status", Edit::Text("draft")),
    )
    .also(&[
        "list-legal-requests.agrees-with-get",
        "get-legal-request-activity.tells-current-status",
    ]),
    row(
        "states.filter-swaps-reviews",
        "3",
        &["states.each-is-found-by-filter"],
        "The filter `business_review` finds requests that are under initial review.",
        Seam::Answer(|asked, outcome| {
            let is_meant = |query: &str| query.contains("status=business_review");
            if asked.is(REQUESTS) && asked.call.head.query.is_some_and(is_meant) {
                asked.with_status(Some("initial_review"))
            } else {
                outcome
            }
        }),
    )
    .also(&[
        "list-legal-requests.filter-does-not-leak",
        "list-legal-requests.filter-does-not-miss",
        "states.leaves-former-filter",
    ]),
    row(
        "states.stays-in-draft-filter",
        "3",
        &["states.leaves-former-filter"],
        "The filter `draft` finds every request.",
        Seam::Answer(|asked, outcome| {
            let is_meant = |query: &str| query.contains("status=draft");
            if asked.is(REQUESTS) && asked.call.head.query.is_some_and(is_meant) {
                asked.with_status(None)
            } else {
                outcome
            }
        }),
    )
    .also(&["list-legal-requests.filter-does-not-leak", "list-legal-requests.filter-counts"]),
    row(
        "states.change-not-recorded",
        "3",
        &["states.change-recorded", "activity.records-every-status-change"],
        "A status change is not recorded in the activity log.",
        Seam::Apply(|world, changes| relogged(world, changes, |log| drop(log.pop()))),
    )
    .also(LOG_ROWS),
    row(
        "states.change-as-update",
        "3",
        &["states.change-recorded"],
        "A status change is recorded with the action `update`.",
        Seam::Reply(|said, response| {
            if said.operation == Some(ACTIVITY) {
                edit::rewrite(response, |body| edit::reaction(body, "status_change", "update"));
            }
        }),
    )
    .also(LOG_ROWS),
    row(
        "activity.signing-not-recorded",
        "2.5",
        &["activity.records-every-status-change"],
        "The log leaves out the status change before the last.",
        Seam::Reply(|said, response| {
            if said.operation == Some(ACTIVITY) {
                edit::rewrite(response, edit::forget_change);
            }
        }),
    ),
    row(
        "activity.change-twice",
        "2.5",
        &["activity.each-change-once"],
        "A status change is recorded twice.",
        Seam::Apply(|world, changes| {
            relogged(world, changes, |log| {
                let twin = log.last().map(|last| Activity { id: twin_of(last.id), ..last.clone() });
                log.extend(twin);
            })
        }),
    )
    .also(&["activity.records-every-status-change"]),
    row(
        "activity.entry-twice",
        "2.5",
        &["activity.entry-id-unique"],
        "The first entry of a log stands at its end too.",
        success(&[ACTIVITY], "/data", Edit::Repeat),
    )
    .also(&["activity.each-change-once", "activity.records-every-status-change"]),
    row(
        "activity.comments-lost",
        "2.5",
        &["activity.records-comments"],
        "The comments in a log are null.",
        success(&[ACTIVITY], "/data/*/attributes/comment", Edit::Null),
    ),
    row(
        "activity.names-former-status",
        "2.5",
        &["activity.status-change-named"],
        "The description of a status change names the former status.",
        Seam::Apply(|world, changes| {
            relogged(world, changes, |log| {
                if let Some(last) = log.last_mut()
                    && let Happening::StatusChange { from, to } = &mut last.happening
                {
                    std::mem::swap(from, to);
                }
            })
        }),
    )
    .also(LOG_ROWS),
    row(
        "activity.bare",
        "4.8",
        &["get-legal-request-activity.shape"],
        "The activity of a request is a list without `data`.",
        success(&[ACTIVITY], "", Edit::Unwrap("data")),
    )
    .also(LOG_ROWS),
    row(
        "activity.status-203",
        "4.8",
        &["get-legal-request-activity.status-200"],
        "The activity of a request comes with 203.",
        Seam::Reply(|said, response| {
            if said.operation == Some(ACTIVITY) && response.status == StatusCode::OK {
                response.status = StatusCode::NON_AUTHORITATIVE_INFORMATION;
            }
        }),
    )
    .also(&["http.declared-status", "create-legal-request.then-logged"]),
    row(
        "activity.of-another",
        "4.8",
        &["get-legal-request-activity.of-the-asked"],
        "The activity of a request is that of another one.",
        Seam::Answer(|asked, outcome| {
            let own = asked.call.admitted.principal.map(|principal| principal.company);
            let rows = &asked.world.state().legal_requests;
            let mut requests = (0..rows.base_length()).filter_map(|row| rows.get(row));
            let other = requests.find(|record| Some(record.company) == own);
            match other {
                Some(other) if asked.is(ACTIVITY) && outcome.is_taken() => asked.of_id(&other.id),
                _ => outcome,
            }
        }),
    )
    .also(LOG_ROWS),
    row(
        "activity.log-too-late",
        "4.5",
        &["create-legal-request.then-logged"],
        "The log of a request cannot be read before its first status change.",
        Seam::Answer(|asked, outcome| {
            let id = asked.call.admitted.id.as_deref().unwrap_or_default();
            let record = asked.world.legal_request(id);
            let is_new = record.is_some_and(|record| record.activity.len() == 1);
            if asked.is(ACTIVITY) && is_new { asked.of_id("none") } else { outcome }
        }),
    )
    .also(&["get-legal-request-activity.status-200"]),
    row(
        "activity.lacks-current-status",
        "4.8",
        &["get-legal-request-activity.tells-current-status"],
        "The log leaves out the change to the current status.",
        success(&[ACTIVITY], "/data", Edit::Skip),
    )
    .also(LOG_ROWS),
    row(
        "activity.unstable",
        "4.8",
        &["get-legal-request-activity.stable"],
        "Reading a log is recorded in it.",
        Seam::Answer(|asked, mut outcome| {
            if asked.is(ACTIVITY) && outcome.is_taken() {
                let read = format!("Read in call {}", asked.call.admitted.serial);
                edit::rewrite(&mut outcome.response, |body| note_reading(body, &read));
            }
            outcome
        }),
    ),
    row(
        "activity.unknown-is-empty",
        "4.8",
        &["get-legal-request-activity.unknown-404"],
        "The activity of an unknown request is null, with 200.",
        Seam::Answer(|asked, outcome| asked.null_where_unknown(ACTIVITY, outcome)),
    )
    .also(&[
        "isolation.get-legal-request-activity",
        "get-legal-request-activity.shape",
        "errors.request-not-found",
    ]),
    row(
        "states.archived-without-document",
        "3",
        &["states.archived-document-in-repository", "service.repository-holds-results"],
        "Archiving a request stores no document.",
        Seam::Apply(|_, changes| {
            let moves =
                changes.iter().any(|change| matches!(change, Change::PutLegalRequest { .. }));
            let is_kept = |change: &Change| {
                !(moves && matches!(change, Change::PutRepositoryDocument { .. }))
            };
            changes.into_iter().filter(is_kept).collect()
        }),
    )
    .also(&["get-repository-document.relation-names-the-request"]),
    row(
        "states.archived-before-signed",
        "3",
        &["states.each-is-shown-by-get"],
        "A request that is signed is archived at once.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(REQUEST | REQUESTS)) {
                edit::rewrite(response, |body| edit::restate(body, "signed", "archived"));
            }
        }),
    )
    .also(&["list-legal-requests.filter-does-not-leak", "events.execution-complete-is-sent"]),
    row(
        "states.workflow-changes",
        "3",
        &["states.workflow-not-changeable"],
        "A call that would change a workflow is taken, with 200.",
        Seam::Reply(|said, response| {
            let is_workflow = said.path.starts_with("/v1/workflows/");
            if is_workflow && response.status == StatusCode::METHOD_NOT_ALLOWED {
                response.status = StatusCode::OK;
            }
        }),
    )
    .also(&["http.wrong-method", "errors.status-agrees"]),
];

/// Changes in which the log of each request that changes its status is rewritten.
fn relogged(
    world: &World,
    changes: Vec<Change>,
    rewrite: impl Fn(&mut Vec<Activity>),
) -> Vec<Change> {
    let relog = |change| match change {
        Change::PutLegalRequest { row, record } if is_moved(world, row, &record) => {
            let mut record = LegalRequest::clone(&record);
            rewrite(&mut record.activity);
            Change::PutLegalRequest { row, record: Arc::new(record) }
        }
        other => other,
    };
    changes.into_iter().map(relog).collect()
}

fn is_moved(world: &World, row: u32, record: &LegalRequest) -> bool {
    let before = world.state().legal_requests.get(row).map(|before| before.status());
    before.is_some_and(|before: LegalRequestStatus| before != record.status())
}

fn twin_of(id: ShortId) -> ShortId {
    let backwards: String = id.as_str().chars().rev().collect();
    ShortId::try_from(backwards).unwrap_or(id)
}

fn note_reading(body: &mut Value, read: &str) {
    let Some(entries) = body.get_mut("data").and_then(Value::as_array_mut) else { return };
    if let Some(first) = entries.first_mut().and_then(|entry| entry.get_mut("attributes")) {
        first["comment"] = read.into();
    }
}
