//! The kill matrix: the defects that each requirement noticed.
//!
//! The checks of a gating requirement can give `fail`. A gating requirement that noticed no defect is unproven: its
//! check is wrong, or a defect is missing.

use std::collections::BTreeMap;

use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_mock::defect::Defect;
use serde::Serialize;

use super::trial::{declared_requirements, is_noticed};
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::check::implicit;

/// A requirement that some check judges.
#[derive(Debug, Clone, Serialize)]
pub struct MatrixRow {
    pub requirement: String,
    /// The clause.
    pub section: String,
    /// Whether its checks can give `fail`.
    pub is_gating: bool,
    /// The defects that break it and made it fail (or warn, if it is not gating).
    pub killed_by: Vec<String>,
}

/// A row for each requirement that some check judges, in the order of the register. `noticed` has each defect with the
/// requirements that failed or warned. A defect counts only for the requirements that it names in `breaks`.
pub(super) fn rows<'a>(
    files: &[ScenarioFile],
    noticed: impl Iterator<Item = (&'a Defect, &'a BTreeMap<String, Verdict>)>,
) -> Vec<MatrixRow> {
    let mut checked = declared_requirements(files);
    checked.extend(implicit::TABLE.iter().flat_map(|row| row.verifies).map(|&id| id.to_owned()));
    let mut killers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (defect, noticed) in noticed {
        for id in defect.breaks.iter().filter(|id| is_noticed(id, noticed.get(*id))) {
            killers.entry(id).or_default().push(defect.id.clone());
        }
    }
    let rows = register::all().iter().filter(|row| checked.contains(&row.id));
    rows.map(|row| MatrixRow {
        requirement: row.id.clone(),
        section: row.section.clone(),
        is_gating: row.level == Level::Stated,
        killed_by: killers.remove(row.id.as_str()).unwrap_or_default(),
    })
    .collect()
}
