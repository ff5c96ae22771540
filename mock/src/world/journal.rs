//! The journal: the calls of clients, their responses, and the reasons of refusals.
//!
//! A bounded queue of [`JournalEntry`]s. Secrets are masked before an entry is kept. Files are never
//! kept.

mod entry;
mod masks;

pub(crate) use entry::{CallEffects, JournalEntry, Occurrence, Timing};

use std::collections::VecDeque;
#[cfg(feature = "server")]
use std::sync::Arc;

use parking_lot::Mutex;

#[cfg(feature = "server")]
use crate::value::limits::DELIVERIES_MAX;
use crate::value::limits::{JOURNAL_ENTRIES_MAX, JOURNAL_RESPONSE_BODIES_MAX, JOURNAL_TEXTS_MAX};
#[cfg(feature = "server")]
use crate::world::state::resource::delivery::Delivery;

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
    /// Bytes of the response bodies that are kept.
    body_length: usize,
    /// Number of the oldest entries whose response bodies were dropped.
    without_body: usize,
    /// Number of entries that were dropped or cleared.
    forgotten: u64,
    /// How often it was cleared.
    cleared: u64,
    /// Whether it is kept whole to judge a client (`moot exec`, `moot drill`). Then `clear` hides entries instead of
    /// removing them.
    is_for_account: bool,
    /// Number of the oldest entries that were cleared and are still here.
    hidden: usize,
    /// Deliveries that were removed with their webhook, since the client that received them is judged by them. The
    /// oldest ones make room for others.
    #[cfg(feature = "server")]
    removed_deliveries: VecDeque<Arc<Delivery>>,
}

impl Journal {
    /// Keeps a call; the oldest ones make room for it.
    pub(crate) fn record(&self, occurrence: &Occurrence<'_>) {
        // Made before the lock is taken, so that other calls do not wait for it.
        let entry = JournalEntry::of(occurrence);
        let text_length = entry.text_length();
        let queue = &mut *self.0.lock();
        while queue.entries.len() >= JOURNAL_ENTRIES_MAX
            || queue.text_length + text_length > JOURNAL_TEXTS_MAX
        {
            let Some(oldest) = queue.entries.pop_front() else { break };
            queue.text_length -= oldest.text_length();
            queue.body_length -= oldest.response_body.len();
            queue.without_body = queue.without_body.saturating_sub(1);
            queue.hidden = queue.hidden.saturating_sub(1);
            queue.forgotten += 1;
        }
        queue.text_length += text_length;
        queue.body_length += entry.response_body.len();
        let length = queue.entries.len();
        if length == queue.entries.capacity() {
            // A doubled capacity would end at 16,384 entries, a third of it unused.
            let more = length.max(FIRST_ENTRIES).min(JOURNAL_ENTRIES_MAX - length);
            queue.entries.reserve_exact(more);
        }
        queue.entries.push_back(entry);
        while queue.body_length > JOURNAL_RESPONSE_BODIES_MAX {
            let Some(oldest) = queue.entries.get_mut(queue.without_body) else { break };
            queue.body_length -= std::mem::take(&mut oldest.response_body).len();
            queue.without_body += 1;
        }
    }

    /// The number of matching entries, and the newest `max` of them, oldest first. Only these are copied, so that the
    /// lock is held for a short time.
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

    /// All entries, oldest first, including hidden ones.
    #[cfg(feature = "server")]
    pub(crate) fn all_for_account(&self) -> Vec<JournalEntry> {
        self.0.lock().entries.iter().cloned().collect()
    }

    /// Keeps a delivery that is removed from the state.
    #[cfg(feature = "server")]
    pub(crate) fn keep_delivery(&self, delivery: &Arc<Delivery>) {
        let removed = &mut self.0.lock().removed_deliveries;
        if removed.len() >= DELIVERIES_MAX {
            removed.pop_front();
        }
        removed.push_back(delivery.clone());
    }

    /// The deliveries that were removed from the state.
    #[cfg(feature = "server")]
    pub(crate) fn removed_deliveries(&self) -> Vec<Arc<Delivery>> {
        self.0.lock().removed_deliveries.iter().cloned().collect()
    }

    /// From now on `clear` hides entries instead of removing them, so that a client can be judged.
    #[cfg(feature = "server")]
    pub(crate) fn keep_for_account(&self) {
        self.0.lock().is_for_account = true;
    }

    /// The newest matching entry.
    pub(crate) fn newest(&self, fits: impl Fn(&JournalEntry) -> bool) -> Option<JournalEntry> {
        let queue = self.0.lock();
        queue.entries.iter().skip(queue.hidden).rev().find(|entry| fits(entry)).cloned()
    }

    /// The entries after the first `recorded` ones, at most the newest `max` of them. The number says how many entries
    /// were recorded before the first of them.
    #[cfg(feature = "server")]
    pub(crate) fn after(&self, recorded: u64, max: usize) -> (u64, Vec<JournalEntry>) {
        let queue = self.0.lock();
        let fresh = usize::try_from(queue.recorded().saturating_sub(recorded)).unwrap_or(max);
        let count = fresh.min(max).min(queue.entries.len());
        let skipped = queue.entries.len() - count;
        let entries = queue.entries.iter().skip(skipped).cloned().collect();
        (queue.forgotten + skipped as u64, entries)
    }

    /// Number of entries recorded so far.
    #[cfg(feature = "server")]
    pub(crate) fn recorded(&self) -> u64 {
        self.0.lock().recorded()
    }

    /// How often it was cleared.
    #[cfg(feature = "server")]
    pub(crate) fn cleared(&self) -> u64 {
        self.0.lock().cleared
    }

    /// Removes or hides all entries.
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

    /// An empty journal that continues the counts of this one.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        let queue = self.0.lock();
        let (forgotten, is_for_account) = (queue.recorded(), queue.is_for_account);
        Self(Mutex::new(Entries { forgotten, is_for_account, ..Entries::default() }))
    }

    /// Number of entries that were dropped or cleared.
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
