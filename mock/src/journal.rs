//! What clients sent and what they were told: one bounded ring of bytes.
//!
//! Recording a call that changes nothing allocates nothing once the ring has grown: of an answer's body
//! the handle is kept, not a copy. Files are never kept. What holds a secret is masked when it is read, not
//! while somebody waits for an answer: nobody is shown more of a secret than its fingerprint.

mod exchange;
mod masked;
mod record;

pub(crate) use exchange::{Exchange, SentPart, Timing};
pub(crate) use record::Record;

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::value::limits::{JOURNAL_ANSWERS_MAX, JOURNAL_BYTES_MAX, JOURNAL_ENTRIES_MAX};

/// The ring. The oldest entries go first.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Ring>);

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    entries: usize,
    /// The bodies that the newest calls were answered with; the newest entry's is the last.
    answers: VecDeque<Bytes>,
    /// Bytes of them together.
    answers_length: usize,
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
        ring.keep_answer(record::answer(record));
    }

    /// All calls, oldest first.
    pub(crate) fn all(&self) -> Vec<Exchange> {
        // Copied, so that no call waits while all are read.
        let (bytes, answers, entries) = {
            let ring = self.0.lock();
            let (front, back) = ring.bytes.as_slices();
            ([front, back].concat(), ring.answers.clone(), ring.entries)
        };
        let mut rest: &[u8] = &bytes;
        let mut exchanges = Vec::with_capacity(entries);
        let without = entries.saturating_sub(answers.len());
        for at in 0..entries {
            let Some((length, after)) = rest.split_first_chunk::<LENGTH_BYTES>() else { break };
            let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let Some((bytes, after)) = after.split_at_checked(length) else { break };
            rest = after;
            let answer = at.checked_sub(without).and_then(|at| answers.get(at)).cloned();
            let answer = answer.unwrap_or_default();
            exchanges.extend(exchange::read(bytes).map(|read| read.answered_with(answer)));
        }
        exchanges
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let ring = &mut *self.0.lock();
        ring.bytes.clear();
        ring.answers.clear();
        ring.answers_length = 0;
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
    /// Keeps the answer of the newest entry; the oldest answers go first, and with their entry.
    fn keep_answer(&mut self, answer: Bytes) {
        self.answers_length += answer.len();
        self.answers.push_back(answer);
        while self.answers.len() > self.entries || self.answers_length > JOURNAL_ANSWERS_MAX {
            let Some(oldest) = self.answers.pop_front() else { break };
            self.answers_length -= oldest.len();
        }
    }

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
