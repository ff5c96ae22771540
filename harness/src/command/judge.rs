//! `moot judge`: judges a recording again with the current register and scenarios, without a network.

use std::path::PathBuf;

use clap::Args;

use super::error::{CommandError, RECORDING_HELP};
use super::event_stream;
use super::perform::{self, JudgingArguments};
use super::reports;
use super::reproduce::GivenOptions;
use super::screen::Screen;
use super::suite::{self, SuiteArguments};
use crate::client::recording::RecordingIndex;
use crate::run::RunOptions;
use crate::run::environment::{TargetChoice, TargetOptions};
use crate::scenario::plan;
use crate::verdict::result::RepeatCommand;

#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// The folder that `moot run --record` wrote
    #[arg(value_name = "DIR")]
    recording: PathBuf,
    #[command(flatten)]
    suite: SuiteArguments,
    #[command(flatten)]
    judging: JudgingArguments,
}

/// Returns the exit code, as for a run.
pub(super) fn judge(
    arguments: JudgeArguments,
    given: &GivenOptions,
    screen: &Screen,
) -> Result<u8, CommandError> {
    let JudgeArguments { recording, suite, judging } = &arguments;
    reports::check(&judging.reports, judging.replace)?;
    let index = RecordingIndex::read(recording)
        .map_err(|error| CommandError::from(error).help(RECORDING_HELP))?;
    let files = suite::files(&suite.scenarios, screen.color())?;
    let mut selectors = suite.selectors();
    if selectors.is_empty() {
        selectors = index.selectors;
    }
    plan::select(&files, &selectors)?;
    let mut recorded =
        index.sessions.iter().filter_map(|row| row.scenario.split_once('/')).peekable();
    let is_of_others = recorded.peek().is_some()
        && !recorded.any(|(stem, _)| files.iter().any(|file| file.stem == stem));
    if is_of_others {
        return Err(CommandError::usage("the recording is of other scenario files")
            .help("name the files of its run with --scenarios"));
    }
    let target = TargetOptions {
        seed: index.seed,
        run_tag: index.run_tag,
        expected: judging.expected.clone(),
        ..TargetOptions::default()
    };
    let options = RunOptions {
        selectors,
        excluded: index.excluded,
        tolerates_unmet_needs: suite.smoke,
        strict: index.strict || judging.strict,
        reproduce: given.line(&[]),
        repeat: RepeatCommand {
            before: format!("moot judge{} ", given.only(&["recording"])),
            after: given.only(&["scenarios", "expected", "strict"]),
            target: None,
        },
        lists_checks: perform::lists_checks(&judging.reports, screen),
        ..RunOptions::new(TargetChoice::Recording(recording.clone()), target, files)
    };
    let streams = event_stream::open(&judging.reports)?;
    let result = perform::perform(options, &streams, screen)?;
    perform::publish(&result, streams, &judging.reports, Vec::new(), screen)?;
    Ok(result.exit_code())
}
