//! Counts the calls to each route of the control plane, for the account of a client.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// The calls by path and method of the route.
#[derive(Debug, Default)]
pub(crate) struct ControlUses(Mutex<BTreeMap<(&'static str, &'static str), UseCount>>);

#[derive(Debug, Clone, Copy, Default)]
struct UseCount {
    calls: u64,
    refused: u64,
}

impl ControlUses {
    /// Counts one call.
    pub(crate) fn count(&self, method: &'static str, path: &'static str, is_refused: bool) {
        let mut all = self.0.lock();
        let count = all.entry((path, method)).or_default();
        count.calls += 1;
        count.refused += u64::from(is_refused);
    }

    /// Shape: `[{"method", "path", "calls", "refused"}]`, by path; the path is below `/__admin`.
    pub(crate) fn shown(&self) -> Value {
        let all = self.0.lock();
        let rows = all.iter().map(|((path, method), UseCount { calls, refused })| {
            json!({ "method": method, "path": path, "calls": calls, "refused": refused })
        });
        rows.collect()
    }
}
