//! Defects of activity entries (§2.5): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{self, GetLegalRequestActivity};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const ACTIVITY: &[Operation] = &[GetLegalRequestActivity];
const ACTIVITY_SHAPE: &[&str] = &["get-legal-request-activity.shape"];

pub(super) const ROWS: &[Defect] = &[
    row(
        "activity.id-number",
        "2.5",
        &["activity.id-is-string"],
        "The id of an activity entry is a number.",
        success(ACTIVITY, "/data/*/id", Edit::Number(17)),
    )
    .also(&["get-legal-request-activity.shape", "activity.entry-id-unique"]),
    row(
        "activity.type-short",
        "2.5",
        &["activity.type"],
        "The type of an activity entry is `activity`.",
        success(ACTIVITY, "/data/*/type", Edit::Text("activity")),
    )
    .also(ACTIVITY_SHAPE),
    row(
        "activity.action-null",
        "2.5",
        &["activity.action-is-string"],
        "The action of an activity entry is null.",
        success(ACTIVITY, "/data/*/attributes/action", Edit::Null),
    )
    .also(&[
        "get-legal-request-activity.shape",
        "activity.records-every-status-change",
        "activity.each-change-once",
        "states.change-recorded",
        "get-legal-request-activity.tells-current-status",
    ]),
    row(
        "activity.description-missing",
        "2.5",
        &["activity.description-is-string"],
        "An activity entry has no description.",
        success(ACTIVITY, "/data/*/attributes/description", Edit::Drop),
    )
    .also(&[
        "get-legal-request-activity.shape",
        "activity.status-change-named",
        "activity.records-every-status-change",
        "get-legal-request-activity.tells-current-status",
    ]),
    row(
        "activity.description-silent",
        "2.5",
        &["activity.status-change-named"],
        "The description of an activity entry says only that something changed.",
        success(ACTIVITY, "/data/*/attributes/description", Edit::Cut(14)),
    )
    .also(&[
        "get-legal-request-activity.tells-current-status",
        "activity.records-every-status-change",
        "activity.each-change-once",
        "states.change-recorded",
    ]),
    row(
        "activity.comment-flag",
        "2.5",
        &["activity.comment-is-string-or-null"],
        "The comment of an activity entry is false.",
        success(ACTIVITY, "/data/*/attributes/comment", Edit::Flag(false)),
    )
    .also(&["get-legal-request-activity.shape", "activity.records-comments"]),
    row(
        "activity.additional-data-list",
        "2.5",
        &["activity.additional-data-is-object"],
        "The additional data of an activity entry is a list.",
        success(ACTIVITY, "/data/*/attributes/additional_data", Edit::NoList),
    )
    .also(ACTIVITY_SHAPE),
    row(
        "activity.created-at-number",
        "2.5",
        &["activity.times"],
        "The creation time of an activity entry is in Unix seconds.",
        success(ACTIVITY, "/data/*/attributes/created_at", Edit::Number(1_767_225_600)),
    )
    .also(ACTIVITY_SHAPE),
];
