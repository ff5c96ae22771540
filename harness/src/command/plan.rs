//! `moot plan`: what would run on a target, what would not and why, and how many requests that would send.
//! Nothing is sent. Of a deployment only its target file is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::error::CommandError;
use super::plan_shards::PlannedShards;
use super::plan_totals::{self, PlanTotals};
use super::progress::ScenarioWork;
use super::runtime::{random_seed, runtime};
use super::screen::Screen;
use super::shard_costs::CostArguments;
use super::suite::{self, SuiteArguments};
use super::target_arguments::{TargetArguments, open_error};
use crate::client::target_file::Endpoints;
use crate::exchange::escape;
use crate::exchange::masks::Masks;
use crate::report::terminal::{Align, Cell, Table};
use crate::run::environment::{
    Environment, OpenError, Shard, TargetOptions, TargetPreview, TargetSource,
};
use crate::run::estimate::{self, Estimate, Terms};
use crate::run::{PAGES_MAX, RunOptions};
use crate::scenario::model::ScenarioFile;
use crate::scenario::names::Names;
use crate::scenario::plan::{self, Planned};
use crate::verdict::{NotRun, Verdict, counted, expected};

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    suite: SuiteArguments,
    /// Leave these scenarios out; repeatable. Selectors as above
    #[arg(long, value_name = "SELECTOR")]
    exclude: Vec<String>,
    #[command(flatten)]
    target: TargetArguments,
    /// Show the plan of one shard, such as 2/5, what each shard does, and how long that takes
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    costs: CostArguments,
}

/// A scenario that likely takes this long is named.
const SLOW_SECONDS: f64 = 30.0;

/// So many are named at most.
const SLOW_SHOWN_MAX: usize = 10;

/// A scenario of the plan.
struct PlannedScenario<'a> {
    planned: Planned<'a>,
    /// Why it would not run.
    unmet: Option<NotRun>,
    /// The need that is found out only when the target is opened.
    depends_on: Option<String>,
    /// The requests it would send; none if it would not run.
    estimate: Estimate,
    /// Seconds that it likely takes, at the limits of the target; `None` on a mock.
    seconds: Option<f64>,
    /// At most.
    seconds_max: Option<f64>,
}

/// Exit 0, even if not everything would run; 2 for a wrong target file.
pub(super) fn plan(arguments: PlanArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = Arc::new(suite::files(&arguments.suite.scenarios, screen.color())?);
    plan::select(&files, &arguments.exclude)?;
    let mut planned = plan::select(&files, &arguments.suite.selectors())?;
    planned.retain(|one| plan::excluding(one, &arguments.exclude).is_none());
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(random_seed);
    let mut options = arguments.target.options(seed)?;
    let shards = shards(&arguments, &options, &files)?;
    options.shard = arguments.shard;
    planned.retain(|one| shards.as_ref().is_none_or(|it| it.has(&one.name())));
    let rows_and_totals = || match arguments.target.choice().read()? {
        // Without credentials only a moot mock can be judged, which gives us its own.
        TargetSource::Http(file) if file.can_only_be_a_mock() => {
            on_mock(TargetSource::InProcess, &options, planned, &masks)
        }
        chosen @ TargetSource::Http(_) => on_deployment(chosen, &options, &files, planned),
        chosen @ (TargetSource::InProcess
        | TargetSource::InProcessDeployment
        | TargetSource::Recording(_)) => on_mock(chosen, &options, planned, &masks),
    };
    let (rows, totals) = rows_and_totals().map_err(|error| open_error(&error, &masks))?;
    if screen.is_json() {
        let scenarios: Vec<_> = rows.iter().map(row).collect();
        let mut plan = json!({ "scenarios": scenarios, "estimate": totals.json() });
        if let Some(shards) = &shards {
            plan["shards"] = shards.json();
        }
        screen.json(&plan)?;
    } else {
        let of_shards = shards.map(|it| it.text(screen.paint())).unwrap_or_default();
        let totals = totals.text(screen.paint());
        screen.print(&format!("{}{of_shards}{totals}", text(&rows, screen)))?;
    }
    Ok(0)
}

/// The shards of the plan, if one was asked for.
fn shards(
    arguments: &PlanArguments,
    options: &TargetOptions,
    files: &Arc<Vec<ScenarioFile>>,
) -> Result<Option<PlannedShards>, CommandError> {
    let Some(shard) = arguments.shard else { return Ok(None) };
    let choice = arguments.target.choice();
    let run = RunOptions {
        selectors: arguments.suite.selectors(),
        excluded: arguments.exclude.clone(),
        ..RunOptions::new(choice, options.clone(), Arc::clone(files))
    };
    let (plan, has_costs) = arguments.costs.plan(&run, shard, costs)?;
    let is_rate_divided = arguments.target.target.is_some() && options.rate.is_none();
    let slowdown = if is_rate_divided { shard.count } else { 1 };
    Ok(Some(PlannedShards { shard, plan, has_costs, slowdown }))
}

fn on_deployment<'a>(
    chosen: TargetSource,
    options: &TargetOptions,
    files: &[ScenarioFile],
    planned: Vec<Planned<'a>>,
) -> Result<(Vec<PlannedScenario<'a>>, PlanTotals), OpenError> {
    expected::read_for(chosen.expected_file(options), Some(files))
        .map_err(|error| OpenError::Usage(error.to_string()))?;
    let TargetSource::Http(file) = chosen else {
        return Err(OpenError::Usage("the target is not a deployment".to_owned()));
    };
    let preview = TargetPreview::new(*file, options)?;
    let mut names = Names::default();
    for (root, value) in preview.roots(&options.run_tag) {
        names.set(&root, value);
    }
    let terms = Terms {
        names,
        workflows_max: preview.workflows_max(),
        endpoints: preview.endpoints(),
        pages_max: preview.limits().pages_max,
        confirms: true,
    };
    let rows: Vec<PlannedScenario<'a>> = planned
        .into_iter()
        .map(|planned| {
            let needs = &planned.scenario.needs;
            let unmet = needs.iter().find_map(|need| preview.missing(need));
            let depends_on = needs.iter().find(|need| preview.is_found_later(need)).cloned();
            let mut row = made(planned, unmet, depends_on, &terms);
            row.seconds = Some(plan_totals::seconds(&row.estimate, preview.limits()));
            row.seconds_max = Some(plan_totals::seconds_max(&row.estimate, preview.limits()));
            row
        })
        .collect();
    let needs_search = rows.iter().any(|row| row.depends_on.is_some());
    let totals = PlanTotals::of_deployment(sum_on_deployment(&rows), needs_search, &preview);
    Ok((rows, totals))
}

/// What a run on a deployment will do, as far as that is known before it.
#[derive(Default)]
pub(super) struct PlannedRun {
    /// What each scenario sends and waits.
    pub(super) work: BTreeMap<String, ScenarioWork>,
    /// Objects that it creates at most; `None` where no target file was read.
    pub(super) objects: Option<u32>,
    /// As `objects`, for all shards of the run together.
    pub(super) objects_of_shards: Option<u32>,
}

/// What a run on a deployment will do; nothing is known of other targets.
pub(super) fn of_run(options: &RunOptions) -> PlannedRun {
    let Ok(chosen @ TargetSource::Http(_)) = options.choice.clone().read() else {
        return PlannedRun::default();
    };
    let files = &options.files;
    let mut planned = plan::select(files, &options.selectors).unwrap_or_default();
    planned.retain(|one| plan::excluding(one, &options.excluded).is_none());
    let Ok((all, _)) = on_deployment(chosen, &options.target, files, planned) else {
        return PlannedRun::default();
    };
    let of_shards: u64 = sum_on_deployment(&all).objects.values().sum();
    let only = |row: &PlannedScenario<'_>| {
        options.only.as_ref().is_none_or(|only| only.contains(&row.planned.name()))
    };
    let rows: Vec<PlannedScenario<'_>> = all.into_iter().filter(only).collect();
    let work = |row: &PlannedScenario<'_>| {
        let estimate = &row.estimate;
        let requests = estimate.requests.likely.saturating_sub(estimate.unpaced_requests) as f64;
        ScenarioWork {
            requests,
            waits_seconds: estimate.burst_seconds as f64,
            paced_seconds: row.seconds.unwrap_or_default(),
        }
    };
    let objects: u64 = sum_on_deployment(&rows).objects.values().sum();
    PlannedRun {
        work: rows.iter().map(|row| (row.planned.name(), work(row))).collect(),
        objects: Some(u32::try_from(objects).unwrap_or(u32::MAX)),
        objects_of_shards: Some(u32::try_from(of_shards).unwrap_or(u32::MAX)),
    }
}

/// Milliseconds that each scenario likely takes on a deployment, at the limits of its file; nothing is known of other
/// targets.
pub(super) fn costs(options: &RunOptions) -> BTreeMap<String, u64> {
    let work = of_run(options).work.into_iter();
    work.map(|(name, work)| (name, (work.paced_seconds * 1_000.0).round() as u64)).collect()
}

fn on_mock<'a>(
    chosen: TargetSource,
    options: &TargetOptions,
    planned: Vec<Planned<'a>>,
    masks: &Arc<Masks>,
) -> Result<(Vec<PlannedScenario<'a>>, PlanTotals), OpenError> {
    let runtime = runtime().map_err(|failure| OpenError::Usage(failure.message))?;
    let target = runtime.block_on(Environment::open(chosen, options.clone(), Arc::clone(masks)))?;
    let endpoints = Endpoints::new(&std::collections::BTreeMap::new());
    let terms = Terms {
        names: Names::default(),
        workflows_max: None,
        endpoints: &endpoints,
        pages_max: PAGES_MAX,
        confirms: false,
    };
    let made = |planned: Planned<'a>| {
        let unmet = planned.scenario.needs.iter().find_map(|need| target.missing(need));
        made(planned, unmet, None, &terms)
    };
    let rows: Vec<PlannedScenario<'a>> = planned.into_iter().map(made).collect();
    let totals = PlanTotals::of_mock(sum(&rows));
    Ok((rows, totals))
}

fn made<'a>(
    planned: Planned<'a>,
    unmet: Option<NotRun>,
    depends_on: Option<String>,
    terms: &Terms<'_>,
) -> PlannedScenario<'a> {
    let mut estimate = match unmet {
        Some(_) => Estimate::default(),
        None => estimate::of(planned, terms),
    };
    if depends_on.is_some() {
        estimate.requests.min = 0;
        estimate.token_requests.min = 0;
    }
    PlannedScenario { planned, unmet, depends_on, estimate, seconds: None, seconds_max: None }
}

fn row(row: &PlannedScenario<'_>) -> serde_json::Value {
    let unmet = row.unmet.as_ref();
    json!({
        "name": row.planned.name(),
        "title": row.planned.scenario.title,
        "section": row.planned.file.section,
        "runs": unmet.is_none(),
        "reason": unmet.map(|why| &why.reason),
        "setting": unmet.and_then(|why| why.setting.as_ref()),
        "is_tolerated": unmet.is_some_and(|why| why.is_tolerated),
        "depends_on": row.depends_on,
        "requests": row.estimate.requests,
        "seconds": row.seconds.map(f64::ceil),
        "seconds_max": row.seconds_max.map(f64::ceil),
    })
}

fn text(rows: &[PlannedScenario<'_>], screen: &Screen) -> String {
    let mut table = Table::new(2, [Align::Left; 3]);
    for row in rows {
        let name = Cell::plain(row.planned.name());
        table.row(match &row.unmet {
            None => {
                let depends = row.depends_on.as_ref().map(|need| format!(", if {need} is there"));
                let requests = plan_totals::likely_text(row.estimate.requests);
                let note = format!("{requests} {}{}", noun(row), depends.unwrap_or_default());
                [Cell::verdict(Verdict::Pass, "runs"), name, Cell::dim(note)]
            }
            Some(why) => {
                let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
                let tolerated = if why.is_tolerated { " (tolerated)" } else { "" };
                let reason = format!("{}{}{tolerated}", why.reason, setting.unwrap_or_default());
                let reason = Cell::dim(escape::line(&reason));
                [Cell::verdict(Verdict::NotRun, "not run"), name, reason]
            }
        });
    }
    let runs = rows.iter().filter(|row| row.unmet.is_none()).count();
    let table = table.render(screen.paint());
    let slow = slowest(rows, screen);
    format!("{table}\n{slow}{runs} of {} would run\n", counted(rows.len(), "scenario"))
}

fn noun(row: &PlannedScenario<'_>) -> &'static str {
    if row.estimate.requests.max == 1 { "request" } else { "requests" }
}

/// Scenarios that take long at the limits of the target, the slowest first.
fn slowest(rows: &[PlannedScenario<'_>], screen: &Screen) -> String {
    let mut slow: Vec<(&PlannedScenario<'_>, f64)> = rows
        .iter()
        .filter_map(|row| Some((row, row.seconds?)))
        .filter(|(_, seconds)| *seconds >= SLOW_SECONDS)
        .collect();
    slow.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    slow.truncate(SLOW_SHOWN_MAX);
    if slow.is_empty() {
        return String::new();
    }
    let mut table = Table::new(2, [Align::Left; 3]);
    for (row, seconds) in slow {
        let minutes = Cell::plain(format!("{:.1} min", seconds / 60.0));
        let waits = row.estimate.burst_seconds;
        let waits = if waits > 0 { format!("{waits} s of them waiting") } else { String::new() };
        table.row([minutes, Cell::plain(row.planned.name()), Cell::dim(waits)]);
    }
    let table = table.render(screen.paint());
    format!("These take the minutes; `--exclude SELECTOR` leaves them out\n{table}\n")
}

/// With the creation that tries the requester.
fn sum_on_deployment(rows: &[PlannedScenario<'_>]) -> Estimate {
    let mut sum = sum(rows);
    let writes = |row: &PlannedScenario<'_>| {
        row.unmet.is_none() && row.planned.scenario.needs.iter().any(|need| need == "write")
    };
    if rows.iter().any(writes) {
        *sum.objects.entry("legal_request").or_default() += 1;
    }
    sum
}

fn sum(rows: &[PlannedScenario<'_>]) -> Estimate {
    let mut sum = Estimate::default();
    rows.iter().for_each(|row| sum.add(row.estimate.clone()));
    sum
}
