//! How long a sandbox lives without a call.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// A lease: it ends once nobody called for its length, in real time.
#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    end: Mutex<Instant>,
}

impl Lease {
    /// A lease from `now` on.
    pub(crate) fn new(length: Duration, now: Instant) -> Self {
        Self { length, end: Mutex::new(now + length) }
    }

    /// Begins anew.
    pub(crate) fn renew(&self, now: Instant) {
        *self.end.lock() = now + self.length;
    }

    /// When it ends, unless somebody calls.
    pub(crate) fn end(&self) -> Instant {
        *self.end.lock()
    }

    pub(crate) const fn length(&self) -> Duration {
        self.length
    }
}
