//! The events of a world, for its watchers. A watcher asks regularly for new events, so the world only
//! stores its position.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use strum::IntoStaticStr;

use super::clock;
use super::exchanges;
use super::filter::ExchangeFilter;
use crate::value::limits::WATCHED_CALLS_MAX;
use crate::world::World;
use crate::world::change_log::ChangeLog;
use crate::world::journal::Journal;
use crate::world::state::change::Change;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum EventKind {
    /// The first event of a watcher.
    Hello,
    /// A call and its response.
    Exchange,
    /// A change without a kind of its own.
    Change,
    /// A delivery was queued, attempted or removed.
    Delivery,
    /// The clock was moved, stopped or started.
    Clock,
    /// A fault was armed or removed, or it affected a call.
    Fault,
    /// The world was reset or restored, or its journal was emptied.
    Reset,
    /// Events were lost, because the watcher was too slow.
    Lost,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ControlEvent {
    pub(crate) kind: EventKind,
    /// The number of recorded calls. Only an exchange has an id.
    pub(crate) id: Option<u64>,
    /// JSON.
    pub(crate) data: String,
}

impl ControlEvent {
    fn new(kind: EventKind, data: &impl Serialize) -> Self {
        Self { kind, id: None, data: serde_json::to_string(data).unwrap_or_default() }
    }
}

/// The position of a watcher in the events of a world.
#[derive(Debug)]
pub(crate) struct EventWatcher {
    filter: ExchangeFilter,
    journal: Arc<Journal>,
    /// The number of recorded calls at its last question.
    recorded: u64,
    /// The number of times that the journal had been emptied.
    cleared: u64,
    changes: ChangeLog,
    /// The number of changes at its last question.
    changed: u64,
    /// The JSON of the armed faults at its last question.
    faults: Vec<Value>,
}

impl EventWatcher {
    /// A watcher of all events from now on. With `last`, the calls after the one with this number come
    /// first.
    pub(crate) fn new(world: &World, filter: ExchangeFilter, last: Option<u64>) -> Self {
        let journal = world.journal.clone();
        let recorded = journal.recorded();
        // Another process may have given a number that is too large for this one.
        let recorded = last.filter(|last| *last <= recorded).unwrap_or(recorded);
        let recorded = if filter.since.is_some() && last.is_none() { 0 } else { recorded };
        Self {
            filter,
            recorded,
            cleared: journal.cleared(),
            journal,
            changed: world.change_log.count(),
            changes: world.change_log.clone(),
            faults: world.faults.json(),
        }
    }

    /// The first event, with the number of recorded calls and the seed of the world.
    pub(crate) fn hello(&self, world: &World) -> ControlEvent {
        let data = json!({ "recorded": self.journal.recorded(), "seed": world.settings.seed });
        ControlEvent::new(EventKind::Hello, &data)
    }

    /// The events since the last call.
    pub(crate) fn news(&mut self, world: &World, system_now: Timestamp) -> Vec<ControlEvent> {
        let mut events = Vec::new();
        let is_other =
            !Arc::ptr_eq(&self.journal, &world.journal) || self.cleared != world.journal.cleared();
        let mut lost = 0;
        if is_other {
            // The events before the reset.
            lost += self.calls(world, &mut events) + self.changes(world, system_now, &mut events);
            *self = Self::new(world, self.filter.clone(), None);
            events.push(ControlEvent::new(EventKind::Reset, &json!({})));
        }
        lost += self.calls(world, &mut events) + self.changes(world, system_now, &mut events);
        self.faults(world, &mut events);
        if lost > 0 {
            events.push(ControlEvent::new(EventKind::Lost, &json!({ "lost": lost })));
        }
        events
    }

    /// Adds the new calls. Returns the number of lost ones.
    fn calls(&mut self, world: &World, events: &mut Vec<ControlEvent>) -> u64 {
        let (first, entries) = self.journal.after(self.recorded, WATCHED_CALLS_MAX);
        let lost = first.saturating_sub(self.recorded);
        self.recorded = first + entries.len() as u64;
        for (number, entry) in (first + 1..).zip(entries) {
            if self.filter.matches(world, &entry) {
                let shown = exchanges::with_advice(world, entry);
                let event = ControlEvent::new(EventKind::Exchange, &shown);
                events.push(ControlEvent { id: Some(number), ..event });
            }
        }
        lost
    }

    /// Adds the new changes. Returns the number of lost ones.
    fn changes(
        &mut self,
        world: &World,
        system_now: Timestamp,
        events: &mut Vec<ControlEvent>,
    ) -> u64 {
        let (changes, lost) = self.changes.after(self.changed);
        self.changed += changes.len() as u64 + lost;
        events.extend(changes.iter().map(|change| of_change(world, system_now, change)));
        lost
    }

    fn faults(&mut self, world: &World, events: &mut Vec<ControlEvent>) {
        let faults = world.faults.json();
        if faults == self.faults {
            return;
        }
        let changed = faults.iter().filter(|fault| !self.faults.contains(fault)).cloned();
        let gone = self.faults.iter().filter(|old| faults.iter().all(|one| one["id"] != old["id"]));
        let gone = gone.map(|fault| json!({ "id": fault["id"], "disarmed": true }));
        let event = |data| ControlEvent::new(EventKind::Fault, &data);
        events.extend(changed.chain(gone).map(event));
        self.faults = faults;
    }
}

fn of_change(world: &World, system_now: Timestamp, change: &Change) -> ControlEvent {
    let (kind, data) = match change {
        Change::PutDelivery { record } => (EventKind::Delivery, json!(record.json())),
        Change::DeleteDelivery { id } => {
            (EventKind::Delivery, json!({ "id": id, "forgotten": true }))
        }
        Change::SetClock(_) => (EventKind::Clock, clock::view(world, system_now, &[])),
        other => {
            let legal_request_id = match other {
                Change::PutLegalRequest { record, .. } => Some(&record.id),
                _ => None,
            };
            let data = json!({ "change": other.to_string(), "legal_request_id": legal_request_id });
            (EventKind::Change, data)
        }
    };
    ControlEvent::new(kind, &data)
}
