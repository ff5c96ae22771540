//! `moot compare`: runs the same plan on two targets, and reports the differences.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::error::{CommandError, INCONCLUSIVE, RECORDING_HELP, UNREACHABLE, USAGE};
use super::number::{any_number, number};
use super::plan_estimate;
use super::progress::Progress;
use super::reports::{self, ReplaceArguments, ReportRequest, report_of};
use super::reproduce::GivenOptions;
use super::runtime::{random_seed, runtime};
use super::screen::{Screen, json_text};
use super::signals::{RUN_ENDS, with_interruption};
use super::suite::{self, SuiteArguments};
use super::target_arguments::{ReachArguments, TargetArguments, choice_of};
use crate::client::answers::Pins;
use crate::client::recording::RecordingIndex;
use crate::compare::{
    ComparisonPlan, RunReadings, SideRun, TargetComparison, compare as compared, page, text,
};
use crate::exchange::escape;
use crate::exchange::masks::Secrets;
use crate::report::Format;
use crate::run::environment::TargetChoice;
use crate::run::{self, Interruption, RunOptions};
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan;
use crate::verdict::expected;
use crate::verdict::result::Event;

/// Stands for the mock in this process.
const MOCK: &str = "mock";

const EXIT_CODES: &str = "\
Exit codes: 0 the same, 1 a side violates, 2 usage or a wrong file, 3 undecidable, or not everything \
was compared, 4 a side unreachable or credentials refused, 5 answers differ, 70 internal error.";

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct CompareArguments {
    /// The first target: a target file, a base address, the folder of a recording, or `mock`
    #[arg(value_name = "A")]
    a: String,
    /// The second target, in the same form
    #[arg(value_name = "B")]
    b: String,
    #[command(flatten)]
    suite: SuiteArguments,
    /// How the mock answers where the specification is open, if A is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    answers_a: Option<String>,
    /// The same, if B is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    answers_b: Option<String>,
    /// World of the mock, if A is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    world_a: Option<String>,
    /// The same, if B is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    world_b: Option<String>,
    /// Seed of both runs [default: that of a recording, else random]
    #[arg(long, value_name = "N", value_parser = any_number)]
    seed: Option<u64>,
    /// Concurrent scenarios on a mock
    #[arg(long, value_name = "N", value_parser = number::<u16>(1..=256))]
    jobs: Option<u16>,
    /// A broken MUST of a standard that the specification refers to is a failure, not a warning
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    reach: ReachArguments,
    /// Write a report too: text, json or html; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE",
          value_parser = report_of(&[Format::Text, Format::Json, Format::Html]))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
}

/// One of the two targets, as the command line names it.
struct SideArguments<'a> {
    /// `A` or `B`.
    name: &'static str,
    word: &'a str,
    choice: TargetChoice,
    /// The recording, if it is one.
    index: Option<RecordingIndex>,
    target: TargetArguments,
}

/// Returns the exit code of the comparison.
pub(super) fn compare(
    arguments: CompareArguments,
    given: &GivenOptions,
    screen: &Screen,
) -> Result<u8, CommandError> {
    reports::check(&arguments.reports, arguments.replace)?;
    let files = Arc::new(suite::files(&arguments.suite.scenarios, screen.color())?);
    let CompareArguments { a, b, answers_a, answers_b, world_a, world_b, .. } = &arguments;
    let target = |word: &str, answers: &Option<String>, world: &Option<String>| TargetArguments {
        target: (word != MOCK).then(|| word.to_owned()),
        answers: answers.clone(),
        world: world.clone(),
        reach: arguments.reach.clone(),
        ..TargetArguments::default()
    };
    let a = SideArguments::of("A", a, target(a, answers_a, world_a), &files)?;
    let b = SideArguments::of("B", b, target(b, answers_b, world_b), &files)?;
    let selectors = selectors(&arguments, &a, &b)?;
    plan::select(&files, &selectors)?;
    let recorded = || a.index.as_ref().or(b.index.as_ref()).map(|index| index.seed);
    let seed = arguments.seed.or_else(recorded).unwrap_or_else(random_seed);
    let reproduce = given.line(&[("seed", seed)]);
    let plan = ComparisonPlan { seed, selectors, reproduce };
    let mut options_a = a.options(&arguments, &plan, Arc::clone(&files))?;
    let mut options_b = b.options(&arguments, &plan, files)?;
    // A recording lacks the scenarios that its run left out, so neither side runs them.
    let excluded = [&a, &b].into_iter().filter_map(|side| side.index.as_ref());
    let excluded: Vec<String> = excluded.flat_map(|index| index.excluded.clone()).collect();
    (options_a.excluded, options_b.excluded) = (excluded.clone(), excluded);
    let first = run_side(&a, options_a, screen)?;
    let second = run_side(&b, options_b, screen)?;
    let secrets = [&first, &second].map(|side| Secrets::of(&side.result.masks));
    let comparison = compared(&first, &second, plan);
    let masked = comparison.with_texts(|text| secrets[1].mask(&secrets[0].mask(text)));
    publish(&masked, &secrets, &arguments, screen)?;
    Ok(masked.exit_code)
}

impl<'a> SideArguments<'a> {
    /// The target for a word: `mock`, an address, the folder of a recording, or a target file.
    ///
    /// # Errors
    /// An invalid file, or options of the mock for another target.
    fn of(
        name: &'static str,
        word: &'a str,
        target: TargetArguments,
        files: &[ScenarioFile],
    ) -> Result<Self, CommandError> {
        let wrong = |why: String| CommandError::usage(format!("{name}: {why}"));
        let choice = match word {
            MOCK => TargetChoice::InProcess,
            dir if Path::new(dir).is_dir() => TargetChoice::Recording(dir.into()),
            target => choice_of(Some(target)).map_err(|error| {
                wrong(error.to_string())
                    .help("give a target file, an address, the folder of a recording, or `mock`")
            })?,
        };
        // Reports invalid files before any request is sent to the other side.
        let index = match &choice {
            TargetChoice::Recording(dir) => Some(
                RecordingIndex::read(dir)
                    .map_err(|error| wrong(error.to_string()).help(RECORDING_HELP))?,
            ),
            TargetChoice::Http(file) => {
                file.answers.as_deref().map(Pins::read).transpose().map_err(wrong)?;
                expected::read_for(file.expected.as_ref(), Some(files))
                    .map_err(|error| wrong(error.to_string()))?;
                None
            }
            TargetChoice::InProcess
            | TargetChoice::InProcessDeployment
            | TargetChoice::Wrong { .. } => None,
        };
        if target.target.is_some() && (target.answers.is_some() || target.world.is_some()) {
            let lower = name.to_ascii_lowercase();
            let message = format!("{name} is `{word}`, not the mock in this process");
            return Err(CommandError::usage(message)
                .help(format!("--answers-{lower} and --world-{lower} are for `mock`")));
        }
        Ok(Self { name, word, choice, index, target })
    }

    /// The options of this side's run.
    ///
    /// # Errors
    /// A world or answers that are neither bundled nor a valid file.
    fn options(
        &self,
        arguments: &CompareArguments,
        plan: &ComparisonPlan,
        files: Arc<Vec<ScenarioFile>>,
    ) -> Result<RunOptions, CommandError> {
        // The expected failures are those of the target file.
        let mut target = self.target.options(plan.seed)?;
        if let Some(index) = &self.index {
            (target.seed, target.run_tag) = (index.seed, index.run_tag.clone());
        }
        let was_strict = self.index.as_ref().is_some_and(|index| index.strict);
        Ok(RunOptions {
            selectors: plan.selectors.clone(),
            jobs: arguments.jobs.map(usize::from),
            tolerates_unmet_needs: arguments.suite.smoke,
            strict: arguments.strict || was_strict,
            reproduce: plan.reproduce.clone(),
            ..RunOptions::new(self.choice.clone(), target, files)
        })
    }
}

/// The selectors of both runs: those of the command line, or those of a recording.
///
/// # Errors
/// Two recordings with different plans.
fn selectors(
    arguments: &CompareArguments,
    a: &SideArguments<'_>,
    b: &SideArguments<'_>,
) -> Result<Vec<String>, CommandError> {
    let selectors = arguments.suite.selectors();
    if !selectors.is_empty() {
        return Ok(selectors);
    }
    match (&a.index, &b.index) {
        (Some(a), Some(b)) if a.selectors != b.selectors => {
            Err(CommandError::usage("the two recordings were made with different selectors")
                .help(
                    "give selectors that both recordings have: moot compare A B SELECTOR…; of a run in shards, compare \
                     shards of the same number",
                ))
        }
        (Some(index), _) | (None, Some(index)) => Ok(index.selectors.clone()),
        (None, None) => Ok(Vec::new()),
    }
}

/// Runs the plan on one side, and shows the progress.
///
/// # Errors
/// The target can't be used at all, or a signal interrupted the run.
fn run_side(
    side: &SideArguments<'_>,
    mut options: RunOptions,
    screen: &Screen,
) -> Result<SideRun, CommandError> {
    plan_estimate::of_run(&mut options);
    let progress = Progress::new(screen.shows_progress());
    let readings = Arc::new(RunReadings::new(&options.target.run_tag));
    let listener = (progress.clone(), Arc::clone(&readings));
    let interruption = Arc::new(Interruption::default());
    let run = run::run_until(options, Arc::clone(&interruption), move |event: Event| {
        listener.0.show(&event);
        listener.1.add(&event);
    });
    let tell = || progress.note(RUN_ENDS);
    let result = runtime()?.block_on(with_interruption(run, &interruption, tell));
    progress.end();
    let result = result?;
    if interruption.is_interrupted() {
        return Err(CommandError::usage("interrupted: there is no comparison").exit(INCONCLUSIVE));
    }
    if let (true, Some(why)) = (result.scenarios.is_empty(), &result.trouble) {
        let exit_code = if result.exit_code() == USAGE { USAGE } else { UNREACHABLE };
        return Err(CommandError::usage(format!("{}: {why}", side.name)).exit(exit_code));
    }
    Ok(SideRun::new(side.word, result, &readings))
}

/// Writes and prints the reports. A report that contains a secret of a run is refused.
fn publish(
    comparison: &TargetComparison,
    secrets: &[Secrets; 2],
    arguments: &CompareArguments,
    screen: &Screen,
) -> Result<(), CommandError> {
    reports::publish(&arguments.reports, screen, |request| {
        let escaped = || comparison.clone().with_texts(escape::block);
        let report = match request.format {
            Format::Json => json_text(comparison),
            Format::Html => page::page(&escaped()).map_err(CommandError::fault)?,
            _ => text::text(&escaped(), screen.detail()),
        };
        match secrets.iter().any(|known| known.is_in(&report)) {
            true => Err(CommandError::fault(format!(
                "the {} report would contain a secret of a run, so it was not written",
                request.format
            ))),
            false => Ok(report),
        }
    })
}
