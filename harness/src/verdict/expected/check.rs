//! Holding known failures against the scenarios and the day, before anything is sent.

use jiff::civil::Date;
use moot_fixtures::nearest::{alike, ending};
use moot_fixtures::yaml::YamlSpan;
use moot_fixtures::{DataError, register};

use super::entry::{Expected, ExpectedEntry};
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{like, without_row};
use crate::verdict::check::implicit;

impl Expected {
    /// Checks every entry: it is not expired on `today`, and these scenarios have what it names.
    ///
    /// # Errors
    /// The first entry that expired or names nothing, with its place and a near miss.
    pub fn check(&self, files: &[ScenarioFile], today: Date) -> Result<(), DataError> {
        self.entries.iter().try_for_each(|entry| {
            self.is_in_time(entry, today)?;
            self.names_something(entry, files)
        })
    }

    /// As [`Expected::check`], where the scenarios are drawn: requirements alone are looked up.
    ///
    /// # Errors
    /// The first entry that expired or names no requirement, with its place and a near miss.
    pub fn check_without_scenarios(&self, today: Date) -> Result<(), DataError> {
        self.entries.iter().try_for_each(|entry| {
            self.is_in_time(entry, today)?;
            entry.parts().1.map_or(Ok(()), |requirement| self.is_a_row(entry, requirement))
        })
    }

    fn is_in_time(&self, entry: &ExpectedEntry, today: Date) -> Result<(), DataError> {
        let Some(day) = entry.expires.filter(|day| *day < today) else { return Ok(()) };
        Err(self.refused(
            entry,
            format!(
                "the expected failure `{}` expired on {day} ({}); mend it, or decide anew and move \
                 `expires`",
                entry.id, entry.reason
            ),
        ))
    }

    fn is_a_row(&self, entry: &ExpectedEntry, requirement: &str) -> Result<(), DataError> {
        if register::get(requirement).is_some() {
            return Ok(());
        }
        let ids = || register::all().iter().map(|row| row.id.as_str());
        let near = ending(register::nearest(requirement).or_else(|| alike(requirement, ids())));
        let hint = "a scenario is named `FILE/ID`";
        let message = format!("there is no requirement `{requirement}`{near} ({hint})");
        Err(self.refused(entry, message))
    }

    fn names_something(
        &self,
        entry: &ExpectedEntry,
        files: &[ScenarioFile],
    ) -> Result<(), DataError> {
        let (pattern, requirement) = entry.parts();
        let all = || {
            let named = |file: &'_ ScenarioFile, id: &str| format!("{}/{id}", file.stem);
            files.iter().flat_map(move |file| {
                file.scenarios.iter().map(move |one| (named(file, &one.id), one))
            })
        };
        // The rows of a scenario are known only when it runs.
        let bare = pattern.map(without_row);
        let is_meant = |name: &str| bare.is_none_or(|pattern| like(name, pattern));
        if let Some(pattern) = bare
            && !all().any(|(name, _)| is_meant(&name))
        {
            let near = ending(alike(pattern, all().map(|(name, _)| name)));
            return Err(self.refused(entry, format!("no scenario is called `{pattern}`{near}")));
        }
        let Some(requirement) = requirement else { return Ok(()) };
        let mut own = files.iter().flat_map(|file| &file.requirements);
        if !own.any(|own| own.row.id == requirement) {
            self.is_a_row(entry, requirement)?;
        }
        let is_implicit = || implicit::TABLE.iter().any(|row| row.verifies.contains(&requirement));
        let meant: Vec<_> = all().filter(|(name, _)| is_meant(name)).collect();
        let is_declared =
            meant.iter().any(|(_, one)| declared::requirements(&one.steps).contains(requirement));
        if is_declared || is_implicit() {
            return Ok(());
        }
        let ids = meant.iter().flat_map(|(_, one)| declared::requirements(&one.steps));
        let near = ending(alike(requirement, ids));
        let message = format!("`{}` names nothing that is checked{near}", entry.id);
        Err(self.refused(entry, message))
    }

    fn refused(&self, entry: &ExpectedEntry, message: String) -> DataError {
        let (line, column) = entry.place;
        let place = YamlSpan { line, column, length: 1 };
        DataError::new(&self.file.display().to_string(), message).at(Some(place))
    }
}
