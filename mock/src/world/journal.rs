//! The journal: what clients sent, what they were answered and why.
//!
//! A bounded queue of [`JournalEntry`]s. Secrets are masked before an entry is kept. Files are never
//! kept.

mod entry;
mod masks;

pub(crate) use entry::{CallEffects, JournalEntry, Occurrence, SentPart, Timing};

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::value::limits::{JOURNAL_ANSWERS_MAX, JOURNAL_ENTRIES_MAX, JOURNAL_TEXTS_MAX};

/// Entries that an empty journal makes room for.
const FIRST_ENTRIES: usize = 16;

/// The newest entries of a world.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    entries: VecDeque<JournalEntry>,
    /// [`JournalEntry::text_length`] of all of them.
    text_length: usize,
    /// Bytes of the answers' bodies that are kept.
    answer_length: usize,
    /// Number of the oldest entries whose answers' bodies were dropped.
    without_answer: usize,
    /// Exchanges that were in it once.
    forgotten: u64,
    /// How often it was emptied.
    cleared: u64,
    /// Whether the account of a client is made of it: what is cleared is then hidden, and not removed.
    is_for_account: bool,
    /// Number of the oldest entries that were cleared and are still here.
    hidden: usize,
}

impl Journal {
    /// Keeps a call; the oldest ones make room for it.
    pub(crate) fn record(&self, occurrence: &Occurrence<'_>) {
        // Made before the lock is taken, so that no other call waits for it.
        let entry = JournalEntry::of(occurrence);
        let text_length = entry.text_length();
        let queue = &mut *self.0.lock();
        while queue.entries.len() >= JOURNAL_ENTRIES_MAX
            || queue.text_length + text_length > JOURNAL_TEXTS_MAX
        {
            let Some(oldest) = queue.entries.pop_front() else { break };
            queue.text_length -= oldest.text_length();
            queue.answer_length -= oldest.answer.len();
            queue.without_answer = queue.without_answer.saturating_sub(1);
            queue.hidden = queue.hidden.saturating_sub(1);
            queue.forgotten += 1;
        }
        queue.text_length += text_length;
        queue.answer_length += entry.answer.len();
        let length = queue.entries.len();
        if length == queue.entries.capacity() {
            // Doubling to the end would make room for 16,384 entries, a third of it for nothing.
            let more = length.max(FIRST_ENTRIES).min(JOURNAL_ENTRIES_MAX - length);
            queue.entries.reserve_exact(more);
        }
        queue.entries.push_back(entry);
        while queue.answer_length > JOURNAL_ANSWERS_MAX {
            let Some(oldest) = queue.entries.get_mut(queue.without_answer) else { break };
            queue.answer_length -= std::mem::take(&mut oldest.answer).len();
            queue.without_answer += 1;
        }
    }

    /// How many entries fit, and the newest `max` of them, the oldest first. Only these are copied, so that a
    /// reader of a full journal holds up no call for long.
    pub(crate) fn matching(
        &self,
        max: usize,
        fits: impl Fn(&JournalEntry) -> bool,
    ) -> (usize, Vec<JournalEntry>) {
        let queue = self.0.lock();
        let (mut count, mut newest) = (0, Vec::new());
        for entry in queue.entries.iter().skip(queue.hidden).rev().filter(|entry| fits(entry)) {
            count += 1;
            if count <= max {
                newest.push(entry.clone());
            }
        }
        newest.reverse();
        (count, newest)
    }

    /// All entries, oldest first, with those that were cleared and are kept for the account.
    #[cfg(feature = "server")]
    pub(crate) fn all_for_account(&self) -> Vec<JournalEntry> {
        self.0.lock().entries.iter().cloned().collect()
    }

    /// Keeps from now on what is cleared, for the account of a client.
    #[cfg(feature = "server")]
    pub(crate) fn keep_for_account(&self) {
        self.0.lock().is_for_account = true;
    }

    /// The newest entry that fits.
    pub(crate) fn newest(&self, fits: impl Fn(&JournalEntry) -> bool) -> Option<JournalEntry> {
        self.0.lock().entries.iter().rev().find(|entry| fits(entry)).cloned()
    }

    /// The entries that were recorded after this many, but the newest `max` of them only; with how many were
    /// recorded before the first of them.
    #[cfg(feature = "server")]
    pub(crate) fn after(&self, recorded: u64, max: usize) -> (u64, Vec<JournalEntry>) {
        let queue = self.0.lock();
        let fresh = usize::try_from(queue.recorded().saturating_sub(recorded)).unwrap_or(max);
        let count = fresh.min(max).min(queue.entries.len());
        let skipped = queue.entries.len() - count;
        let entries = queue.entries.iter().skip(skipped).cloned().collect();
        (queue.forgotten + skipped as u64, entries)
    }

    /// How many entries were recorded so far.
    #[cfg(feature = "server")]
    pub(crate) fn recorded(&self) -> u64 {
        self.0.lock().recorded()
    }

    /// How often it was emptied.
    #[cfg(feature = "server")]
    pub(crate) fn cleared(&self) -> u64 {
        self.0.lock().cleared
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let queue = &mut *self.0.lock();
        queue.cleared += 1;
        if queue.is_for_account {
            queue.hidden = queue.entries.len();
        } else {
            let (forgotten, cleared) = (queue.recorded(), queue.cleared);
            *queue = Entries { forgotten, cleared, ..Entries::default() };
        }
    }

    /// An empty journal that counts the entries of this one as forgotten.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        let queue = self.0.lock();
        let (forgotten, is_for_account) = (queue.recorded(), queue.is_for_account);
        Self(Mutex::new(Entries { forgotten, is_for_account, ..Entries::default() }))
    }

    /// How many entries it had and has no more.
    #[cfg(feature = "server")]
    pub(crate) fn forgotten(&self) -> u64 {
        self.0.lock().forgotten
    }
}

impl Entries {
    fn recorded(&self) -> u64 {
        self.forgotten + self.entries.len() as u64
    }
}
