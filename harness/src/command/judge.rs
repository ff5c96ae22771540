//! `moot judge`: judges a recording again, with today's register and scenarios, without a network.

use super::again::Again;
use super::failure::Failure;
use super::line::JudgeArguments;
use super::run::performed;
use super::screen::Screen;
use super::stream::Streams;
use super::{artefact, suite};
use crate::environment::{TargetChoice, TargetOptions};
use crate::recording::RecordingIndex;
use crate::run::RunOptions;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan;

/// The exit code of the judgement, as of a run.
pub(super) fn judge(arguments: JudgeArguments, screen: &Screen) -> Result<u8, Failure> {
    let judging = &arguments.judging;
    artefact::check(&judging.reports)?;
    let index = RecordingIndex::read(&arguments.recording)?;
    let files = suite::files(&arguments.suite.scenarios, screen.color())?;
    let mut index = RecordingIndex { strict: index.strict || judging.strict, ..index };
    if !arguments.suite.selectors.is_empty() {
        index.selectors.clone_from(&arguments.suite.selectors);
    }
    plan::select(&files, &index.selectors)?;
    let reproduce = Again::new("judge")
        .word(arguments.recording.to_string_lossy())
        .suite(&arguments.suite)
        .file("--expected", judging.expected.as_ref())
        .flag("--strict", judging.strict)
        .line();
    let mut options = options(&arguments.recording, index, files, reproduce);
    options.target.expected.clone_from(&judging.expected);
    options.kept = artefact::kept(&judging.reports, screen);
    let streams = Streams::open(&judging.reports)?;
    let result = performed(options, &streams, screen)?;
    artefact::publish(&result, streams, &judging.reports, screen)?;
    Ok(result.exit_code)
}

/// The run that judges a recording: its seed, its tag, what it selected.
pub(super) fn options(
    dir: &std::path::Path,
    index: RecordingIndex,
    files: Vec<ScenarioFile>,
    reproduce: String,
) -> RunOptions {
    let target =
        TargetOptions { seed: index.seed, run_tag: index.run_tag, ..TargetOptions::default() };
    RunOptions {
        selectors: index.selectors,
        strict: index.strict,
        reproduce,
        ..RunOptions::new(TargetChoice::Recording(dir.to_owned()), target, files)
    }
}
