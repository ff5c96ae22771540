//! Defects of webhooks (§2.6): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{self, CreateWebhook, ListWebhooks};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const WEBHOOKS: &[Operation] = &[ListWebhooks];
const WEBHOOK_SHAPE: &[&str] = &["list-webhooks.shape"];

pub(super) const ROWS: &[Defect] = &[
    row(
        "webhook.id-number",
        "2.6",
        &["webhook.id-is-string"],
        "The id of a webhook in the list is a number.",
        success(WEBHOOKS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-webhooks.shape",
        "create-webhook.then-listed",
        "delete-webhook.id-of-the-list",
        "pagination.no-item-twice",
        "pagination.page-selects",
    ]),
    row(
        "webhook.type-hook",
        "2.6",
        &["webhook.type"],
        "The type of a webhook is `hook`.",
        success(WEBHOOKS, "/data/*/type", Edit::Text("hook")),
    )
    .also(&["list-webhooks.shape", "list-webhooks.items-are-webhooks"]),
    row(
        "webhook.name-null",
        "2.6",
        &["webhook.name-is-string"],
        "The name of a webhook is null.",
        success(WEBHOOKS, "/data/*/attributes/name", Edit::Null),
    )
    .also(WEBHOOK_SHAPE),
    row(
        "webhook.url-relative",
        "2.6",
        &["webhook.url-is-address"],
        "The address of a webhook is shown without scheme and host.",
        success(WEBHOOKS, "/data/*/attributes/url", Edit::Text("/hooks")),
    )
    .also(&["list-webhooks.shape", "create-webhook.listed-as-registered"]),
    row(
        "webhook.auth-type-null",
        "2.6",
        &["webhook.auth-type-is-string"],
        "The kind of authentication of a webhook is null.",
        success(WEBHOOKS, "/data/*/attributes/auth_type", Edit::Null),
    )
    .also(&["list-webhooks.shape", "create-webhook.listed-as-registered"]),
    row(
        "webhook.events-text",
        "2.6",
        &["webhook.events-are-strings"],
        "The events of a webhook are one text.",
        success(WEBHOOKS, "/data/*/attributes/events", Edit::AsText),
    )
    .also(&[
        "list-webhooks.shape",
        "create-webhook.listed-as-registered",
        "events.subscriptions-listed",
    ]),
    row(
        "create-webhook.id-number",
        "2.6",
        &["create-webhook.id-is-text"],
        "The answer to a registration names the webhook by a number.",
        success(&[CreateWebhook], "/data/id", Edit::Number(17)),
    )
    .also(&["create-webhook.shape", "create-webhook.then-listed"]),
];
