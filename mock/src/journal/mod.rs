//! What clients sent and what they were told: one bounded ring of bytes.
//!
//! Recording a call that changes nothing allocates nothing once the ring has grown. Bodies are never
//! kept, only what they are made of, and of a secret only its fingerprint.

mod exchange;
mod record;

pub(crate) use exchange::{Exchange, SentPart};
pub use exchange::{Filter, StatusFilter};
pub(crate) use record::Record;

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::limits::{JOURNAL_BYTES_MAX, JOURNAL_ENTRIES_MAX};

/// The ring. The oldest entries go first.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Ring>);

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    entries: usize,
    /// Calls that were in it once.
    forgotten: u64,
    /// The entry being written; kept for its capacity.
    scratch: Vec<u8>,
}

const LENGTH_BYTES: usize = 4;

impl Journal {
    /// Keeps a call.
    pub(crate) fn record(&self, record: &Record<'_>) {
        let ring = &mut *self.0.lock();
        ring.scratch.clear();
        record::write(record, &mut ring.scratch);
        // Every text of a record is cut, so the length fits.
        let length = u32::try_from(ring.scratch.len()).unwrap_or(u32::MAX);
        while ring.entries >= JOURNAL_ENTRIES_MAX
            || ring.entries > 0
                && ring.bytes.len() + LENGTH_BYTES + ring.scratch.len() > JOURNAL_BYTES_MAX
        {
            ring.forget_oldest();
        }
        ring.bytes.extend(&length.to_be_bytes());
        ring.bytes.extend(&ring.scratch);
        ring.entries += 1;
    }

    /// All calls, oldest first.
    pub(crate) fn all(&self) -> Vec<Exchange> {
        // Copied, so that no call waits while all are read.
        let (bytes, entries) = {
            let ring = self.0.lock();
            let (front, back) = ring.bytes.as_slices();
            ([front, back].concat(), ring.entries)
        };
        let mut rest: &[u8] = &bytes;
        let mut exchanges = Vec::with_capacity(entries);
        for _ in 0..entries {
            let Some((length, after)) = rest.split_first_chunk::<LENGTH_BYTES>() else { break };
            let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let Some((bytes, after)) = after.split_at_checked(length) else { break };
            rest = after;
            exchanges.extend(exchange::read(bytes));
        }
        exchanges
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let ring = &mut *self.0.lock();
        ring.bytes.clear();
        ring.forgotten += ring.entries as u64;
        ring.entries = 0;
    }

    /// An empty one, that knows how many calls this one had.
    #[must_use]
    pub(crate) fn anew(&self) -> Self {
        let Ring { entries, forgotten, .. } = *self.0.lock();
        let forgotten = forgotten + entries as u64;
        Self(Mutex::new(Ring { forgotten, ..Ring::default() }))
    }

    /// How many calls it had and has no more.
    #[cfg(feature = "server")]
    pub(crate) fn forgotten(&self) -> u64 {
        self.0.lock().forgotten
    }
}

impl Ring {
    fn forget_oldest(&mut self) {
        let mut length = [0; LENGTH_BYTES];
        for (byte, kept) in length.iter_mut().zip(&self.bytes) {
            *byte = *kept;
        }
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let end = LENGTH_BYTES.saturating_add(length).min(self.bytes.len());
        self.bytes.drain(..end);
        self.entries -= 1;
        self.forgotten += 1;
    }
}
