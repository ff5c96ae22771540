//! The outbox (§6): which deliveries are queued, when each is attempted, and when it is given up.
//!
//! The shell sends. This file decides what is sent when, and records the result.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

use crate::value::clock::later;
use crate::value::limits::DELIVERIES_MAX;
use crate::value::timestamp;
use crate::world::World;
use crate::world::fault::drill;
use crate::world::state::change::{Change, Effect, EffectKind};
use crate::world::state::resource::delivery::{
    AttemptOutcome, AttemptRecord, Delivery, DeliveryState, WebhookEvent, payload,
};
use crate::world::state::resource::{LegalRequest, Webhook};

/// One attempt to deliver, to be made now.
#[derive(Debug, Clone)]
pub struct DeliveryAttempt {
    /// The delivery.
    pub delivery: u64,
    /// Where to `POST`.
    pub url: String,
    /// With these headers, in this order.
    pub headers: Vec<(String, String)>,
    /// And this body.
    pub body: Bytes,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver answered with this HTTP status; 2xx is success.
    Status(u16),
    /// It did not, and why.
    NoAnswer(String),
}

/// Queues an event of a request for every webhook of its company that is subscribed.
pub(crate) fn queue(
    world: &World,
    at: Timestamp,
    event: &str,
    record: &LegalRequest,
) -> (Vec<Change>, Vec<Effect>) {
    let policy = &world.state().delivery_policy;
    let told = |event| {
        let body = payload(
            &world.answers().delivery_payload.members,
            &WebhookEvent {
                kind: event,
                legal_request_id: &record.id,
                workflow_id: world.seeded().workflow_id(record.workflow),
                status: record.status().as_str(),
                occurred_at: timestamp::text(world.answers().timestamps, at),
            },
        );
        (event, body)
    };
    let happened = policy.event.as_deref().unwrap_or(event);
    let drilled = world.drilled().get().events.then_some(drill::EVENT);
    let told: Vec<(&str, String)> = [happened].into_iter().chain(drilled).map(told).collect();
    let (mut changes, mut effects) = (Vec::new(), Vec::new());
    let copies = 1 + policy.duplicates;
    let receivers = subscribed(world, record.company, event)
        .flat_map(|(row, webhook)| {
            let forgeries =
                if policy.is_forged { webhook.credential.forgeries() } else { Vec::new() };
            let forged = forgeries.into_iter().map(|authorization| (authorization, true));
            let own = std::iter::repeat_n((webhook.credential.header(), false), copies as usize);
            forged.chain(own).map(move |credential| (row, webhook, credential))
        })
        .flat_map(|receiver| told.iter().map(move |told| (receiver.clone(), told)));
    for (id, ((row, webhook, (authorization, is_forged)), (told_event, body))) in
        (world.state().next_delivery..).zip(receivers)
    {
        let event = if *told_event == drill::EVENT { drill::EVENT } else { event };
        let due = later(at, policy.wait_seconds(world.settings().seed, id));
        let delivery = Delivery {
            id,
            webhook: row,
            webhook_id: webhook.id.clone(),
            event: event.to_owned(),
            legal_request_id: record.id.clone(),
            url: webhook.url.clone(),
            authorization,
            is_forged,
            body: body.clone(),
            state: DeliveryState::Queued { due },
            attempts: Vec::new(),
            tries: 0,
        };
        effects.push(Effect {
            at,
            kind: EffectKind::Delivery,
            id: id.to_string(),
            detail: format!("{event} to {}", webhook.url),
        });
        changes.push(Change::PutDelivery { record: Arc::new(delivery) });
    }
    let forgotten = forgotten(world, changes.len());
    (forgotten.into_iter().chain(changes).collect(), effects)
}

/// What deleting a webhook does to its deliveries: open ones are discarded, the log of the others
/// goes with it (§4.13).
pub(crate) fn discard(world: &World, webhook: u32) -> Vec<Change> {
    let deliveries = world.state().deliveries.values();
    deliveries
        .filter(|delivery| delivery.webhook == webhook)
        .map(|delivery| {
            if delivery.state.is_open() {
                put(Delivery { state: DeliveryState::Discarded, ..Delivery::clone(delivery) })
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
        .filter_map(|delivery| match delivery.state {
            DeliveryState::Queued { due } => {
                let state = DeliveryState::InFlight { due, began: now };
                Some((put(Delivery { state, ..Delivery::clone(delivery) }), attempt(delivery)))
            }
            DeliveryState::InFlight { .. }
            | DeliveryState::Delivered
            | DeliveryState::Failed
            | DeliveryState::Discarded => None,
        })
        .unzip()
}

/// Whether an attempt is being made, or may still start.
pub(crate) fn is_in_flight(world: &World, id: u64) -> bool {
    let delivery = world.state().deliveries.get(&id);
    delivery.is_some_and(|delivery| matches!(delivery.state, DeliveryState::InFlight { .. }))
}

/// Whether an attempt that is in flight may still start.
pub(crate) fn may_start(world: &World, id: u64) -> bool {
    is_in_flight(world, id) && !world.state().delivery_policy.is_paused
}

/// Queues a delivery whose attempt did not start after all; `None` where it is not wanted any more.
pub(crate) fn put_back(world: &World, id: u64) -> Option<Change> {
    let delivery = world.state().deliveries.get(&id)?;
    let DeliveryState::InFlight { due, .. } = delivery.state else { return None };
    Some(put(Delivery { state: DeliveryState::Queued { due }, ..Delivery::clone(delivery) }))
}

/// What the end of an attempt changes; `None` where it is not in flight any more.
pub(crate) fn done(
    world: &World,
    now: Timestamp,
    id: u64,
    result: AttemptResult,
    lasted: Option<Duration>,
) -> Option<Change> {
    let delivery = world.state().deliveries.get(&id)?;
    let DeliveryState::InFlight { due, began } = delivery.state else { return None };
    // The schedule counts from when the attempt was due and how long it took, so that a clock which
    // jumped over several retries still makes each of them at its own time.
    let took = now.duration_since(began);
    let ended = due.checked_add(took).unwrap_or(now);
    let is_success = matches!(result, AttemptResult::Status(200..=299));
    let retries = &world.answers().delivery_retries;
    let state = match retries.get(delivery.tries) {
        _ if is_success => DeliveryState::Delivered,
        Some(&seconds) => DeliveryState::Queued { due: later(ended, u64::from(seconds)) },
        None => DeliveryState::Failed,
    };
    let mut delivery = Delivery { state, tries: delivery.tries + 1, ..Delivery::clone(delivery) };
    delivery.attempts.push(AttemptRecord {
        at: due,
        outcome: match result {
            AttemptResult::Status(status) => AttemptOutcome::Status(status),
            AttemptResult::NoAnswer(why) => AttemptOutcome::Error(why),
        },
        milliseconds: lasted.map(|lasted| u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX)),
    });
    Some(put(delivery))
}

/// Queues a delivery once more, with all its retries.
pub(crate) fn again(delivery: &Delivery, now: Timestamp) -> Change {
    let state = DeliveryState::Queued { due: now };
    put(Delivery { state, tries: 0, ..delivery.clone() })
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
    let rows = state.webhook_index.rows(company, None).into_iter().flatten();
    rows.filter_map(move |row| Some((row, state.webhooks.get(row)?)))
        .filter(move |(_, webhook)| webhook.events.iter().any(|subscribed| subscribed == event))
}

/// The deliveries that go so that `added` more fit: the oldest finished ones, then the oldest.
fn forgotten(world: &World, added: usize) -> Vec<Change> {
    let deliveries = &world.state().deliveries;
    let count = (deliveries.len() + added).saturating_sub(DELIVERIES_MAX);
    let finished = deliveries.values().filter(|delivery| !delivery.state.is_open());
    let open = deliveries.values().filter(|delivery| delivery.state.is_open());
    finished
        .chain(open)
        .take(count)
        .map(|delivery| Change::DeleteDelivery { id: delivery.id })
        .collect()
}
