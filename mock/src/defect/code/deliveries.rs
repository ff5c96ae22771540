//! Defects of webhooks and their deliveries (§4.13, §6). They edit changes before these are applied.

use std::collections::BTreeSet;
use std::sync::Arc;

use moot_fixtures::contract::LegalRequestStatus::{self, Declined, SentForSignature};
use moot_fixtures::contract::{EXECUTION_COMPLETE, Operation, PAGE_SIZE_EXAMPLE};
use serde_json::{Map, Value, json};
use url::Url;

use super::DefectCode::{self, Answer, Change as OnChange};
use crate::defect::call::DefectCall;
use crate::defect::edit;
use crate::value::message::call::Body;
use crate::world::state::change::Change;
use crate::world::state::resource::{Delivery, DeliveryProgress};
use crate::world::{Outcome, World, deliver};

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("delete-webhook.address-blocked", OnChange(address_blocked)),
    ("delete-webhook.queue-survives", OnChange(queue_survives)),
    (
        "events.never-sent",
        OnChange(|_, changes| {
            without(changes, |change| matches!(change, Change::PutDelivery { .. }))
        }),
    ),
    ("events.elsewhere", OnChange(|_, changes| edit_addresses(changes, |url| url.set_path("/")))),
    (
        "events.query-lost",
        OnChange(|_, changes| edit_addresses(changes, |url| url.set_query(None))),
    ),
    ("events.once-per-address", OnChange(once_per_address)),
    (
        "events.without-credential",
        OnChange(|_, changes| edit_deliveries(changes, |delivery| delivery.authorization = None)),
    ),
    ("events.credential-as-basic", OnChange(|_, changes| edit_deliveries(changes, use_basic))),
    ("events.other-kind", OnChange(|_, changes| edit_deliveries(changes, rename_event))),
    ("events.also-another-kind", OnChange(also_another_kind)),
    ("events.first-subscriber-only", OnChange(last_subscriber_only)),
    ("events.one-page-of-subscribers", OnChange(one_page_of_subscribers)),
    ("events.too-early", OnChange(|world, changes| notify_in(SentForSignature, world, changes))),
    ("events.of-declined", OnChange(|world, changes| notify_in(Declined, world, changes))),
    ("events.to-everybody", Answer(also_subscribed)),
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

/// A deletion of a webhook keeps its deliveries as they are.
fn queue_survives(_: &World, changes: Vec<Change>) -> Vec<Change> {
    if !changes.iter().any(|change| matches!(change, Change::DeleteWebhook { .. })) {
        return changes;
    }
    without(changes, |change| {
        matches!(change, Change::PutDelivery { .. } | Change::DeleteDelivery { .. })
    })
}

/// Queues a second event beside each event.
fn also_another_kind(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let new: Vec<Change> = changes.iter().filter(|change| is_new(change)).cloned().collect();
    let count = new.len() as u64;
    let others = edit_deliveries(new, |delivery| {
        delivery.id += count;
        rename_event(delivery);
    });
    changes.into_iter().chain(others).collect()
}

/// Registers a webhook for any events, and for full execution too. The response shows only the events of the call.
fn also_subscribed(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let Body::Whole(bytes) = &call.call.body else { return outcome };
    let payload: Option<Map<String, Value>> = serde_json::from_slice(bytes).ok();
    let Some(mut payload) = payload.filter(|_| call.is(Operation::CreateWebhook)) else {
        return outcome;
    };
    let Some(asked) = payload.insert("events".to_owned(), json!([EXECUTION_COMPLETE])) else {
        return outcome;
    };
    let Ok(others) = serde_json::from_value::<Vec<String>>(asked.clone()) else { return outcome };
    if others.iter().any(|event| event == EXECUTION_COMPLETE) {
        return outcome;
    }
    let mut accepted = call.answer_of_body(Body::Whole(json!(payload).to_string().into()));
    for change in &mut accepted.changes {
        if let Change::PutWebhook { record, .. } = change {
            let events = &mut Arc::make_mut(record).events;
            *events = others.iter().chain(&*events).cloned().collect();
        }
    }
    edit::rewrite(&mut accepted.response, |body| body["data"]["attributes"]["events"] = asked);
    accepted
}

fn last_subscriber_only(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let last = changes.iter().rposition(is_new);
    let kept = changes.into_iter().enumerate();
    kept.filter(|(at, change)| !is_new(change) || Some(*at) == last)
        .map(|(_, change)| change)
        .collect()
}

fn one_page_of_subscribers(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let mut left = PAGE_SIZE_EXAMPLE;
    let mut is_kept = |change: &Change| {
        let is_new = is_new(change);
        let is_kept = !is_new || left > 0;
        left -= u64::from(is_new && is_kept);
        is_kept
    };
    changes.into_iter().filter(|change| is_kept(change)).collect()
}

/// Also notifies the subscribers of each request that gets this status.
fn notify_in(wanted: LegalRequestStatus, world: &World, changes: Vec<Change>) -> Vec<Change> {
    let mut added = Vec::new();
    for change in &changes {
        let Change::PutLegalRequest { row, record } = change else { continue };
        let before = world.state().legal_requests.get(*row).map(|before| before.status);
        let status = record.status;
        if status == wanted && before != Some(status) {
            let at = record.activity.last().map_or(record.created_at, |entry| entry.at);
            added.extend(deliver::queue(world, at, EXECUTION_COMPLETE, record).0);
        }
    }
    changes.into_iter().chain(added).collect()
}

fn edit_addresses(changes: Vec<Change>, edit: impl Fn(&mut Url)) -> Vec<Change> {
    edit_deliveries(changes, |delivery| {
        if let Ok(mut url) = Url::parse(&delivery.url) {
            edit(&mut url);
            delivery.url = url.into();
        }
    })
}

/// Keeps one new delivery for each address.
fn once_per_address(_: &World, changes: Vec<Change>) -> Vec<Change> {
    let mut addresses = BTreeSet::new();
    let mut is_first = |change: &Change| match change {
        Change::PutDelivery { record } => !is_new(change) || addresses.insert(record.url.clone()),
        _ => true,
    };
    changes.into_iter().filter(|change| is_first(change)).collect()
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

fn edit_deliveries(mut changes: Vec<Change>, edit: impl Fn(&mut Delivery)) -> Vec<Change> {
    for change in &mut changes {
        if let Change::PutDelivery { record } = change {
            edit(Arc::make_mut(record));
        }
    }
    changes
}
