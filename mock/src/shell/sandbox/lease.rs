//! The lease of a sandbox: its lifetime without a call.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// A lease. It ends when the sandbox was not called for the length of the lease, in real time. Without a length
/// it never ends.
#[derive(Debug, Default)]
pub(crate) struct Lease {
    /// Its length and its end.
    term: Mutex<Option<(Duration, Instant)>>,
}

impl Lease {
    /// A lease that starts at `now`.
    pub(crate) fn new(length: Option<Duration>, now: Instant) -> Self {
        Self { term: Mutex::new(length.map(|length| (length, now + length))) }
    }

    /// Starts the lease again.
    pub(crate) fn renew(&self, now: Instant) {
        if let Some((length, end)) = self.term.lock().as_mut() {
            *end = now + *length;
        }
    }

    /// Starts the lease again with another length.
    pub(crate) fn replace(&self, length: Duration, now: Instant) {
        *self.term.lock() = Some((length, now + length));
    }

    /// Its end, if no call comes before.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.term.lock().map(|(_, end)| end)
    }

    pub(crate) fn length(&self) -> Option<Duration> {
        self.term.lock().map(|(length, _)| length)
    }
}
