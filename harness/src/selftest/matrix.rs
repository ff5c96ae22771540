//! The kill matrix: which defects each row of the register was seen to notice.
//!
//! A gating row is one whose check can give `fail`. One that no defect makes fail is unproven: either
//! its check is wrong, or its defect is missing.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_mock::defect::Defect;
use serde::Serialize;

use super::defects::Tried;
use crate::check::implicit;
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;

/// A row of the register with a check.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its id.
    pub requirement: String,
    /// The clause.
    pub section: String,
    /// Whether its check can give `fail`.
    pub is_gating: bool,
    /// The defects that made it fail (warn, where it is not gating).
    pub killed_by: Vec<String>,
}

/// A line for each checked row, in the order of the register.
pub fn matrix(files: &[ScenarioFile], tried: &[Tried]) -> Vec<Row> {
    rows(files, tried.iter().map(|tried| (tried.defect, &tried.noticed)))
}

/// As [`matrix`], of defects by id with the rows that failed or warned.
pub(super) fn rows<'a>(
    files: &[ScenarioFile],
    noticed: impl Iterator<Item = (&'a Defect, &'a BTreeMap<String, Verdict>)>,
) -> Vec<Row> {
    let mut checked: BTreeSet<String> = BTreeSet::new();
    for scenario in files.iter().flat_map(|file| &file.scenarios) {
        checked.extend(declared::requirements(&scenario.steps));
    }
    checked.extend(implicit::TABLE.iter().flat_map(|row| row.verifies).map(|&id| id.to_owned()));
    let mut killers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (defect, noticed) in noticed {
        for (id, verdict) in noticed {
            let is_gating = register::get(id).is_some_and(|row| row.level == Level::Stated);
            let is_broken = defect.breaks.contains(id);
            if is_broken && (*verdict == Verdict::Fail || !is_gating) {
                killers.entry(id).or_default().push(defect.id.clone());
            }
        }
    }
    let rows = register::all().iter().filter(|row| checked.contains(&row.id));
    rows.map(|row| Row {
        requirement: row.id.clone(),
        section: row.section.clone(),
        is_gating: row.level == Level::Stated,
        killed_by: killers.remove(row.id.as_str()).unwrap_or_default(),
    })
    .collect()
}

/// Gating rows that no defect made fail.
pub fn unproven(rows: &[Row]) -> Vec<&Row> {
    rows.iter().filter(|row| row.is_gating && row.killed_by.is_empty()).collect()
}
