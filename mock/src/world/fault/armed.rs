//! The armed faults of a world, with the number of their strikes.

use std::net::IpAddr;
use std::sync::Arc;

use moot_fixtures::contract::Operation;
use moot_fixtures::journal::FaultKind;
use parking_lot::Mutex;
use serde::Serialize;

use super::{Fault, FaultEffect};
use crate::value::limits::FAULTS_MAX;
use crate::value::message::call::Head;

/// The faults of a world, in the order armed. Interior state: each call is counted.
#[derive(Debug, Default)]
pub(crate) struct Faults {
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
    /// Matching calls that advanced the sequence.
    hits: u64,
}

/// A fault that strikes a call.
#[derive(Debug, Clone)]
pub(crate) struct Strike {
    id: u64,
    fault: Arc<Fault>,
    /// The place in [`Fault::sequence`].
    step: usize,
}

impl Strike {
    /// Its effects, at least one.
    pub(crate) fn effects(&self) -> &[FaultEffect] {
        self.fault.sequence.get(self.step).map_or(&[], Vec::as_slice)
    }

    /// Whether the call is not processed.
    pub(crate) fn is_before(&self) -> bool {
        self.effects().iter().any(FaultEffect::is_before)
    }

    /// The kinds of its effects.
    pub(crate) fn kinds(&self) -> Vec<FaultKind> {
        self.effects().iter().map(FaultEffect::kind).collect()
    }
}

/// JSON of an armed fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ArmedFaultJson {
    pub(crate) id: u64,
    /// `None` if it has several effects.
    kind: Option<FaultKind>,
    sequence: Vec<Vec<FaultKind>>,
    operation: Option<Operation>,
    method: Option<String>,
    path: Option<String>,
    application: Option<String>,
    client: Option<IpAddr>,
    nth: u64,
    times: u64,
    matched: u64,
    hits: u64,
    spent: bool,
}

impl Faults {
    /// Arms a fault. `None` if [`FAULTS_MAX`] faults are armed already.
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
        Some(view)
    }

    /// All armed faults, oldest first, including spent ones.
    pub(crate) fn views(&self) -> Vec<ArmedFaultJson> {
        self.inner.lock().armed.iter().map(Armed::view).collect()
    }

    /// Removes all faults.
    pub(crate) fn clear(&self) {
        self.inner.lock().armed.clear();
    }

    /// Removes a fault. Returns whether it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut inner = self.inner.lock();
        let before = inner.armed.len();
        inner.armed.retain(|armed| armed.id != id);
        inner.armed.len() < before
    }

    /// Counts a call, and returns the first fault that strikes it. `operation` is `None` if path and method belong
    /// to no operation.
    pub(crate) fn strike(
        &self,
        head: &Head<'_>,
        operation: Option<Operation>,
        application: Option<u32>,
    ) -> Option<Strike> {
        let mut strike = None;
        for armed in &mut self.inner.lock().armed {
            if !armed.matches(head, operation, application) {
                continue;
            }
            armed.matched += 1;
            if strike.is_none() {
                strike = armed.strike();
            }
        }
        strike
    }

    /// Takes a strike back, because the response had nothing to damage.
    pub(crate) fn missed(&self, strike: &Strike) {
        let mut inner = self.inner.lock();
        if let Some(armed) = inner.armed.iter_mut().find(|armed| armed.id == strike.id) {
            armed.hits = armed.hits.saturating_sub(1);
        }
    }
}

impl Armed {
    fn matches(
        &self,
        head: &Head<'_>,
        operation: Option<Operation>,
        application: Option<u32>,
    ) -> bool {
        let filter = &self.fault.filter;
        let is_known = operation.is_some() || filter.path.is_some();
        is_known
            && (filter.operation.is_none() || filter.operation == operation)
            && filter.method.as_ref().is_none_or(|method| method == head.method)
            && filter.path.as_ref().is_none_or(|pattern| pattern.matches(head.path))
            && filter.client.is_none_or(|client| client == head.client.to_canonical())
            && (self.application.is_none() || self.application == application)
    }

    /// Counts a matching call. `None` if the fault does not strike it.
    fn strike(&mut self) -> Option<Strike> {
        if self.matched < self.fault.nth || self.is_spent() {
            return None;
        }
        let length = self.fault.sequence.len() as u64;
        let step = usize::try_from(self.hits % length.max(1)).unwrap_or_default();
        self.hits += 1;
        let strike = Strike { id: self.id, fault: self.fault.clone(), step };
        (!strike.effects().is_empty()).then_some(strike)
    }

    fn is_spent(&self) -> bool {
        let length = self.fault.sequence.len() as u64;
        self.hits >= self.fault.times.saturating_mul(length)
    }

    fn view(&self) -> ArmedFaultJson {
        let Fault { filter, nth, times, sequence } = &*self.fault;
        let kinds = |effects: &Vec<FaultEffect>| effects.iter().map(FaultEffect::kind).collect();
        let sequence: Vec<Vec<FaultKind>> = sequence.iter().map(kinds).collect();
        let kind = match sequence.as_slice() {
            [kinds] => (kinds.len() == 1).then(|| kinds[0]),
            _ => None,
        };
        ArmedFaultJson {
            id: self.id,
            kind,
            sequence,
            operation: filter.operation,
            method: filter.method.as_ref().map(ToString::to_string),
            path: filter.path.as_ref().map(|path| path.as_str().to_owned()),
            application: filter.application.clone(),
            client: filter.client,
            nth: *nth,
            times: *times,
            matched: self.matched,
            hits: self.hits,
            spent: self.is_spent(),
        }
    }
}
