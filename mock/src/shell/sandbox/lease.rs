//! The lease of a sandbox: its lifetime without a call.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// A lease. It ends when the sandbox was not called for the length of the lease, in real time. Without a length
/// it never ends.
#[derive(Debug, Default)]
pub(crate) struct Lease(Mutex<Option<LeaseTerm>>);

#[derive(Debug, Clone, Copy)]
struct LeaseTerm {
    length: Duration,
    end: Instant,
}

impl Lease {
    /// A lease that starts at `now`.
    pub(crate) fn new(length: Option<Duration>, now: Instant) -> Self {
        Self(Mutex::new(length.map(|length| LeaseTerm { length, end: now + length })))
    }

    /// Starts the lease again.
    pub(crate) fn renew(&self, now: Instant) {
        if let Some(term) = self.0.lock().as_mut() {
            term.end = now + term.length;
        }
    }

    /// Starts the lease again with another length.
    pub(crate) fn replace(&self, length: Duration, now: Instant) {
        *self.0.lock() = Some(LeaseTerm { length, end: now + length });
    }

    /// Its end, if no call comes before.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.0.lock().map(|term| term.end)
    }

    pub(crate) fn length(&self) -> Option<Duration> {
        self.0.lock().map(|term| term.length)
    }
}
