//! The rows of one kind by number, with their ids and their index: the seed rows, which worlds share, and the changed
//! rows of one world.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::identifier::IdKind;
use crate::world::state::index::Index;

/// A table with copy on write: the base never changes.
#[derive(Debug, Clone)]
pub(crate) struct RowTable<R> {
    pub(crate) kind: IdKind,
    base: Arc<Vec<Arc<R>>>,
    /// The rows of the base by id.
    base_ids: Arc<BTreeMap<String, u32>>,
    pub(crate) index: Index,
    /// Replaced and deleted rows of the base.
    changed: BTreeMap<u32, Option<Arc<R>>>,
    /// Rows that were added after the base.
    added: Vec<Option<Arc<R>>>,
    /// The added rows by id.
    added_ids: BTreeMap<String, u32>,
}

impl<R> RowTable<R> {
    /// A table with these rows, and their numbers by id.
    pub(crate) fn new(
        kind: IdKind,
        base: Vec<Arc<R>>,
        ids: BTreeMap<String, u32>,
        index: Index,
    ) -> Self {
        Self {
            kind,
            base: Arc::new(base),
            base_ids: Arc::new(ids),
            index,
            changed: BTreeMap::new(),
            added: Vec::new(),
            added_ids: BTreeMap::new(),
        }
    }

    /// The row with an id, and its number.
    pub(crate) fn find(&self, id: &str) -> Option<(u32, &Arc<R>)> {
        let row = self.base_ids.get(id).or_else(|| self.added_ids.get(id))?;
        Some((*row, self.get(*row)?))
    }

    /// Whether a seed row has this id, or had it before it was deleted.
    pub(crate) fn is_seeded(&self, id: &str) -> bool {
        self.base_ids.contains_key(id)
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

    /// Adds or replaces the row with this number and id.
    pub(crate) fn put(&mut self, row: u32, id: String, record: Arc<R>) {
        if row >= self.base_length() {
            self.added_ids.insert(id, row);
        }
        self.set(row, Some(record));
    }

    /// Deletes a row.
    pub(crate) fn remove(&mut self, row: u32) {
        self.set(row, None);
    }

    fn set(&mut self, row: u32, record: Option<Arc<R>>) {
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
