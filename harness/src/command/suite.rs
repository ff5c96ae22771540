//! The scenarios that a command uses.

use std::path::PathBuf;

use clap::Args;
use moot_fixtures::DataError;

use super::error::CommandError;
use crate::scenario::model::ScenarioFile;
use crate::scenario::{diagnostic, load};

/// The options that select scenarios.
#[derive(Debug, Args)]
pub(super) struct SuiteArguments {
    /// A file, a scenario (with `*`), `tag:NAME`, `section:4.5` or a requirement [default: all]
    #[arg(value_name = "SELECTOR")]
    pub(super) selectors: Vec<String>,
    /// The most important scenarios, in little time (`tag:smoke`). A need that the target does not meet is tolerated
    #[arg(long, conflicts_with = "selectors")]
    pub(super) smoke: bool,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
}

impl SuiteArguments {
    /// The selectors, or the one that `--smoke` stands for.
    pub(super) fn selectors(&self) -> Vec<String> {
        if self.smoke { vec![SMOKE.to_owned()] } else { self.selectors.clone() }
    }
}

/// The selector of `--smoke`.
const SMOKE: &str = "tag:smoke";

/// Reads the files below `paths`, or the bundled ones if `paths` is empty.
///
/// # Errors
/// All mistakes of all files, each with its place.
pub(super) fn files(paths: &[PathBuf], color: bool) -> Result<Vec<ScenarioFile>, CommandError> {
    let read = if paths.is_empty() { load::bundled() } else { load::paths(paths) };
    read.map_err(|mistakes| refusal(&mistakes, color))
}

/// Makes one error of all mistakes.
pub(super) fn refusal(mistakes: &[DataError], color: bool) -> CommandError {
    let shown: Vec<String> =
        mistakes.iter().map(|mistake| diagnostic::render(mistake, color)).collect();
    // A file that cannot be read has no text, and no mistake in it.
    if mistakes.iter().all(|mistake| mistake.text.is_none()) {
        return CommandError::usage(shown.join("\n"));
    }
    let count = match shown.len() {
        1 => "a mistake in a scenario file".to_owned(),
        count => format!("{count} mistakes in scenario files"),
    };
    CommandError::usage(format!("{count}\n\n{}", shown.join("\n\n")))
}
