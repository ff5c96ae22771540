//! Checks known failures against the scenarios and the day, before anything is sent.

use std::collections::BTreeSet;

use moot_fixtures::nearest::{alike, ending};
use moot_fixtures::{DataError, register};

use super::entry::{ExpectedEntry, ExpectedFailures};
use crate::scenario::ScenarioName;
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{self, PlanEntry, may_match};
use crate::verdict::check::implicit;

impl ExpectedFailures {
    /// Checks that no entry expired before `today` (`2027-01-31`), and that their ids exist. Without `files`, only the
    /// ids of requirements are checked.
    ///
    /// # Errors
    /// The first entry that expired or has an unknown id, with its place and the nearest known id.
    pub fn check(&self, files: Option<&[ScenarioFile]>, today: &str) -> Result<(), DataError> {
        self.entries.iter().try_for_each(|entry| {
            self.check_expiry(entry, today)?;
            match (files, entry.id.requirement()) {
                (Some(files), _) => self.check_id(entry, files),
                (None, Some(requirement)) => self.check_requirement(entry, requirement),
                (None, None) => Ok(()),
            }
        })
    }

    fn check_expiry(&self, entry: &ExpectedEntry, today: &str) -> Result<(), DataError> {
        let Some(day) = entry.expires.as_deref().filter(|day| *day < today) else { return Ok(()) };
        Err(self.refused(
            entry,
            format!(
                "the expected failure `{}` expired on {day} ({}); fix it, or move `expires`",
                entry.id, entry.reason
            ),
        ))
    }

    fn check_requirement(&self, entry: &ExpectedEntry, requirement: &str) -> Result<(), DataError> {
        if register::get(requirement).is_some() {
            return Ok(());
        }
        let ids = || register::all().iter().map(|row| row.id.as_str());
        let near = ending(register::nearest(requirement).or_else(|| alike(requirement, ids())));
        let hint = "a scenario is named `FILE/ID`";
        let message = format!("there is no requirement `{requirement}`{near} ({hint})");
        Err(self.refused(entry, message))
    }

    fn check_id(&self, entry: &ExpectedEntry, files: &[ScenarioFile]) -> Result<(), DataError> {
        let all = plan::all(files);
        let pattern = entry.id.scenarios();
        let is_meant = |planned: &&PlanEntry<'_>| {
            pattern.is_none_or(|pattern| may_match(pattern, &planned.name().to_string()))
        };
        let meant: Vec<_> = all.iter().filter(is_meant).collect();
        if let Some(pattern) = pattern.filter(|_| meant.is_empty()) {
            let scenario = ScenarioName::from(pattern).without_row().to_string();
            let names = all.iter().map(|planned| planned.name().to_string());
            let near = ending(alike(&scenario, names));
            return Err(self.refused(entry, format!("no scenario is called `{scenario}`{near}")));
        }
        let Some(requirement) = entry.id.requirement() else { return Ok(()) };
        let mut own = files.iter().flat_map(|file| &file.requirements);
        if !own.any(|own| own.id == requirement) {
            self.check_requirement(entry, requirement)?;
        }
        let steps = meant.iter().map(|planned| &planned.scenario.steps);
        let declared: BTreeSet<String> =
            steps.flat_map(|steps| declared::requirements(steps)).collect();
        if declared.contains(requirement)
            || implicit::TABLE.iter().any(|row| row.verifies.contains(&requirement))
        {
            return Ok(());
        }
        let near = ending(alike(requirement, declared));
        let message = format!("no check of these scenarios is `{}`{near}", entry.id);
        Err(self.refused(entry, message))
    }

    fn refused(&self, entry: &ExpectedEntry, message: String) -> DataError {
        DataError::new(&self.file.display().to_string(), message).at(entry.place)
    }
}
