//! The ids of seed rows. The seed world has some of them. The others derive from the number of the row.

use std::collections::BTreeMap;

use crate::value::identifier::{IdKind, Identifiers};
use crate::value::settings::SettingsError;

/// The rows of one kind by id. The row of a derived id is computed, so that a million rows need no map.
#[derive(Debug)]
pub(crate) struct Ids {
    pub(crate) kind: IdKind,
    identifiers: Identifiers,
    rows: u32,
    named: BTreeMap<String, u32>,
    /// The rows whose ids the seed world gives. The ids that would derive from their numbers name no row.
    named_rows: Vec<u32>,
}

impl Ids {
    /// The ids of all rows of a kind, in the order of the rows.
    ///
    /// # Errors
    /// [`SettingsError::SeedWorld`]: two rows have the same id. `plural` is their kind in words.
    pub(crate) fn new<'a>(
        kind: IdKind,
        plural: &str,
        identifiers: &Identifiers,
        ids: impl Iterator<Item = &'a String>,
    ) -> Result<Self, SettingsError> {
        let (named, named_rows) = (BTreeMap::new(), Vec::new());
        let mut all = Self { kind, identifiers: *identifiers, rows: 0, named, named_rows };
        let twice = |id: &str| SettingsError::SeedWorld(format!("two {plural} `{id}`"));
        for (row, id) in (0..).zip(ids) {
            all.rows = row + 1;
            if all.identifiers.number(kind, id) == Some(u64::from(row)) {
                continue;
            }
            all.named_rows.push(row);
            if all.named.insert(id.clone(), row).is_some() {
                return Err(twice(id));
            }
        }
        match all.named.keys().find(|id| all.derived(id).is_some()) {
            Some(id) => Err(twice(id)),
            None => Ok(all),
        }
    }

    /// The row of an id.
    pub(crate) fn row(&self, id: &str) -> Option<u32> {
        self.named.get(id).copied().or_else(|| self.derived(id))
    }

    fn derived(&self, id: &str) -> Option<u32> {
        let row = u32::try_from(self.identifiers.number(self.kind, id)?).ok()?;
        let is_derived = row < self.rows && self.named_rows.binary_search(&row).is_err();
        is_derived.then_some(row)
    }
}
