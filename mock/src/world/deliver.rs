//! The outbox (§6): queueing deliveries, their attempts and retries.
//!
//! This file decides which delivery is due and records the result. The shell sends it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, json};

use crate::value::clock::later;
use crate::value::limits::DELIVERIES_MAX;
use crate::value::timestamp;
use crate::world::World;
use crate::world::fault::drill;
use crate::world::state::change::{Change, Effect};
use crate::world::state::resource::delivery::{
    AttemptRecord, AttemptResult, Delivery, DeliveryProgress,
};
use crate::world::state::resource::{LegalRequest, Webhook};

/// One attempt to deliver, to be made now.
#[derive(Debug, Clone)]
pub struct DeliveryAttempt {
    /// The delivery.
    pub delivery: u64,
    /// Destination of the `POST`.
    pub url: String,
    /// Its headers, in order.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Bytes,
}

/// Queues an event of a request for every webhook of its company that is subscribed.
pub(crate) fn queue(
    world: &World,
    at: Timestamp,
    event: &str,
    record: &LegalRequest,
) -> (Vec<Change>, Vec<Effect>) {
    let policy = &world.state().delivery_policy;
    let sent_event = policy.event.as_deref().unwrap_or(event);
    // The log of deliveries has the unknown event under its own name, so that a drill can be judged by it.
    let event_name = if sent_event == drill::EVENT { drill::EVENT } else { event };
    let mut bodies = vec![(event_name, body(world, at, sent_event, record))];
    if world.drills.read().events {
        bodies.push((drill::EVENT, body(world, at, drill::EVENT, record)));
    }
    let (mut changes, mut effects) = (Vec::new(), Vec::new());
    let mut ids = world.state().next_delivery..;
    for (row, webhook) in subscribed(world, record.company, event) {
        for (authorization, is_forged) in credentials(world, webhook) {
            for ((event, body), id) in bodies.iter().zip(&mut ids) {
                effects.push(Effect::delivery(at, id, event, &webhook.url));
                let due = later(at, policy.wait_seconds(world.settings.seed, id));
                changes.push(put(Delivery {
                    id,
                    webhook: row,
                    webhook_id: webhook.id.clone(),
                    event: (*event).to_owned(),
                    legal_request_id: record.id.clone(),
                    url: webhook.url.clone(),
                    authorization: authorization.clone(),
                    is_forged,
                    body: body.clone(),
                    progress: DeliveryProgress::Queued { due },
                    attempts: Vec::new(),
                    tries: 0,
                }));
            }
        }
    }
    let forgotten = forgotten(world, changes.len());
    (forgotten.into_iter().chain(changes).collect(), effects)
}

/// The body of a delivery of this event: `{event, data: {request_id, …}}`, with the members of the answer
/// `delivery_payload`.
fn body(world: &World, at: Timestamp, event: &str, record: &LegalRequest) -> String {
    let answers = world.answers();
    let mut data = Map::new();
    data.insert("request_id".to_owned(), json!(record.id));
    for member in &answers.delivery_payload.members {
        let value = match member.as_str() {
            "workflow_id" => json!(world.seed_data().workflow_id(record.workflow)),
            "status" => json!(record.status.as_str()),
            "occurred_at" => json!(timestamp::text(answers.timestamps, at)),
            _ => continue,
        };
        data.insert(member.clone(), value);
    }
    json!({ "event": event, "data": data }).to_string()
}

/// The `Authorization` of each delivery to a webhook, and whether it is forged: the forged ones first, if the policy
/// asks for them, then the right one for each copy.
fn credentials(world: &World, webhook: &Webhook) -> Vec<(Option<String>, bool)> {
    let policy = &world.state().delivery_policy;
    let forgeries = if policy.is_forged { webhook.credential.forgeries() } else { Vec::new() };
    let forged = forgeries.into_iter().map(|authorization| (authorization, true));
    let copies = 1 + policy.duplicates as usize;
    forged.chain(std::iter::repeat_n((webhook.credential.header(), false), copies)).collect()
}

/// The changes to the deliveries of a deleted webhook: open ones are discarded, finished ones are deleted
/// (§4.13).
pub(crate) fn discard(world: &World, webhook: u32) -> Vec<Change> {
    let deliveries = world.state().deliveries.values();
    deliveries
        .filter(|delivery| delivery.webhook == webhook)
        .map(|delivery| {
            if delivery.progress.is_open() {
                put(Delivery { progress: DeliveryProgress::Discarded, ..Delivery::clone(delivery) })
            } else {
                Change::DeleteDelivery { id: delivery.id }
            }
        })
        .collect()
}

/// The attempts that are due, each marked as in flight.
pub(crate) fn begin(world: &World, now: Timestamp) -> (Vec<Change>, Vec<DeliveryAttempt>) {
    let deliveries = &world.state().deliveries;
    let due = world.state().due_deliveries(now);
    due.iter()
        .filter_map(|id| deliveries.get(id))
        .filter_map(|delivery| {
            let progress = DeliveryProgress::InFlight { due: delivery.progress.due()?, began: now };
            Some((put(Delivery { progress, ..Delivery::clone(delivery) }), attempt(delivery)))
        })
        .unzip()
}

/// Whether an attempt is running or about to start.
pub(crate) fn is_in_flight(world: &World, id: u64) -> bool {
    let delivery = world.state().deliveries.get(&id);
    delivery.is_some_and(|delivery| matches!(delivery.progress, DeliveryProgress::InFlight { .. }))
}

/// Whether an attempt that is in flight may still start.
pub(crate) fn may_start(world: &World, id: u64) -> bool {
    is_in_flight(world, id) && !world.state().delivery_policy.is_paused
}

/// Queues a delivery again whose attempt did not start. `None` if it is no longer in flight.
pub(crate) fn put_back(world: &World, id: u64) -> Option<Change> {
    let delivery = world.state().deliveries.get(&id).filter(|_| is_in_flight(world, id))?;
    Some(Change::PutDelivery { record: delivery.requeued() })
}

/// The change at the end of an attempt. `None` if the delivery is no longer in flight.
pub(crate) fn done(
    world: &World,
    now: Timestamp,
    id: u64,
    result: AttemptResult,
    lasted: Option<Duration>,
) -> Option<Change> {
    let delivery = world.state().deliveries.get(&id)?;
    let DeliveryProgress::InFlight { due, began } = delivery.progress else { return None };
    // The next retry counts from the time the attempt was due, plus its duration. So if the clock jumps over
    // several retries, each of them still has its own time.
    let took = now.duration_since(began);
    let ended = due.checked_add(took).unwrap_or(now);
    let is_success = matches!(result, AttemptResult::Status(200..=299));
    let retries = &world.answers().delivery_retries;
    let progress = match retries.get(delivery.tries) {
        _ if is_success => DeliveryProgress::Delivered,
        Some(&seconds) => DeliveryProgress::Queued { due: later(ended, u64::from(seconds)) },
        None => DeliveryProgress::Failed,
    };
    let mut delivery =
        Delivery { progress, tries: delivery.tries + 1, ..Delivery::clone(delivery) };
    delivery.attempts.push(AttemptRecord {
        at: due,
        outcome: result,
        milliseconds: lasted.map(|lasted| u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX)),
    });
    Some(put(delivery))
}

/// Queues a finished delivery again, with all its retries.
pub(crate) fn again(delivery: &Delivery, now: Timestamp) -> Change {
    let progress = DeliveryProgress::Queued { due: now };
    put(Delivery { progress, tries: 0, ..delivery.clone() })
}

fn put(delivery: Delivery) -> Change {
    Change::PutDelivery { record: Arc::new(delivery) }
}

fn attempt(delivery: &Delivery) -> DeliveryAttempt {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let authorization = delivery.authorization.clone();
    headers.extend(authorization.map(|value| ("authorization".to_owned(), value)));
    DeliveryAttempt {
        delivery: delivery.id,
        url: delivery.url.clone(),
        headers,
        body: Bytes::from(delivery.body.clone()),
    }
}

fn subscribed<'w>(
    world: &'w World,
    company: u32,
    event: &'w str,
) -> impl Iterator<Item = (u32, &'w Arc<Webhook>)> {
    let state = world.state();
    let rows = state.webhooks.index.rows(company, None).into_iter().flatten();
    rows.filter_map(move |row| Some((row, state.webhooks.get(row)?)))
        .filter(move |(_, webhook)| webhook.events.iter().any(|subscribed| subscribed == event))
}

/// The deletions that make room for `added` deliveries: the oldest finished ones first, then the oldest.
fn forgotten(world: &World, added: usize) -> Vec<Change> {
    let deliveries = &world.state().deliveries;
    let count = (deliveries.len() + added).saturating_sub(DELIVERIES_MAX);
    let finished = deliveries.values().filter(|delivery| !delivery.progress.is_open());
    let open = deliveries.values().filter(|delivery| delivery.progress.is_open());
    finished
        .chain(open)
        .take(count)
        .map(|delivery| Change::DeleteDelivery { id: delivery.id })
        .collect()
}
