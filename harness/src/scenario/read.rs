//! From the text of a YAML file to the typed model, with every mistake of form at once.
//!
//! Reads form only: keys, types, bounds, and that places and patterns parse. Whether names, ids and
//! operations exist is checked by [`super::validate`].

use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Operation;
use moot_fixtures::yaml::YamlNode;

use super::Diagnostic;
use super::language::form::YamlForm;
use super::language::reader::ScenarioReader;
use super::model::{ScenarioFile, ScenarioFileKeys};
use super::plan;

/// Reads one file; `path` names it in places, its stem is the file's name.
///
/// # Errors
/// Every mistake of form, in the order of the file; one mistake if the text is not YAML.
pub(super) fn file(path: &str, source: &Arc<str>) -> Result<ScenarioFile, Vec<Diagnostic>> {
    let mut reader = ScenarioReader::new(path, source);
    let file = match YamlNode::read(source) {
        Ok(node) => ScenarioFileKeys::read(&mut reader, &node, "the file"),
        Err(error) => {
            reader.refuse_yaml(error);
            None
        }
    };
    match (file, reader.into_problems()) {
        (Some(keys), problems) if problems.is_empty() => {
            let ScenarioFileKeys { section, title, relies_on_requester, requirements, scenarios } =
                keys;
            let is_about_creating =
                || plan::is_in_section(&section, Operation::CreateLegalRequest.section());
            let relies_on_requester = relies_on_requester.unwrap_or_else(is_about_creating);
            let stem = Path::new(path).file_stem().unwrap_or_default();
            let stem = stem.to_string_lossy().into_owned();
            let own = requirements.into_iter().map(|row| row.in_section(&section)).collect();
            let text = Arc::clone(source);
            Ok(ScenarioFile {
                stem,
                section,
                title,
                relies_on_requester,
                requirements: own,
                scenarios,
                text,
            })
        }
        (_, problems) => Err(problems),
    }
}
