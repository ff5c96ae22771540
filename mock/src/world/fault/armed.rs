//! The armed faults of a world, with the number of calls that they affected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::Method;
use moot_fixtures::contract::Operation;
use moot_fixtures::journal::FaultKind;
use moot_fixtures::pattern;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Fault, FaultEffect};
use crate::value::limits::FAULTS_MAX;
use crate::value::message::call::Head;

/// The faults of a world, in the order armed. Interior state: each call is counted.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    armed: Mutex<Vec<ArmedFault>>,
    /// The id of the newest fault.
    newest: AtomicU64,
}

/// An armed fault.
#[derive(Debug, Clone)]
pub(crate) struct ArmedFault {
    id: u64,
    fault: Arc<Fault>,
    /// Index of [`Fault::application`].
    application: Option<u32>,
    /// Matching calls so far.
    matched: u64,
    /// Matching calls that advanced the sequence.
    hits: u64,
}

/// The effects of an armed fault on one call.
#[derive(Debug, Clone)]
pub(crate) struct AppliedFault {
    id: u64,
    fault: Arc<Fault>,
    /// The place in [`Fault::sequence`].
    step: usize,
}

impl AppliedFault {
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

impl Faults {
    /// Arms a fault, and returns its JSON. `None` if [`FAULTS_MAX`] faults are armed already.
    pub(crate) fn arm(&self, fault: Fault, application: Option<u32>) -> Option<Value> {
        let mut all = self.armed.lock();
        if all.len() >= FAULTS_MAX {
            return None;
        }
        let id = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        let armed = ArmedFault { id, fault: Arc::new(fault), application, matched: 0, hits: 0 };
        let shown = armed.json();
        all.push(armed);
        Some(shown)
    }

    /// The JSON of all armed faults, oldest first, including spent ones.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.armed.lock().iter().map(ArmedFault::json).collect()
    }

    /// Removes all faults.
    pub(crate) fn clear(&self) {
        self.armed.lock().clear();
    }

    /// Removes a fault. Returns whether it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut all = self.armed.lock();
        let before = all.len();
        all.retain(|armed| armed.id != id);
        all.len() < before
    }

    /// Counts a call, and returns the first fault that affects it. `operation` is `None` if path and method belong
    /// to no operation.
    pub(crate) fn apply(
        &self,
        head: &Head<'_>,
        operation: Option<Operation>,
        application: Option<u32>,
    ) -> Option<AppliedFault> {
        let mut applied = None;
        for armed in self.armed.lock().iter_mut() {
            if !armed.matches(head, operation, application) {
                continue;
            }
            armed.matched += 1;
            if applied.is_none() {
                applied = armed.apply();
            }
        }
        applied
    }

    /// Takes back the hit that [`Self::apply`] counted, because the response had nothing to damage.
    pub(crate) fn undo(&self, applied: &AppliedFault) {
        if let Some(armed) = self.armed.lock().iter_mut().find(|armed| armed.id == applied.id) {
            armed.hits = armed.hits.saturating_sub(1);
        }
    }
}

impl ArmedFault {
    fn matches(
        &self,
        head: &Head<'_>,
        operation: Option<Operation>,
        application: Option<u32>,
    ) -> bool {
        let fault = &self.fault;
        let is_known = operation.is_some() || fault.path.is_some();
        is_known
            && (fault.operation.is_none() || fault.operation == operation)
            && fault.method.as_ref().is_none_or(|method| method == head.method)
            && fault.path.as_ref().is_none_or(|path| pattern::matches(path, head.path))
            && fault.client.is_none_or(|client| client == head.client.to_canonical())
            && (self.application.is_none() || self.application == application)
    }

    /// Counts a matching call. `None` if the fault does not affect it.
    fn apply(&mut self) -> Option<AppliedFault> {
        if self.matched < self.fault.nth || self.is_spent() {
            return None;
        }
        let length = self.fault.sequence.len() as u64;
        let step = usize::try_from(self.hits % length.max(1)).unwrap_or_default();
        self.hits += 1;
        let applied = AppliedFault { id: self.id, fault: self.fault.clone(), step };
        (!applied.effects().is_empty()).then_some(applied)
    }

    fn is_spent(&self) -> bool {
        let length = self.fault.sequence.len() as u64;
        self.hits >= self.fault.times.saturating_mul(length)
    }

    /// Shape: a member of `faults` of the control plane. `kind` is null if there are several effects.
    fn json(&self) -> Value {
        let fault = &*self.fault;
        let kinds = |effects: &Vec<FaultEffect>| effects.iter().map(FaultEffect::kind).collect();
        let sequence: Vec<Vec<FaultKind>> = fault.sequence.iter().map(kinds).collect();
        let kind = match sequence.as_slice() {
            [kinds] => (kinds.len() == 1).then(|| kinds[0]),
            _ => None,
        };
        json!({
            "id": self.id,
            "kind": kind,
            "sequence": sequence,
            "operation": fault.operation,
            "method": fault.method.as_ref().map(Method::as_str),
            "path": fault.path,
            "application": fault.application,
            "client": fault.client,
            "nth": fault.nth,
            "times": fault.times,
            "matched": self.matched,
            "hits": self.hits,
            "spent": self.is_spent(),
        })
    }
}
