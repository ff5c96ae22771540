//! Snapshots of steps in a loop over the target's data.
//!
//! The number and order of rows depend on the data. Rows with the same response share a snapshot. A row
//! matches if it equals any snapshot of the step.

use std::collections::BTreeMap;
use std::path::Path;

use crate::file::Metadata;
use crate::shape::fill_empty_lists;
use crate::store::{self, Comparison, StoreError, StoreMode};

/// The largest number of snapshots of one step of a loop.
const FAMILY_MAX: usize = 200;

/// The responses of all loops of a run.
#[derive(Debug, Default)]
pub struct Rows {
    families: BTreeMap<String, Family>,
}

/// The snapshots of one step of a loop: `NAME`, `NAME__2`, …
#[derive(Debug, Default)]
struct Family {
    /// Names of the snapshots that were accepted before the run.
    accepted: Vec<String>,
    /// Different texts of this run that match no accepted snapshot.
    new: Vec<String>,
}

impl Rows {
    /// Compares a row's `content` with every accepted snapshot of the step `name`. The [`StoreMode`] decides on
    /// writing. Returns the name of the matching snapshot, or the name for a new one.
    pub fn check(
        &mut self,
        dir: &Path,
        name: &str,
        metadata: &Metadata,
        content: &str,
        mode: StoreMode,
    ) -> (String, Comparison) {
        if !self.families.contains_key(name) {
            match Family::find(dir, name, mode) {
                Ok(family) => self.families.insert(name.to_owned(), family),
                Err(error) => return (name.to_owned(), Comparison::Error(error.to_string())),
            };
        }
        let family = self.families.entry(name.to_owned()).or_default();
        for known in &family.accepted {
            match store::check(dir, known, metadata, content, StoreMode::Check) {
                Comparison::Mismatch { .. } => {}
                comparison => return (known.clone(), comparison),
            }
        }
        let alike =
            |known: &String| fill_empty_lists(known, content) == fill_empty_lists(content, known);
        let (place, text) = match family.new.iter().position(alike) {
            // This row may have items in a list that was empty in earlier rows.
            Some(place) => (place, fill_empty_lists(&family.new[place], content)),
            None => (family.new.len(), content.to_owned()),
        };
        let own = family.name_of(name, place);
        let before = family.new.get(place).cloned();
        match before {
            Some(_) => family.new[place].clone_from(&text),
            None => family.new.push(text.clone()),
        }
        let is_first = place == 0 || family.accepted.is_empty();
        let comparison = match (mode, before) {
            // The difference to the first accepted snapshot.
            (StoreMode::Check | StoreMode::Collect, _) => {
                store::check(dir, name, metadata, &text, StoreMode::Check)
            }
            (StoreMode::Record, Some(before)) if before == text => Comparison::Match,
            // This run recorded the snapshot.
            (StoreMode::Record, Some(_)) if family.accepted.is_empty() => {
                match store::write_text(&store::file_of(dir, &own), metadata, &text) {
                    Comparison::Updated => Comparison::Added,
                    other => other,
                }
            }
            (StoreMode::Record, None) if is_first => {
                store::check(dir, &own, metadata, &text, StoreMode::Record)
            }
            (StoreMode::Record, _) => {
                let pending = store::pending_path(&store::file_of(dir, &own));
                store::write_text(&pending, metadata, &text)
            }
        };
        (own, comparison)
    }

    /// The names of all snapshots of the steps that ran.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families.values().flat_map(|family| family.accepted.iter().map(String::as_str))
    }
}

impl Family {
    fn find(dir: &Path, name: &str, mode: StoreMode) -> Result<Self, StoreError> {
        let mut accepted = Vec::new();
        for place in 0..FAMILY_MAX {
            let own = numbered(name, place);
            let file = store::file_of(dir, &own);
            if mode == StoreMode::Record {
                // A pending text of an earlier run. If the response still occurs, it is written again.
                store::remove_if_there(&store::pending_path(&file))?;
            }
            if file.exists() {
                accepted.push(own);
            }
        }
        Ok(Self { accepted, new: Vec::new() })
    }

    /// The name for the new text at this place. The first new text is compared with the first accepted
    /// one.
    fn name_of(&self, name: &str, place: usize) -> String {
        match place {
            0 => self.accepted.first().cloned().unwrap_or_else(|| name.to_owned()),
            _ => {
                let free = |own: &String| !self.accepted.contains(own);
                let mut names = (1..).map(|at| numbered(name, at)).filter(free);
                names.nth(place - 1).unwrap_or_else(|| name.to_owned())
            }
        }
    }
}

fn numbered(name: &str, place: usize) -> String {
    if place == 0 { name.to_owned() } else { format!("{name}__{}", place + 1) }
}
