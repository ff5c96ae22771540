//! From the tree of a YAML file to the typed model, with every mistake of form in one go.
//!
//! Reads form only: keys, types, bounds, and that places and patterns parse. Whether names, ids and
//! operations exist is the business of [`super::validate`].

mod body;
mod expectation;
mod fields;
mod file;
mod line;
mod matcher;
mod place;
mod reader;
mod request;
mod step;
mod units;

use std::sync::Arc;

use super::Diagnostic;
use super::model::ScenarioFile;
use super::node::Node;
pub(super) use reader::ROOTS;

use reader::Reader;

/// Reads one file; `path` names it in places, its stem is the file's name.
///
/// # Errors
/// Every mistake of form, in the order of the file; one where the text is no YAML.
pub(super) fn file(path: &str, source: &Arc<str>) -> Result<ScenarioFile, Vec<Diagnostic>> {
    let mut reader = Reader::new(path, source);
    let file = match Node::read(source) {
        Ok(node) => file::read(&mut reader, &node),
        Err(error) => {
            reader.refuse_yaml(&error);
            None
        }
    };
    match (file, reader.into_problems()) {
        (Some(file), problems) if problems.is_empty() => Ok(file),
        (_, problems) => Err(problems),
    }
}
