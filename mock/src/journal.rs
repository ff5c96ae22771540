//! The journal: what clients sent, what they were answered and why.
//!
//! A bounded queue of [`Exchange`]s. Secrets are masked before an exchange is kept, and files are never
//! kept.

mod exchange;
mod masks;

pub(crate) use exchange::{Exchange, Occurrence, SentPart, Timing};

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::value::limits::{JOURNAL_ANSWERS_MAX, JOURNAL_ENTRIES_MAX, JOURNAL_TEXTS_MAX};

/// The newest exchanges of a world.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    exchanges: VecDeque<Exchange>,
    /// [`Exchange::text_length`] of all of them.
    text_length: usize,
    /// Bytes of the answers' bodies that are kept.
    answer_length: usize,
    /// The bodies of so many answers, the oldest, are not kept any more.
    without_answer: usize,
    /// Exchanges that were in it once.
    forgotten: u64,
}

impl Journal {
    /// Keeps a call; the oldest ones make room for it.
    pub(crate) fn record(&self, occurrence: &Occurrence<'_>) {
        // Made before the lock is taken, so that no other call waits for it.
        let exchange = Exchange::of(occurrence);
        let text_length = exchange.text_length();
        let queue = &mut *self.0.lock();
        while queue.exchanges.len() >= JOURNAL_ENTRIES_MAX
            || queue.text_length + text_length > JOURNAL_TEXTS_MAX
        {
            let Some(oldest) = queue.exchanges.pop_front() else { break };
            queue.text_length -= oldest.text_length();
            queue.answer_length -= oldest.answer.len();
            queue.without_answer = queue.without_answer.saturating_sub(1);
            queue.forgotten += 1;
        }
        queue.text_length += text_length;
        queue.answer_length += exchange.answer.len();
        queue.exchanges.push_back(exchange);
        while queue.answer_length > JOURNAL_ANSWERS_MAX {
            let Some(oldest) = queue.exchanges.get_mut(queue.without_answer) else { break };
            queue.answer_length -= std::mem::take(&mut oldest.answer).len();
            queue.without_answer += 1;
        }
    }

    /// All exchanges, oldest first.
    pub(crate) fn all(&self) -> Vec<Exchange> {
        self.0.lock().exchanges.iter().cloned().collect()
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let queue = &mut *self.0.lock();
        *queue = Queue { forgotten: queue.recorded(), ..Queue::default() };
    }

    /// An empty journal that counts the exchanges of this one as forgotten.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        let forgotten = self.0.lock().recorded();
        Self(Mutex::new(Queue { forgotten, ..Queue::default() }))
    }

    /// How many exchanges it had and has no more.
    #[cfg(feature = "server")]
    pub(crate) fn forgotten(&self) -> u64 {
        self.0.lock().forgotten
    }
}

impl Queue {
    fn recorded(&self) -> u64 {
        self.forgotten + self.exchanges.len() as u64
    }
}
