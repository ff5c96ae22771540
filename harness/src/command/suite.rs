//! The scenario files that a command works on.

use std::path::PathBuf;

use super::failure::Failure;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::SelectError;
use crate::scenario::{Diagnostic, load};

/// The files below `paths`, or the bundled ones where none is given.
///
/// # Errors
/// All mistakes of all files, each with its place.
pub(super) fn files(paths: &[PathBuf], color: bool) -> Result<Vec<ScenarioFile>, Failure> {
    let read = if paths.is_empty() { load::bundled() } else { load::paths(paths) };
    read.map_err(|mistakes| refusal(&mistakes, color))
}

/// All mistakes as one failure.
pub(super) fn refusal(mistakes: &[Diagnostic], color: bool) -> Failure {
    let shown: Vec<String> = mistakes.iter().map(|mistake| render(mistake, color)).collect();
    let count = match shown.len() {
        1 => "a mistake in a scenario file".to_owned(),
        count => format!("{count} mistakes in scenario files"),
    };
    Failure::usage(format!("{count}\n\n{}", shown.join("\n\n")))
}

/// A file that could not be read has no line to show, only its name.
fn render(mistake: &Diagnostic, color: bool) -> String {
    if mistake.source.is_empty() {
        format!("{}: {}", mistake.at.file, mistake.message)
    } else {
        mistake.render(color)
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        Self::usage(error.to_string()).help("`moot list` shows what there is to select")
    }
}
