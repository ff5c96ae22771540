//! The rows of one kind by number, with their ids and their index: the seed rows, which worlds share, and the changed
//! rows of one world.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::world::state::ids::Ids;
use crate::world::state::index::Index;

/// A table with copy on write: the base never changes.
#[derive(Debug, Clone)]
pub(crate) struct RowTable<R> {
    base: Arc<Vec<Arc<R>>>,
    /// The ids of the base.
    pub(crate) ids: Arc<Ids>,
    pub(crate) index: Index,
    /// Replaced and deleted rows of the base.
    changed: BTreeMap<u32, Option<Arc<R>>>,
    /// Rows that were added after the base.
    added: Vec<Option<Arc<R>>>,
}

impl<R> RowTable<R> {
    /// A table with these rows.
    pub(crate) fn new(base: Vec<Arc<R>>, ids: Ids, index: Index) -> Self {
        let (base, ids) = (Arc::new(base), Arc::new(ids));
        Self { base, ids, index, changed: BTreeMap::new(), added: Vec::new() }
    }

    /// The row with this number. `None` if it was deleted or never existed.
    pub(crate) fn get(&self, row: u32) -> Option<&Arc<R>> {
        let place = row as usize;
        match self.base.get(place) {
            Some(seeded) => self.changed.get(&row).map_or(Some(seeded), Option::as_ref),
            None => self.added.get(place - self.base.len())?.as_ref(),
        }
    }

    /// The number of seed rows, including deleted ones.
    pub(crate) fn base_length(&self) -> u32 {
        length(self.base.len())
    }

    /// The number of the next row. No number is used twice.
    pub(crate) fn next_row(&self) -> u32 {
        length(self.base.len() + self.added.len())
    }

    /// The rows that differ from the base, each with its number; `None` is a deleted row.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (u32, Option<&Arc<R>>)> {
        let changed = self.changed.iter().map(|(row, record)| (*row, record.as_ref()));
        let added = (self.base_length()..).zip(&self.added);
        changed.chain(added.map(|(row, record)| (row, record.as_ref())))
    }

    /// Sets a row; `None` deletes it.
    pub(crate) fn set(&mut self, row: u32, record: Option<Arc<R>>) {
        let Some(place) = (row as usize).checked_sub(self.base.len()) else {
            self.changed.insert(row, record);
            return;
        };
        if place >= self.added.len() {
            self.added.resize(place + 1, None);
        }
        self.added[place] = record;
    }
}

/// A number of rows as `u32`. [`crate::value::limits::ROWS_MAX`] is far below its limit.
pub(crate) fn length(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
