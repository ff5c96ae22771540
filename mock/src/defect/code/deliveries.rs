//! Defects of webhooks and their deliveries (§4.13, §6). They edit changes before these are applied.

use std::sync::Arc;

use moot_fixtures::contract::EXECUTION_COMPLETE;
use moot_fixtures::contract::LegalRequestStatus::{self, Declined, SentForSignature};
use serde_json::{Value, json};

use super::DefectCode::{self, Change as OnChange};
use crate::world::state::change::Change;
use crate::world::state::resource::{Delivery, DeliveryProgress};
use crate::world::{World, deliver};

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("delete-webhook.address-blocked", OnChange(address_blocked)),
    (
        "events.never-sent",
        OnChange(|_, changes| {
            without(changes, |change| matches!(change, Change::PutDelivery { .. }))
        }),
    ),
    ("events.elsewhere", OnChange(|_, changes| edit_deliveries(changes, send_to_root))),
    (
        "events.without-credential",
        OnChange(|_, changes| edit_deliveries(changes, |delivery| delivery.authorization = None)),
    ),
    ("events.credential-as-basic", OnChange(|_, changes| edit_deliveries(changes, use_basic))),
    ("events.other-kind", OnChange(|_, changes| edit_deliveries(changes, rename_event))),
    ("events.first-subscriber-only", OnChange(last_subscriber_only)),
    ("events.too-early", OnChange(|world, changes| notify_in(SentForSignature, world, changes))),
    ("events.of-declined", OnChange(|world, changes| notify_in(Declined, world, changes))),
];

/// The changes that are not lost.
pub(super) fn without(changes: Vec<Change>, is_lost: impl Fn(&Change) -> bool) -> Vec<Change> {
    changes.into_iter().filter(|change| !is_lost(change)).collect()
}

/// Drops new deliveries once a webhook was deleted: its row was added, and is no longer there.
fn address_blocked(world: &World, changes: Vec<Change>) -> Vec<Change> {
    let rows = &world.state().webhooks;
    let mut added = rows.base_length()..rows.next_row();
    match added.any(|row| rows.get(row).is_none()) {
        true => without(changes, is_new),
        false => changes,
    }
}

fn last_subscriber_only(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let last = changes.iter().rposition(is_new);
    let kept = changes.into_iter().enumerate();
    kept.filter(|(at, change)| !is_new(change) || Some(*at) == last)
        .map(|(_, change)| change)
        .collect()
}

/// Also notifies the subscribers of each request that gets this status.
fn notify_in(wanted: LegalRequestStatus, world: &World, changes: Vec<Change>) -> Vec<Change> {
    let mut added = Vec::new();
    for change in &changes {
        let Change::PutLegalRequest { row, record } = change else { continue };
        let before = world.state().legal_requests.get(*row).map(|before| before.status());
        let status = record.status();
        if status == wanted && before != Some(status) {
            let at = record.activity.last().map_or(record.created_at, |entry| entry.at);
            added.extend(deliver::queue(world, at, EXECUTION_COMPLETE, record).0);
        }
    }
    changes.into_iter().chain(added).collect()
}

fn send_to_root(delivery: &mut Delivery) {
    if let Ok(mut url) = url::Url::parse(&delivery.url) {
        url.set_path("/");
        delivery.url = url.into();
    }
}

fn use_basic(delivery: &mut Delivery) {
    let bearer = delivery.authorization.take();
    delivery.authorization = bearer.map(|value| value.replace("Bearer ", "Basic "));
}

fn rename_event(delivery: &mut Delivery) {
    if let Ok(mut body) = serde_json::from_str::<Value>(&delivery.body) {
        body["event"] = json!("request_updated");
        delivery.body = body.to_string();
    }
}

/// Whether a change queues a delivery for the first time.
fn is_new(change: &Change) -> bool {
    match change {
        Change::PutDelivery { record } => {
            record.tries == 0 && matches!(record.progress, DeliveryProgress::Queued { .. })
        }
        _ => false,
    }
}

fn edit_deliveries(changes: Vec<Change>, edit: impl Fn(&mut Delivery)) -> Vec<Change> {
    let edited = |change| match change {
        Change::PutDelivery { record } => {
            let mut delivery = Delivery::clone(&record);
            edit(&mut delivery);
            Change::PutDelivery { record: Arc::new(delivery) }
        }
        other => other,
    };
    changes.into_iter().map(edited).collect()
}
