//! Selects scenarios by file, name (with `*`), tag, section or requirement.

use moot_fixtures::nearest::{alike, ending};
use moot_fixtures::{pattern, register};

use crate::scenario::ScenarioName;
use crate::scenario::declared;
use crate::scenario::model::{Scenario, ScenarioFile};

/// A selected scenario.
#[derive(Debug, Clone, Copy)]
pub struct PlanEntry<'a> {
    /// Its file.
    pub file: &'a ScenarioFile,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The index of the file, and the index of the scenario in it.
    pub place: (usize, usize),
}

impl<'a> PlanEntry<'a> {
    /// The scenario at a place of these files.
    ///
    /// # Panics
    /// If there is no such place. Places come from [`select`] on the same files.
    pub fn at(files: &'a [ScenarioFile], place: (usize, usize)) -> Self {
        let file = &files[place.0];
        Self { file, scenario: &file.scenarios[place.1], place }
    }

    /// The name of the scenario in options, messages and reports.
    pub fn name(&self) -> ScenarioName {
        ScenarioName::new(&self.file.stem, &self.scenario.id)
    }
}

/// A selector that matches no scenario. A usage error (exit code 2).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario matches `{selector}`{}", self.why())]
pub struct SelectError {
    /// As given.
    pub selector: String,
    /// The most similar selector that matches a scenario.
    pub nearest: Option<String>,
    /// The section of the requirement, if the selector is one that no step names.
    pub section: Option<String>,
}

impl SelectError {
    fn why(&self) -> String {
        match &self.section {
            Some(section) => format!(
                ": no step names this requirement; `moot explain {}` shows how it is checked, and \
                 `section:{section}` selects the scenarios of its section",
                self.selector
            ),
            None => ending(self.nearest.as_ref()),
        }
    }
}

/// All scenarios of these files, in their order.
pub fn all(files: &[ScenarioFile]) -> Vec<PlanEntry<'_>> {
    files
        .iter()
        .enumerate()
        .flat_map(|(at, file)| (0..file.scenarios.len()).map(move |inner| (at, inner)))
        .map(|place| PlanEntry::at(files, place))
        .collect()
}

/// The scenarios that match at least one selector, in the order of the files. Without selectors, all
/// scenarios.
///
/// A selector is one of these:
/// - a file: its stem, with or without folder and extension,
/// - the name of a scenario, with `*` for any text,
/// - `tag:NAME`,
/// - `section:4.5`, with all sections below it,
/// - a requirement id.
///
/// # Errors
/// The first selector that matches no scenario.
pub fn select<'a>(
    files: &'a [ScenarioFile],
    selectors: &[String],
) -> Result<Vec<PlanEntry<'a>>, SelectError> {
    let all = all(files);
    if selectors.is_empty() {
        return Ok(all);
    }
    for selector in selectors {
        if !all.iter().any(|planned| matches(planned, selector)) {
            return Err(SelectError {
                selector: selector.clone(),
                nearest: nearest_selector(&all, selector),
                section: register::get(selector).map(|row| row.section.clone()),
            });
        }
    }
    Ok(all.into_iter().filter(|p| selectors.iter().any(|s| matches(p, s))).collect())
}

/// The first of these selectors that matches the scenario.
pub fn excluding<'a>(planned: &PlanEntry<'_>, selectors: &'a [String]) -> Option<&'a str> {
    selectors.iter().map(String::as_str).find(|selector| matches(planned, selector))
}

fn matches(planned: &PlanEntry<'_>, selector: &str) -> bool {
    if let Some(tag) = selector.strip_prefix("tag:") {
        return planned.scenario.tags.iter().any(|known| known == tag);
    }
    if let Some(section) = selector.strip_prefix("section:") {
        return is_in_section(&planned.file.section, section);
    }
    planned.file.stem == file_stem(selector)
        || pattern::matches(selector, &planned.name().to_string())
        || pattern::matches(selector, &planned.scenario.id)
        || declared::requirements(&planned.scenario.steps).contains(selector)
}

/// Whether a clause is `asked` or below it.
fn is_in_section(section: &str, asked: &str) -> bool {
    section == asked || section.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.'))
}

fn file_stem(selector: &str) -> &str {
    let name = selector.rsplit(['/', '\\']).next().unwrap_or(selector);
    match name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")) {
        Some(stem) => stem,
        None => selector,
    }
}

/// Whether a pattern may match the scenario of this name or one of its rows. The rows are not known before it runs, so
/// the label of a row may begin at each `[` of the pattern.
pub(crate) fn may_match(pattern: &str, name: &str) -> bool {
    pattern::matches(pattern, name)
        || pattern.match_indices('[').any(|(at, _)| pattern::matches(&pattern[..at], name))
}

fn nearest_selector(all: &[PlanEntry<'_>], selector: &str) -> Option<String> {
    let mut known: Vec<String> = Vec::new();
    for planned in all {
        known.push(planned.name().to_string());
        known.push(planned.scenario.id.clone());
        known.push(planned.file.stem.clone());
        known.push(format!("section:{}", planned.file.section));
        known.extend(planned.scenario.tags.iter().map(|tag| format!("tag:{tag}")));
        known.extend(declared::requirements(&planned.scenario.steps));
    }
    alike(selector, known)
}

#[cfg(test)]
mod tests {
    use super::{file_stem, is_in_section, may_match, select};

    #[test]
    fn a_section_holds_what_is_below_it_and_nothing_else() {
        assert!(is_in_section("4.1", "4"));
        assert!(is_in_section("4.1", "4.1"));
        assert!(!is_in_section("4.10", "4.1"));
        assert!(!is_in_section("4", "4.1"));
    }

    #[test]
    fn a_requirement_that_no_step_names_has_a_section_to_select() {
        let error = select(&[], &["list-workflows.shape".to_owned()]).expect_err("no file has it");
        assert_eq!(error.section.as_deref(), Some("4.2"));
        let error = select(&[], &["list-workflows.shap".to_owned()]).expect_err("no file has it");
        assert_eq!(error.section, None);
    }

    #[test]
    fn a_file_may_be_named_with_folder_and_extension() {
        assert_eq!(file_stem("scenarios/07_errors.yaml"), "07_errors");
        assert_eq!(file_stem("07_errors"), "07_errors");
    }

    #[test]
    fn a_pattern_with_a_row_may_match_a_row_of_its_scenario() {
        for (pattern, name, expected) in [
            ("07_errors/walk", "07_errors/walk", true),
            ("07_errors/walk[a/b]", "07_errors/walk", true),
            ("*[a/b*", "07_errors/walk", true),
            ("07_errors/walk[a]", "07_errors/other", false),
            ("my[1]/walk", "my[1]/walk", true),
            ("my[1]/walk[a]", "my[1]/walk", true),
            ("my[1]/walk", "my/walk", false),
        ] {
            assert_eq!(may_match(pattern, name), expected, "{pattern} {name}");
        }
    }
}
