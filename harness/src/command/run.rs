//! `moot run`: judges a target and reports.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::error::CommandError;
use super::event_stream;
use super::perform::{self, JudgingArguments};
use super::repeat::{self, RepeatArguments};
use super::reports;
use super::reproduce::GivenOptions;
use super::run_snapshots::{RunSnapshots, SnapshotArguments};
use super::runtime::random_seed;
use super::screen::Screen;
use super::shards::{self, CostArguments};
use super::suite::{self, SuiteArguments};
use super::target_arguments::TargetArguments;
use crate::client::recording::{Recorder, RecordingIndex};
use crate::run::environment::{Shard, TargetOptions};
use crate::run::{RunOptions, recording_index};
use crate::scenario::plan::select;
use crate::verdict::result::RepeatCommand;

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    suite: SuiteArguments,
    /// Leave these scenarios out; repeatable. Selectors as above
    #[arg(long, value_name = "SELECTOR")]
    exclude: Vec<String>,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    repeat: RepeatArguments,
    #[command(flatten)]
    judging: JudgingArguments,
    #[command(flatten)]
    snapshots: SnapshotArguments,
    /// Write the observed answers to open questions to this file, for `moot mock --answers` and for
    /// pinning
    #[arg(long, value_name = "FILE")]
    save_answers: Option<PathBuf>,
    /// Record all responses of the target in this folder, for `moot judge`
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Run one shard of the plan, such as 2/5: the second of five. Its results go to the folder of --record, and
    /// `moot merge` joins all shards. All shards need the same --seed
    #[arg(
        long, value_name = "K/N", requires_all = ["record", "seed"], conflicts_with_all = ["save_answers", "repeat"]
    )]
    shard: Option<Shard>,
    #[command(flatten)]
    costs: CostArguments,
}

/// Returns the exit code of the run; 70 if a report could not be written.
pub(super) fn run(
    arguments: RunArguments,
    given: &GivenOptions,
    screen: &Screen,
) -> Result<u8, CommandError> {
    let RunArguments { suite, target, repeat, judging, snapshots, .. } = &arguments;
    reports::check(&judging.reports, judging.replace)?;
    for file in [&arguments.save_answers, &snapshots.snapshot_bundle].into_iter().flatten() {
        reports::check_beside(file, &judging.reports, judging.replace)?;
    }
    let files = Arc::new(suite::files(&suite.scenarios, screen.color())?);
    let selectors = suite.selectors();
    select(&files, &selectors)?;
    select(&files, &arguments.exclude)?;
    let snapshots = RunSnapshots::new(snapshots, target)?;
    let seed = target.seed.unwrap_or_else(random_seed);
    let options = TargetOptions {
        expected: judging.expected.clone(),
        is_repeated: repeat.repeat > 1,
        ..target.options(seed)?
    };
    let choice = target.choice_of_run()?;
    let _lock = arguments.record.as_deref().map(Recorder::prepare).transpose()?;
    let recorder = arguments.record.as_ref().map(|_| Arc::new(Recorder::default()));
    let streams = event_stream::open(&judging.reports)?;
    // A merge may write any report. Repetitions are compared check by check.
    let lists_checks = arguments.shard.is_some()
        || repeat.repeat > 1
        || perform::lists_checks(&judging.reports, screen);
    let run_options = |number: u16| {
        let (shuffle, jobs) = repeat.repetition(seed, number);
        RunOptions {
            reproduce: given.line(&[("seed", seed)]),
            repeat: repeat_one(target.target.clone(), given, seed),
            excluded: arguments.exclude.clone(),
            selectors: selectors.clone(),
            tolerates_unmet_needs: suite.smoke,
            jobs,
            shuffle,
            strict: judging.strict,
            snapshots: snapshots.mode.map(|mode| (mode, snapshots.folder.clone())),
            lists_checks,
            recorder: recorder.clone(),
            ..RunOptions::new(choice.clone(), options.clone(), Arc::clone(&files))
        }
    };
    let mut recorded_selectors = selectors.clone();
    let result = match (arguments.shard, &arguments.record) {
        (Some(shard), Some(dir)) => {
            let options = run_options(0);
            let (plan, _) = arguments.costs.plan(&options, shard)?;
            recorded_selectors = plan.names(shard.number).into_iter().collect();
            shards::run(options, (shard, plan), dir, &streams, screen)?
        }
        (_, _) => repeat::repeated(repeat.repeat, |number| {
            perform::perform(run_options(number), &streams, screen)
        })?,
    };
    let index = RecordingIndex {
        run_tag: options.run_tag.clone(),
        strict: judging.strict,
        selectors: recorded_selectors,
        excluded: arguments.exclude.clone(),
        ..recording_index(&result)
    };
    // The same command can be repeated after a target that could not be used: its folder stays empty.
    let is_unusable = result.trouble.is_some() && arguments.shard.is_none();
    let recorded = match arguments.record.as_ref().zip(recorder) {
        Some((_, recorder)) if is_unusable && recorder.is_empty() => Ok(()),
        Some((dir, recorder)) => recorder.write(dir, index, &result.masks),
        None => Ok(()),
    };
    let written = vec![
        recorded.map_err(CommandError::fault),
        snapshots.write_bundle(&result, screen),
        perform::save_answers(&result, arguments.save_answers.as_deref()),
    ];
    perform::publish(&result, streams, &judging.reports, written, screen)?;
    Ok(result.exit_code())
}

/// The options that are named in the command for one scenario.
pub(super) const OF_ONE_SCENARIO: [&str; 10] = [
    "scenarios",
    "target",
    "world",
    "answers",
    "token_file",
    "rate",
    "receiver",
    "receiver_url",
    "expected",
    "strict",
];

/// The command that runs one scenario of this run again. On a deployment the seed has no effect, so it is left out.
fn repeat_one(target: Option<String>, given: &GivenOptions, seed: u64) -> RepeatCommand {
    let mut after = given.only(&OF_ONE_SCENARIO);
    if target.is_none() {
        after.push_str(&format!(" --seed {seed}"));
    }
    RepeatCommand { before: "moot run ".to_owned(), after, target }
}
