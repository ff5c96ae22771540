//! Makes the typed model from the text of a YAML file, and reports all mistakes of form at once.
//!
//! Form means keys, types and bounds, and that places and patterns parse. [`super::validate`] checks
//! whether names, ids and operations exist.

use std::path::Path;
use std::sync::Arc;

use moot_fixtures::DataError;
use moot_fixtures::yaml::YamlNode;

use super::language::form::YamlForm;
use super::language::reader::ScenarioReader;
use super::model::{ScenarioFile, ScenarioFileKeys};

/// Reads one file. `path` names it in messages; its stem is the name of the file in selectors.
///
/// # Errors
/// Every mistake of form, in the order of the file. One mistake if the text is not YAML.
pub(super) fn file(path: &str, source: &Arc<str>) -> Result<ScenarioFile, Vec<DataError>> {
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
            let ScenarioFileKeys { section, title, requirements, scenarios } = keys;
            let stem = Path::new(path).file_stem().unwrap_or_default();
            let stem = stem.to_string_lossy().into_owned();
            let text = Arc::clone(source);
            Ok(ScenarioFile { stem, section, title, requirements, scenarios, text })
        }
        (_, problems) => Err(problems),
    }
}
