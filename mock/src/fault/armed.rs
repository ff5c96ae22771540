//! The faults that are armed in a world, and how often each struck.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use serde::Serialize;

use super::{Fault, FaultKind, Struck};
use crate::value::limits::FAULTS_MAX;

/// The faults of a world, in the order armed. Interior state: calls are counted as they come.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Spares calls the lock while there is none.
    is_any: AtomicBool,
    inner: Mutex<ArmedFaults>,
}

#[derive(Debug, Default)]
struct ArmedFaults {
    armed: Vec<Armed>,
    made: u64,
}

/// An armed fault.
#[derive(Debug, Clone)]
pub(crate) struct Armed {
    id: u64,
    fault: Arc<Fault>,
    /// Index of [`Fault::application`].
    application: Option<u32>,
    /// Matching calls so far.
    matched: u64,
    /// Those that were struck.
    hits: u64,
}

/// A fault that strikes a call.
#[derive(Debug, Clone)]
pub(crate) struct Strike {
    id: u64,
    fault: Arc<Fault>,
}

impl Strike {
    pub(crate) fn kind(&self) -> &FaultKind {
        &self.fault.kind
    }
}

/// JSON of an armed fault.
#[derive(Debug, Serialize)]
pub(crate) struct ArmedFaultJson {
    id: u64,
    kind: &'static str,
    operation: Option<Operation>,
    application: Option<String>,
    client: Option<IpAddr>,
    nth: u64,
    times: u64,
    matched: u64,
    hits: u64,
    spent: bool,
}

impl Faults {
    /// Arms a fault; `None` where there are [`FAULTS_MAX`] already.
    pub(crate) fn arm(&self, fault: Fault, application: Option<u32>) -> Option<ArmedFaultJson> {
        let mut inner = self.inner.lock();
        if inner.armed.len() >= FAULTS_MAX {
            return None;
        }
        inner.made += 1;
        let armed =
            Armed { id: inner.made, fault: Arc::new(fault), application, matched: 0, hits: 0 };
        let view = armed.view();
        inner.armed.push(armed);
        self.is_any.store(true, Ordering::Release);
        Some(view)
    }

    /// All, also those that are spent, oldest first.
    pub(crate) fn views(&self) -> Vec<ArmedFaultJson> {
        self.inner.lock().armed.iter().map(Armed::view).collect()
    }

    /// Disarms and forgets all.
    pub(crate) fn clear(&self) {
        let mut inner = self.inner.lock();
        inner.armed.clear();
        self.is_any.store(false, Ordering::Release);
    }

    /// Disarms and forgets one; whether there was such.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut inner = self.inner.lock();
        let before = inner.armed.len();
        inner.armed.retain(|armed| armed.id != id);
        self.is_any.store(!inner.armed.is_empty(), Ordering::Release);
        inner.armed.len() < before
    }

    /// Counts a call; gives the first armed fault that strikes it.
    pub(crate) fn strike(&self, call: Struck) -> Option<Strike> {
        if !self.is_any.load(Ordering::Acquire) {
            return None;
        }
        let mut strike = None;
        for armed in &mut self.inner.lock().armed {
            if !armed.matches(call) {
                continue;
            }
            armed.matched += 1;
            let is_due = armed.matched >= armed.fault.nth && armed.hits < armed.fault.times;
            if is_due && strike.is_none() {
                armed.hits += 1;
                strike = Some(Strike { id: armed.id, fault: armed.fault.clone() });
            }
        }
        strike
    }

    /// Takes a strike back: the answer had nothing that it could damage.
    pub(crate) fn missed(&self, strike: &Strike) {
        let mut inner = self.inner.lock();
        if let Some(armed) = inner.armed.iter_mut().find(|armed| armed.id == strike.id) {
            armed.hits = armed.hits.saturating_sub(1);
        }
    }
}

impl Armed {
    fn matches(&self, call: Struck) -> bool {
        let Fault { operation, client, .. } = &*self.fault;
        operation.is_none_or(|operation| operation == call.operation)
            && client.is_none_or(|client| client == call.client)
            && (self.application.is_none() || self.application == call.application)
    }

    fn view(&self) -> ArmedFaultJson {
        let Fault { operation, application, client, nth, times, kind } = &*self.fault;
        ArmedFaultJson {
            id: self.id,
            kind: kind.into(),
            operation: *operation,
            application: application.clone(),
            client: *client,
            nth: *nth,
            times: *times,
            matched: self.matched,
            hits: self.hits,
            spent: self.hits >= *times,
        }
    }
}
