//! The events of a world, for those who watch it. A watcher asks again and again for what is new since it
//! asked last, so that nothing is kept for it but its place.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use strum::IntoStaticStr;

use super::clock;
use super::exchanges;
use super::filter::ExchangeFilter;
use crate::value::limits::WATCHED_CALLS_MAX;
use crate::world::World;
use crate::world::change_log::ChangeWatcher;
use crate::world::fault::ArmedFaultJson;
use crate::world::journal::Journal;
use crate::world::state::change::Change;

/// What an event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum EventKind {
    /// The first event: the watcher is there.
    Hello,
    /// A call and its answer.
    Exchange,
    /// Something changed that no other kind tells of.
    Change,
    /// A delivery was queued, attempted or forgotten.
    Delivery,
    /// The clock was moved, frozen or let run.
    Clock,
    /// A fault was armed or disarmed, or it struck.
    Fault,
    /// The world went back, or its journal was emptied.
    Reset,
    /// Events that the watcher was too slow for.
    Lost,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ControlEvent {
    pub(crate) kind: EventKind,
    /// The number of calls recorded so far; only a call has one.
    pub(crate) id: Option<u64>,
    /// JSON.
    pub(crate) data: String,
}

/// Somebody who watches a world: which events it has seen.
#[derive(Debug)]
pub(crate) struct EventWatcher {
    filter: ExchangeFilter,
    journal: Arc<Journal>,
    /// How many calls had been recorded.
    recorded: u64,
    /// How often the journal had been emptied.
    cleared: u64,
    changes: ChangeWatcher,
    faults: Vec<ArmedFaultJson>,
}

impl EventWatcher {
    /// Watches from now on; the calls after the one that was recorded as number `last` come first.
    pub(crate) fn new(world: &World, filter: ExchangeFilter, last: Option<u64>) -> Self {
        let journal = world.journal().clone();
        let recorded = journal.recorded();
        // Another process may have given a number that this one has not come to.
        let recorded = last.filter(|last| *last <= recorded).unwrap_or(recorded);
        let recorded = if filter.since.is_some() && last.is_none() { 0 } else { recorded };
        Self {
            filter,
            recorded,
            cleared: journal.cleared(),
            journal,
            changes: ChangeWatcher::new(world.change_log().clone()),
            faults: world.faults().views(),
        }
    }

    /// The first event: how many calls were recorded, and which world it is.
    pub(crate) fn hello(&self, world: &World) -> ControlEvent {
        let data = json!({ "recorded": self.journal.recorded(), "seed": world.settings().seed });
        ControlEvent { kind: EventKind::Hello, id: None, data: text(&data) }
    }

    /// What is new since the last time.
    pub(crate) fn news(&mut self, world: &World, system_now: Timestamp) -> Vec<ControlEvent> {
        let mut events = Vec::new();
        let is_other = !Arc::ptr_eq(&self.journal, world.journal())
            || !self.changes.watches(world.change_log())
            || self.cleared != world.journal().cleared();
        let mut lost = 0;
        if is_other {
            // What happened before it went back.
            lost += self.calls(world, &mut events) + self.changes(world, system_now, &mut events);
            *self = Self::new(world, self.filter.clone(), None);
            events.push(ControlEvent { kind: EventKind::Reset, id: None, data: text(&json!({})) });
        }
        lost += self.calls(world, &mut events) + self.changes(world, system_now, &mut events);
        self.faults(world, &mut events);
        if lost > 0 {
            let data = json!({ "lost": lost });
            events.push(ControlEvent { kind: EventKind::Lost, id: None, data: text(&data) });
        }
        events
    }

    /// The newest calls; gives how many earlier ones are lost.
    fn calls(&mut self, world: &World, events: &mut Vec<ControlEvent>) -> u64 {
        let (first, entries) = self.journal.after(self.recorded, WATCHED_CALLS_MAX);
        let lost = first.saturating_sub(self.recorded);
        self.recorded = first + entries.len() as u64;
        for (number, entry) in (first + 1..).zip(entries) {
            if self.filter.matches(world, &entry) {
                let data = exchanges::shown(world, entry);
                events.push(ControlEvent {
                    kind: EventKind::Exchange,
                    id: Some(number),
                    data: text(&data),
                });
            }
        }
        lost
    }

    /// The newest changes; gives how many earlier ones are lost.
    fn changes(
        &mut self,
        world: &World,
        system_now: Timestamp,
        events: &mut Vec<ControlEvent>,
    ) -> u64 {
        let (changes, lost) = self.changes.news();
        events.extend(changes.iter().map(|change| of_change(world, system_now, change)));
        lost
    }

    fn faults(&mut self, world: &World, events: &mut Vec<ControlEvent>) {
        let faults = world.faults().views();
        if faults == self.faults {
            return;
        }
        let is_known = |fault: &&ArmedFaultJson| self.faults.contains(fault);
        let changed = faults.iter().filter(|fault| !is_known(fault)).map(|fault| json!(fault));
        let gone = self.faults.iter().filter(|old| faults.iter().all(|one| one.id != old.id));
        let gone = gone.map(|fault| json!({ "id": fault.id, "disarmed": true }));
        let event = |data| ControlEvent { kind: EventKind::Fault, id: None, data: text(&data) };
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
        Change::PutLegalRequest { record, .. } => {
            let data = json!({ "change": change.to_string(), "legal_request_id": record.id });
            (EventKind::Change, data)
        }
        other => {
            (EventKind::Change, json!({ "change": other.to_string(), "legal_request_id": null }))
        }
    };
    ControlEvent { kind, id: None, data: text(&data) }
}

/// A call is written without a JSON value between: a busy mock tells of hundreds in a second.
fn text(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_default()
}
