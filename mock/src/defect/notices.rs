//! Defects of registering and deleting webhooks, and of what they are sent (§4.12 to §4.14, §6).

use std::sync::Arc;

use http::StatusCode;
use moot_fixtures::contract::{LegalRequestStatus, Operation};
use serde_json::{Value, json};

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Seam, success};
use crate::message::response::ResponseBody;
use crate::resource::{Delivery, DeliveryState};
use crate::state::change::Change;
use crate::world::Outcome;
use crate::world::deliver;
use crate::world::transition::EXECUTION_COMPLETE;

const LIST: Operation = Operation::ListWebhooks;
const DELETE: Operation = Operation::DeleteWebhook;
const CREATE: Operation = Operation::CreateWebhook;

const DELIVERY_ROWS: &[&str] = &[
    "events.execution-complete-is-sent",
    "events.every-subscriber-is-notified",
    "events.delivered-to-url",
    "events.authenticated-as-registered",
    "delete-webhook.new-registration-receives",
];

pub(super) const ROWS: &[Defect] = &[
    row(
        "webhooks.list-bare",
        "4.12",
        &["list-webhooks.shape"],
        "The list of webhooks is in `webhooks`, not in `data`.",
        success(&[LIST], "/data", Edit::Rename("webhooks")),
    )
    .also(&[
        "list-webhooks.data-is-list",
        "list-webhooks.items-are-webhooks",
        "create-webhook.then-listed",
        "pagination.empty-list",
    ]),
    row(
        "webhooks.data-as-object",
        "4.12",
        &["list-webhooks.data-is-list"],
        "The webhooks of a page are an object with `items`.",
        Seam::Reply(|said, response| {
            if said.operation == Some(LIST) {
                edit::rewrite(response, |body| {
                    if let Some(data) = body.get_mut("data") {
                        *data = json!({ "items": data.take() });
                    }
                });
            }
        }),
    )
    .also(&[
        "list-webhooks.shape",
        "list-webhooks.items-are-webhooks",
        "webhook.id-is-string",
        "create-webhook.then-listed",
        "pagination.empty-list",
    ]),
    row(
        "webhooks.status-203",
        "4.12",
        &["list-webhooks.status-200"],
        "The list of webhooks answers 203.",
        Seam::Reply(|said, response| {
            if said.operation == Some(LIST) && response.status == StatusCode::OK {
                response.status = StatusCode::NON_AUTHORITATIVE_INFORMATION;
            }
        }),
    )
    .also(&["http.declared-status", "service.manages-four-kinds"]),
    row(
        "webhooks.other-members",
        "4.12",
        &["list-webhooks.items-are-webhooks"],
        "The list of webhooks holds event subscriptions.",
        success(&[LIST], "/data/*/type", Edit::Text("event_subscription")),
    )
    .also(&["list-webhooks.shape", "webhook.type"]),
    row(
        "delete-webhook.refused",
        "4.13",
        &["delete-webhook.succeeds"],
        "A webhook cannot be deleted: 404.",
        Seam::Answer(|asked, outcome| match asked.is(DELETE) {
            true => asked.of_id("none"),
            false => outcome,
        }),
    )
    .also(&[
        "delete-webhook.id-of-the-list",
        "delete-webhook.gone-from-list",
        "delete-webhook.no-new-deliveries",
        "isolation.delete-webhook",
        "delete-webhook.requires-write",
    ]),
    row(
        "delete-webhook.with-body",
        "4.13",
        &["delete-webhook.no-body"],
        "The answer to a deletion shows what was deleted.",
        Seam::Answer(|asked, mut outcome| {
            if asked.is(DELETE) && outcome.is_taken() {
                outcome.response.status = StatusCode::OK;
                outcome.response.body =
                    ResponseBody::Bytes(br#"{"deleted":true}"#.as_slice().into());
            }
            outcome
        }),
    )
    .also(&["http.json-media-type"]),
    row(
        "delete-webhook.only-new-ones",
        "4.13",
        &["delete-webhook.id-of-the-list"],
        "The list shows ids under which nothing can be deleted.",
        Seam::Reply(|said, response| {
            if said.operation == Some(LIST) {
                edit::rewrite(response, |body| {
                    edit::edit(body, "/data/*/id", Edit::Prefix("wh_"));
                });
            }
        }),
    )
    .also(&[
        "create-webhook.then-listed",
        "create-webhook.listed-as-registered",
        "delete-webhook.succeeds",
    ]),
    row(
        "delete-webhook.unknown-taken",
        "4.13",
        &["delete-webhook.unknown-404"],
        "Deleting what does not exist succeeds.",
        Seam::Answer(|asked, outcome| match asked.is(DELETE) && !outcome.is_taken() {
            true => asked.emptied(204),
            false => outcome,
        }),
    )
    .also(&["delete-webhook.twice-404", "isolation.delete-webhook"]),
    row(
        "delete-webhook.unknown-is-400",
        "4.13",
        &["delete-webhook.unknown-404"],
        "Deleting what does not exist answers 400.",
        Seam::Reply(|said, response| {
            if said.operation == Some(DELETE) && response.status == StatusCode::NOT_FOUND {
                response.status = StatusCode::BAD_REQUEST;
            }
        }),
    )
    .also(&["delete-webhook.twice-404", "errors.status-agrees", "errors.known-type"]),
    row(
        "delete-webhook.twice-taken",
        "4.13",
        &["delete-webhook.twice-404"],
        "Deleting a webhook marks it and does not remove it.",
        Seam::Apply(|_, changes| {
            let is_kept = |change: &Change| !matches!(change, Change::DeleteWebhook { .. });
            changes.into_iter().filter(is_kept).collect()
        }),
    )
    .also(&["delete-webhook.gone-from-list", "delete-webhook.no-new-deliveries"]),
    row(
        "delete-webhook.stays-listed",
        "4.13",
        &["delete-webhook.gone-from-list"],
        "A deletion is answered and not done.",
        Seam::Answer(|asked, outcome| match asked.is(DELETE) {
            true => Outcome { changes: Vec::new(), ..outcome },
            false => outcome,
        }),
    )
    .also(&["delete-webhook.twice-404", "delete-webhook.no-new-deliveries"]),
    row(
        "delete-webhook.removes-neighbour",
        "4.13",
        &["delete-webhook.no-other-removed"],
        "A deletion removes the webhook registered before too.",
        Seam::Apply(|_, changes| {
            let mut all = Vec::new();
            for change in changes {
                if let Change::DeleteWebhook { row } = change {
                    all.extend(row.checked_sub(1).map(|row| Change::DeleteWebhook { row }));
                }
                all.push(change);
            }
            all
        }),
    ),
    row(
        "delete-webhook.address-blocked",
        "4.13",
        &["delete-webhook.new-registration-receives"],
        "Once a webhook was deleted, no delivery is queued any more.",
        Seam::Apply(|world, changes| {
            // Rows that this world added and lacks again were deleted.
            let rows = &world.state().webhooks;
            let mut added = rows.base_length()..rows.next_row();
            let has_deleted = added.any(|row| rows.get(row).is_none());
            let is_kept = |change: &Change| !(has_deleted && is_new(change));
            changes.into_iter().filter(is_kept).collect()
        }),
    ),
    row(
        "create-webhook.not-there",
        "4.14",
        &["create-webhook.exists"],
        "Registering a webhook answers 501.",
        Seam::Answer(|asked, mut outcome| {
            if asked.is(CREATE) && outcome.is_taken() {
                outcome.response.status = StatusCode::NOT_IMPLEMENTED;
                outcome.changes.clear();
            }
            outcome
        }),
    )
    .also(&["errors.never-5xx", "delete-webhook.succeeds"]),
    row(
        "create-webhook.bare",
        "4.14",
        &["create-webhook.shape"],
        "A registration answers the webhook without its attributes.",
        success(&[CREATE], "/data/attributes", Edit::Drop),
    ),
    row(
        "create-webhook.not-listed",
        "4.14",
        &["create-webhook.then-listed"],
        "The answer to a registration names another id than the list.",
        success(&[CREATE], "/data/id", Edit::Text("anotherWebhook")),
    )
    .also(&["create-webhook.listed-as-registered", "delete-webhook.succeeds"]),
    row(
        "create-webhook.listed-differently",
        "2.6",
        &["create-webhook.listed-as-registered"],
        "The list cuts the names of webhooks off.",
        success(&[LIST], "/data/*/attributes/name", Edit::Cut(3)),
    ),
    row(
        "create-webhook.auth-type-forgotten",
        "2.6",
        &["create-webhook.listed-as-registered"],
        "Every webhook is listed without authentication.",
        success(&[LIST], "/data/*/attributes/auth_type", Edit::Text("none")),
    ),
    row(
        "events.subscriptions-hidden",
        "6",
        &["events.subscriptions-listed"],
        "The events of a webhook are listed as none.",
        success(&[LIST], "/data/*/attributes/events", Edit::NoList),
    )
    .also(&["create-webhook.listed-as-registered"]),
    row(
        "events.never-sent",
        "6",
        &["events.execution-complete-is-sent"],
        "Nothing is sent when a request is fully executed.",
        Seam::Apply(|_, changes| {
            let is_kept = |change: &Change| !matches!(change, Change::PutDelivery { .. });
            changes.into_iter().filter(is_kept).collect()
        }),
    )
    .also(DELIVERY_ROWS),
    row(
        "events.elsewhere",
        "6",
        &["events.delivered-to-url"],
        "Notifications go to the root of the host, not to the registered address.",
        Seam::Apply(|_, changes| {
            redelivered(changes, |delivery| {
                if let Ok(mut url) = url::Url::parse(&delivery.url) {
                    url.set_path("/");
                    delivery.url = url.into();
                }
            })
        }),
    )
    .also(DELIVERY_ROWS),
    row(
        "events.without-credential",
        "2.6",
        &["events.authenticated-as-registered"],
        "Deliveries carry no credential.",
        Seam::Apply(|_, changes| redelivered(changes, |delivery| delivery.authorization = None)),
    ),
    row(
        "events.credential-as-basic",
        "2.6",
        &["events.authenticated-as-registered"],
        "The bearer token of a webhook is sent under the scheme Basic.",
        Seam::Apply(|_, changes| {
            redelivered(changes, |delivery| {
                let bearer = delivery.authorization.take();
                delivery.authorization = bearer.map(|value| value.replace("Bearer ", "Basic "));
            })
        }),
    ),
    row(
        "events.other-kind",
        "6",
        &["events.only-subscribed-kinds"],
        "Who subscribed to full execution is told of another event.",
        Seam::Apply(|_, changes| {
            redelivered(changes, |delivery| {
                if let Ok(mut told) = serde_json::from_str::<Value>(&delivery.body) {
                    told["event"] = json!("request_updated");
                    delivery.body = told.to_string();
                }
            })
        }),
    ),
    row(
        "events.first-subscriber-only",
        "6",
        &["events.every-subscriber-is-notified"],
        "Only the last registered subscriber is notified.",
        Seam::Apply(|_, changes| {
            let last = changes.iter().rposition(is_new);
            let kept = changes.into_iter().enumerate();
            kept.filter(|(place, change)| !is_new(change) || Some(*place) == last)
                .map(|(_, change)| change)
                .collect()
        }),
    ),
    row(
        "events.too-early",
        "6",
        &["events.not-before-full-execution"],
        "Subscribers are notified when a request is sent for signature.",
        Seam::Apply(|world, changes| {
            let mut early = Vec::new();
            for change in &changes {
                let Change::PutLegalRequest { row, record } = change else { continue };
                let before = world.state().legal_requests.get(*row).map(|before| before.status());
                let now = record.status();
                if now == LegalRequestStatus::SentForSignature && before != Some(now) {
                    let at = record.activity.last().map_or(record.created_at, |entry| entry.at);
                    early.extend(deliver::queue(world, at, EXECUTION_COMPLETE, record).0);
                }
            }
            changes.into_iter().chain(early).collect()
        }),
    ),
];

/// Whether a change queues a delivery for the first time.
fn is_new(change: &Change) -> bool {
    match change {
        Change::PutDelivery { record } => {
            record.tries == 0 && matches!(record.state, DeliveryState::Queued { .. })
        }
        _ => false,
    }
}

/// Changes in which each delivery that is queued is rewritten.
fn redelivered(changes: Vec<Change>, rewrite: impl Fn(&mut Delivery)) -> Vec<Change> {
    let redeliver = |change| match change {
        Change::PutDelivery { record } => {
            let mut delivery = Delivery::clone(&record);
            rewrite(&mut delivery);
            Change::PutDelivery { record: Arc::new(delivery) }
        }
        other => other,
    };
    changes.into_iter().map(redeliver).collect()
}
