//! `moot selftest`: tests the suite itself, with defects of the mock. With `--target` it finds the checks that detect
//! defects on a deployment.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;
use moot_fixtures::nearest::alike;
use moot_mock::defect::mutant::{self, Mutant};
use moot_mock::defect::{self, Defect};
use serde_json::{Value, json};

use super::error::CommandError;
use super::number::any_number;
use super::progress::Progress;
use super::reports::{self, ReplaceArguments, ReportRequest, report_of};
use super::runtime::{random_seed, runtime};
use super::screen::{Screen, json_text};
use super::selftest_conduct;
use super::selftest_shard;
use super::suite;
use super::target_arguments::choice_of;
use crate::client::recording::Recorder;
use crate::report::Format;
use crate::run::environment::{Shard, TargetOptions};
use crate::run::part_files::PartSet;
use crate::selftest::on_target::{on_target, record};
use crate::selftest::{
    SelftestOutcome, SelftestPlan, TrialEnvironment, markdown, mutants, on_target_text, page, text,
};
use crate::verdict::result::RunOutcome;

/// The default of `--seeds`.
const SEEDS: u64 = 40;

/// The formats of the reports of a self-test.
const FORMATS: [Format; 3] = [Format::Json, Format::Html, Format::Markdown];

#[derive(Debug, Args)]
pub(super) struct SelftestArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    scenarios: Vec<PathBuf>,
    /// A deployment (a target file, or a base address). It is run once within its consents, and the
    /// defects that rewrite a response are applied to its responses. Shows the checks that detect a defect there
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["seeds", "thorough"])]
    target: Option<String>,
    /// The number of services with drawn answers. The suite must accept each of them
    #[arg(long, value_name = "N", default_value_t = SEEDS, value_parser = any_number)]
    seeds: u64,
    /// Only these defects [default: all]; repeatable
    #[arg(long = "defect", value_name = "ID")]
    defects: Vec<String>,
    /// Try each defect on every scenario, not only on its own and a sample of the others
    #[arg(long)]
    thorough: bool,
    /// Generated defects that are drawn and tried with the control plane and as a deployment: a number,
    /// or `all` [default: 100, or none with --defect]. With 0 nothing is tried as a deployment
    #[arg(long, value_name = "N|all", value_parser = sample_size, conflicts_with = "target")]
    sample: Option<usize>,
    /// The seed of the draw [default: the day, in days since 1970]
    #[arg(long, value_name = "SEED", value_parser = any_number, requires = "sample")]
    sample_seed: Option<u64>,
    /// Test the rules of conduct instead, with a client that breaks each one and one that behaves well
    #[arg(long, conflicts_with_all = ["target", "defects", "scenarios", "seeds", "sample", "thorough", "reports"])]
    conduct: bool,
    /// Only these rules of conduct; repeatable
    #[arg(long = "rule", value_name = "RULE", requires = "conduct")]
    rules: Vec<String>,
    /// Act as the client that breaks this rule of conduct, or with `none` as the one that behaves well. Run it under
    /// `moot exec` or `moot drill`
    #[arg(long, value_name = "RULE|none", exclusive = true)]
    misbehave: Option<String>,
    /// Write the kill matrix too: json, html or markdown (in a page with the markers of an earlier one,
    /// the rest is kept); repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_of(&FORMATS))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
    /// Make one shard of the trials, such as 2/5. `moot merge` joins the results of all shards. Give --sample and
    /// --sample-seed too: all shards need the same
    #[arg(long, value_name = "K/N", requires_all = ["record", "sample_seed"],
        conflicts_with_all = ["target", "scenarios", "conduct"])]
    shard: Option<Shard>,
    /// With --shard, the folder for the results of the shard, for `moot merge`
    #[arg(long, value_name = "DIR", requires = "shard")]
    record: Option<PathBuf>,
}

/// Concurrent scenarios of one trial.
const JOBS: usize = 2;

/// Concurrent trials if the number of cores is unknown.
const LANES_DEFAULT: usize = 2;

/// The default of `--sample`.
const SAMPLE: usize = 100;

fn sample_size(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => {
            number.parse().map_err(|_| "give a whole number of at least 0, or `all`".to_owned())
        }
    }
}

/// The current day, in days since 1970.
fn day() -> u64 {
    const DAY_SECONDS: i64 = 24 * 60 * 60;
    (Timestamp::now().as_second() / DAY_SECONDS).unsigned_abs()
}

/// Exit 1 for one of these: a defect that no check detects, a gating row that detects no defect, a mutation score below
/// its goal, a conforming service that failed, another target that passed. With `--target`: 0 if a check detects a
/// defect, else 3.
pub(super) fn selftest(arguments: SelftestArguments, screen: &Screen) -> Result<u8, CommandError> {
    if let Some(rule) = &arguments.misbehave {
        return selftest_conduct::misbehave(rule);
    }
    if arguments.conduct {
        return selftest_conduct::selftest_conduct(&arguments.rules, screen);
    }
    reports::check(&arguments.reports, arguments.replace)?;
    let ids = || defect::all().iter().map(|defect| defect.id.as_str());
    if let Some(id) = arguments.defects.iter().find(|id| defect::named(id).is_none()) {
        return Err(
            CommandError::usage(format!("there is no defect `{id}`")).nearest(alike(id, ids()))
        );
    }
    match &arguments.target {
        Some(target) => on_deployment(target, &arguments, screen),
        None => on_mock(&arguments, screen),
    }
}

fn on_mock(arguments: &SelftestArguments, screen: &Screen) -> Result<u8, CommandError> {
    let part = arguments.shard.zip(arguments.record.as_deref());
    let _lock = part.map(|(_, dir)| Recorder::prepare(dir)).transpose()?;
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let (bench, progress) = bench(arguments, screen)?;
    let plan = arguments.plan();
    progress.expect(plan.steps(shard));
    let outcome = runtime()?.block_on(plan.run(&bench, shard));
    progress.end();
    let mut outcome = outcome.map_err(|error| {
        CommandError::fault(format!("a target of the self-test cannot be made: {error}"))
    })?;
    if let Some((shard, dir)) = part {
        selftest_shard::write(dir, shard, &plan, &outcome)?;
        screen.note(&format!(
            "shard {shard}: its part is in {}, for `moot merge`\n",
            dir.display()
        ))?;
        // One shard does not show unproven requirements.
        outcome.is_whole = false;
    }
    publish(&outcome, &arguments.reports, screen)?;
    Ok(u8::from(!outcome.is_proven()))
}

/// Reports the self-test of all parts. If some are missing, it never ends with 0.
pub(super) fn merge(
    set: &PartSet,
    requests: &[ReportRequest],
    screen: &Screen,
) -> Result<u8, CommandError> {
    reports::check_formats(requests, &FORMATS)?;
    let files = suite::files(&[], screen.color())?;
    let outcome = selftest_shard::join(set, &files)?;
    publish(&outcome, requests, screen)?;
    Ok(match (outcome.is_proven(), set.missing().is_empty()) {
        (false, _) => RunOutcome::NonConformant.exit_code(),
        (true, false) => RunOutcome::Incomplete.exit_code(),
        (true, true) => RunOutcome::Conformant.exit_code(),
    })
}

fn publish(
    outcome: &SelftestOutcome,
    reports: &[ReportRequest],
    screen: &Screen,
) -> Result<(), CommandError> {
    reports::publish(reports, screen, |request| match request.format {
        Format::Html => page::page(outcome).map_err(CommandError::fault),
        // If the earlier page can't be read, the whole page is written.
        Format::Markdown => {
            let earlier = fs::read_to_string(&request.file).ok();
            markdown::page(outcome, earlier.as_deref()).map_err(CommandError::fault)
        }
        Format::Json => Ok(report_json(json!(outcome))),
        _ => Ok(text::text(outcome, screen.detail())),
    })
}

/// Adds the version, by which a later report recognises that it may replace this one.
fn report_json(mut outcome: Value) -> String {
    outcome["moot_version"] = env!("CARGO_PKG_VERSION").into();
    json_text(&outcome)
}

fn on_deployment(
    target: &str,
    arguments: &SelftestArguments,
    screen: &Screen,
) -> Result<u8, CommandError> {
    if let Some(report) = arguments.reports.iter().find(|it| it.format != Format::Json) {
        return Err(CommandError::usage(format!(
            "{} cannot be written: with --target there is no whole kill matrix",
            report.file
        ))
        .help("use --report json=FILE, or leave --target out"));
    }
    let defects = rewriting(arguments)?;
    let choice = choice_of(Some(target))?;
    let (bench, progress) = bench(arguments, screen)?;
    let light: usize = bench.light().iter().map(|file| file.scenarios.len()).sum();
    progress.expect(defects.len() + light + 1);
    let folder = tempfile::tempdir().map_err(|error| {
        CommandError::fault(format!("no temporary folder can be made: {error}"))
    })?;
    let seed = random_seed();
    let options =
        TargetOptions { seed, run_tag: format!("moot-{seed:08x}"), ..TargetOptions::default() };
    let found = runtime()?.block_on(async {
        let run = record(&bench, choice, options, folder.path()).await;
        let run = run.map_err(CommandError::fault)?;
        if let Some(said) = &run.trouble {
            return Err(CommandError::usage(said).exit(run.exit_code()));
        }
        Ok(on_target(&bench, &run, folder.path(), defects).await)
    });
    progress.end();
    let found = found?;
    reports::publish(&arguments.reports, screen, |request| {
        Ok(match request.format {
            Format::Json => report_json(json!(found)),
            _ => on_target_text(&found, screen.detail()),
        })
    })?;
    Ok(found.exit_code())
}

impl SelftestArguments {
    /// Whether `--defect` selects this defect.
    fn selects(&self, id: &str) -> bool {
        self.defects.is_empty() || self.defects.iter().any(|selected| selected == id)
    }

    /// The plan of a self-test on the mock.
    fn plan(&self) -> SelftestPlan {
        let mutant_seed = self.sample_seed.unwrap_or_else(day);
        SelftestPlan {
            defects: defect::all().iter().filter(|it| self.selects(&it.id)).collect(),
            mutants: self.mutants(mutant_seed),
            mutant_seed,
            seeds: self.seeds,
            is_thorough: self.thorough,
            is_whole: self.defects.is_empty(),
        }
    }

    /// The mutants of the plan: those of `--defect`, and those that are drawn.
    fn mutants(&self, seed: u64) -> Vec<&'static Mutant> {
        let named = self.defects.iter().filter_map(|id| mutant::named(id));
        let default = if self.defects.is_empty() { SAMPLE } else { 0 };
        let drawn = mutants::draw(mutant::all(), self.sample.unwrap_or(default), seed);
        named.chain(drawn).collect()
    }
}

/// The selected defects that only rewrite a response.
fn rewriting(arguments: &SelftestArguments) -> Result<Vec<&'static Defect>, CommandError> {
    let selected = || defect::all().iter().filter(|it| arguments.selects(&it.id));
    let other = selected().find(|it| !arguments.defects.is_empty() && !it.is_rewriting());
    if let Some(other) = other {
        return Err(CommandError::usage(format!(
            "`{}` does more than rewrite a response, so it cannot be applied to the responses of a \
             deployment",
            other.id
        ))
        .help("leave --target out, to try it on the mock"));
    }
    Ok(selected().filter(|it| it.is_rewriting()).collect())
}

/// The common settings of all trials, and their progress.
fn bench(
    arguments: &SelftestArguments,
    screen: &Screen,
) -> Result<(TrialEnvironment, Progress), CommandError> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let lanes = std::thread::available_parallelism().map_or(LANES_DEFAULT, |cores| cores.get() * 2);
    let progress = Progress::new(screen.shows_progress());
    let bar = progress.clone();
    let bench =
        TrialEnvironment { files, lanes, jobs: JOBS, tell: Arc::new(move |name| bar.done(name)) };
    Ok((bench, progress))
}
