//! `moot run`: judges a target and reports.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::again::Again;
use super::failure::Failure;
use super::line::{ReportRequest, RunArguments, TargetArguments};
use super::mock::{chosen_answers, chosen_world};
use super::progress::Progress;
use super::recording::Recording;
use super::screen::Screen;
use super::stream::Streams;
use super::{artefact, interrupt, repeat, suite};
use crate::environment::{TargetChoice, TargetOptions};
use crate::recording::{Recorder, RecordingError, RecordingPlan};
use crate::result::RunResult;
use crate::run::{self, Event, Interruption, Kept, RunOptions};
use crate::scenario::plan;

/// The exit code of the run; 70 where a report could not be written.
pub(super) fn run(arguments: RunArguments, screen: &Screen) -> Result<u8, Failure> {
    artefact::check(&arguments.judging.reports)?;
    arguments.save_answers.as_deref().map(artefact::check_file).transpose()?;
    let files = Arc::new(suite::files(&arguments.suite.scenarios, screen.color())?);
    plan::select(&files, &arguments.suite.selectors)?;
    let save_answers = arguments.save_answers.clone();
    let recording = Recording::of(&arguments)?;
    let seed = arguments.target.seed.unwrap_or_else(drawn);
    let target = TargetOptions {
        expected: arguments.judging.expected.clone(),
        is_repeated: arguments.repeat > 1,
        ..target_options(&arguments.target, seed)?
    };
    let asked = RecordingPlan {
        run_tag: target.run_tag.clone(),
        strict: arguments.judging.strict,
        selectors: arguments.suite.selectors.clone(),
    };
    if let Some(dir) = &arguments.record {
        Recorder::prepare(dir)?;
    }
    let recorder = arguments.record.as_ref().map(|_| Arc::new(Recorder::default()));
    let streams = Streams::open(&arguments.judging.reports)?;
    let result = repeat::repeated(arguments.repeat, |number| {
        let turn = repeat::turn(&arguments, seed, number);
        let options = RunOptions {
            reproduce: reproduce(&arguments, seed),
            selectors: arguments.suite.selectors.clone(),
            jobs: turn.jobs,
            order: turn.order,
            strict: arguments.judging.strict,
            snapshots: recording.mode,
            snapshot_dir: Some(recording.folder.clone()),
            kept: match artefact::kept(&arguments.judging.reports, screen) {
                // The verdicts of runs are compared, check by check.
                Kept::Counts if arguments.repeat > 1 => Kept::Outline,
                kept => kept,
            },
            recorder: recorder.clone(),
            ..RunOptions::new(choice(&arguments.target), target.clone(), Arc::clone(&files))
        };
        performed(options, &streams, screen)
    })?;
    let recorded = match (&arguments.record, recorder) {
        (Some(dir), Some(recorder)) => recorder.write(dir, &result, &asked),
        (_, _) => Ok(()),
    };
    recording.keep(&result, screen)?;
    if let Some(file) = &save_answers {
        artefact::save_answers(&result, file)?;
    }
    artefact::publish(&result, streams, &arguments.judging.reports, screen)?;
    recorded.map_err(|error| Failure::fault(error.to_string()))?;
    Ok(result.exit_code)
}

/// Runs it, with progress; its events go to the streams as they happen.
pub(super) fn performed(
    options: RunOptions,
    streams: &Streams,
    screen: &Screen,
) -> Result<RunResult, Failure> {
    let progress = Progress::new(screen.shows_progress());
    let told = (progress.clone(), streams.ear(&options.masks));
    let interruption = Arc::new(Interruption::default());
    let run = run::run_until(options, Arc::clone(&interruption), move |event: Event| {
        told.0.tell(&event);
        told.1.tell(&event);
    });
    let result = runtime()?.block_on(interrupt::watched(run, &interruption, screen));
    progress.end();
    result
}

/// Several threads: checks of one scenario must not hold up the requests of another.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::fault(format!("the runtime can't start: {error}")))
}

/// What `--target` means.
pub(super) fn choice(arguments: &TargetArguments) -> TargetChoice {
    choice_of(arguments.target.as_deref())
}

/// As [`choice`], of the word alone.
pub(super) fn choice_of(target: Option<&str>) -> TargetChoice {
    match target {
        None => TargetChoice::InProcess,
        Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
            TargetChoice::Url(url.to_owned())
        }
        Some(file) => TargetChoice::File(file.into()),
    }
}

/// How the target is used. On the mock in this process the tag follows from the seed, so that the same
/// seed sends the same bytes; a deployment must never see a tag twice.
///
/// # Errors
/// A world or answers that are neither bundled nor a sound file.
pub(super) fn target_options(
    arguments: &TargetArguments,
    seed: u64,
) -> Result<TargetOptions, Failure> {
    let tag = if arguments.target.is_none() { seed & u64::from(u32::MAX) } else { drawn() };
    Ok(TargetOptions {
        seed,
        world: arguments.world.as_deref().map(chosen_world).transpose()?,
        answers: arguments.answers.as_deref().map(chosen_answers).transpose()?,
        defects: Vec::new(),
        overlay: None,
        rate: arguments.reach.rate,
        token_file: arguments.token_file.clone(),
        receiver: arguments.reach.receiver,
        receiver_url: arguments.reach.receiver_url.clone(),
        expected: None,
        run_tag: format!("moot-{tag:08x}"),
        is_repeated: false,
        discovery_deadline: None,
    })
}

/// A number of 32 bits, which every JSON reader keeps.
pub(super) fn drawn() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}

/// Whether the target is the mock as it is: recorded responses are held against no other target, world
/// or set of answers unless asked for.
pub(super) fn is_bundled_mock(target: &TargetArguments) -> bool {
    target.target.is_none() && target.world.is_none() && target.answers.is_none()
}

/// The line that does the same again.
fn reproduce(arguments: &RunArguments, seed: u64) -> String {
    let repeats = (arguments.repeat > 1).then_some(arguments.repeat);
    Again::new("run")
        .suite(&arguments.suite)
        .target(&arguments.target)
        .file("--expected", arguments.judging.expected.as_ref())
        .option("--jobs", arguments.jobs)
        .option("--repeat", repeats)
        .option("--seed", Some(seed))
        .flag("--shuffle", arguments.shuffle)
        .flag("--strict", arguments.judging.strict)
        .line()
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        Self::usage(error.to_string())
    }
}

/// What stands for stdout where a file is named.
pub(super) const STDOUT: &str = "-";

/// Whether a report goes to stdout.
pub(super) fn is_stdout(request: &ReportRequest) -> bool {
    request.file == STDOUT
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{choice, reproduce};
    use crate::command::line::{Command, Line, RunArguments};
    use crate::environment::TargetChoice;

    fn arguments(line: &[&str]) -> RunArguments {
        let words = ["moot", "run"].iter().chain(line);
        match Line::try_parse_from(words).map(|line| line.command) {
            Ok(Command::Run(arguments)) => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_line_that_reproduces_leaves_reports_out_and_names_the_seed() {
        for (line, expected) in [
            (&[][..], "moot run --seed 7"),
            (&["--seed", "9", "--report", "json=a"], "moot run --seed 7"),
            (&["--answers", "random:3"], "moot run --answers random:3 --seed 7"),
            (&["--repeat", "9", "--shuffle"], "moot run --repeat 9 --seed 7 --shuffle"),
            (&["a b", "--strict"], "moot run 'a b' --seed 7 --strict"),
            (
                &["x*", "--target", "t.yaml", "--rate", "0", "--jobs", "2"],
                "moot run 'x*' --target t.yaml --rate 0 --jobs 2 --seed 7",
            ),
        ] {
            assert_eq!(reproduce(&arguments(line), 7), expected);
        }
    }

    #[test]
    fn a_target_is_an_address_or_a_file() {
        for (target, expected) in [
            ("http://a", TargetChoice::Url("http://a".to_owned())),
            ("https://a/b", TargetChoice::Url("https://a/b".to_owned())),
            ("staging.yaml", TargetChoice::File("staging.yaml".into())),
        ] {
            assert_eq!(choice(&arguments(&["--target", target]).target), expected);
        }
        assert_eq!(choice(&arguments(&[]).target), TargetChoice::InProcess);
    }
}
