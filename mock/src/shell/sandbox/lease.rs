//! How long a sandbox lives without a call.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// A lease. It ends when nobody has called the sandbox for its length of real time.
#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    end: Mutex<Instant>,
}

impl Lease {
    /// A lease that begins at `now`.
    pub(crate) fn new(length: Duration, now: Instant) -> Self {
        Self { length, end: Mutex::new(now + length) }
    }

    /// Begins again.
    pub(crate) fn renew(&self, now: Instant) {
        *self.end.lock() = now + self.length;
    }

    /// When the lease ends if nobody calls.
    pub(crate) fn end(&self) -> Instant {
        *self.end.lock()
    }

    pub(crate) const fn length(&self) -> Duration {
        self.length
    }
}
