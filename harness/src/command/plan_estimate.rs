//! The scenarios of a plan on a target: whether each would run, and the requests that it would send.
//!
//! Nothing is sent to a deployment: only its target file is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::CommandError;
use super::plan_totals::{self, PlanTotals};
use super::progress::ScenarioWork;
use super::runtime::runtime;
use super::target_arguments::{deployment, open_error};
use crate::client::answers::Pins;
use crate::client::http::{ConnectionUse, Http};
use crate::client::target_file::{Endpoints, FileLimits, TargetFile, check_tolerated};
use crate::exchange::masks::Masks;
use crate::run::RunOptions;
use crate::run::environment::{Environment, TargetChoice, TargetOptions, TargetPreview};
use crate::run::estimate::{self, Estimate, TargetFacts};
use crate::scenario::model::ScenarioFile;
use crate::scenario::names::Names;
use crate::scenario::plan::{self, PlanEntry};
use crate::verdict::{NotRun, expected};

/// A scenario of the plan.
pub(super) struct PlannedScenario<'a> {
    pub(super) planned: PlanEntry<'a>,
    /// Why it would not run.
    pub(super) unmet: Option<NotRun>,
    /// The need that is known only after the target is opened.
    pub(super) depends_on: Option<String>,
    /// The requests that it would send; none if it would not run.
    pub(super) estimate: Estimate,
    /// Its likely duration in seconds, at the limits of the target; `None` on a mock.
    pub(super) seconds: Option<f64>,
    /// Its longest duration in seconds.
    pub(super) seconds_max: Option<f64>,
}

/// The rows and the totals of a plan.
///
/// # Errors
/// The target file or its file of known failures is wrong, or the mock can't be opened.
pub(super) fn estimate_plan<'a>(
    choice: TargetChoice,
    options: &TargetOptions,
    files: &[ScenarioFile],
    planned: Vec<PlanEntry<'a>>,
    masks: &Arc<Masks>,
) -> Result<(Vec<PlannedScenario<'a>>, PlanTotals), CommandError> {
    if let TargetChoice::Http(file) = &choice {
        check_files_named_in(file, options, files)?;
    }
    match deployment(&choice) {
        Some(file) => on_deployment(file.clone(), options, planned, masks),
        None => on_mock(options, planned, masks),
    }
}

/// Reads the files that a target file names, which would stop a run if they were wrong.
fn check_files_named_in(
    file: &TargetFile,
    options: &TargetOptions,
    files: &[ScenarioFile],
) -> Result<(), CommandError> {
    expected::read_for(options.expected.as_ref().or(file.expected.as_ref()), Some(files))
        .map_err(CommandError::usage)?;
    check_tolerated(file, files).map_err(CommandError::usage)?;
    file.answers.as_deref().map(Pins::read).transpose().map_err(CommandError::usage)?;
    Http::new(file, ConnectionUse::Single).map(drop).map_err(CommandError::usage)
}

fn on_deployment<'a>(
    file: TargetFile,
    options: &TargetOptions,
    planned: Vec<PlanEntry<'a>>,
    masks: &Masks,
) -> Result<(Vec<PlannedScenario<'a>>, PlanTotals), CommandError> {
    let preview = TargetPreview::new(file, options).map_err(|error| open_error(&error, masks))?;
    let facts = TargetFacts {
        names: preview.roots(&options.run_tag),
        workflows_max: preview.workflows_max(),
        endpoints: preview.endpoints(),
        pages_max: preview.limits().pages_max,
        confirms: true,
    };
    let row = |planned: PlanEntry<'a>| {
        let needs = &planned.scenario.needs;
        let unmet = needs.iter().find_map(|need| preview.missing(need));
        let depends_on = needs.iter().find(|need| preview.is_found_later(need)).cloned();
        let mut row = planned_scenario(planned, unmet, depends_on, &facts);
        (row.seconds, row.seconds_max) =
            Some(plan_totals::seconds(&row.estimate, preview.limits())).unzip();
        row
    };
    let rows: Vec<PlannedScenario<'a>> = planned.into_iter().map(row).collect();
    let needs_search = rows.iter().any(|row| row.depends_on.is_some());
    let totals = PlanTotals::of_deployment(sum_on_deployment(&rows), needs_search, &preview);
    Ok((rows, totals))
}

fn on_mock<'a>(
    options: &TargetOptions,
    planned: Vec<PlanEntry<'a>>,
    masks: &Arc<Masks>,
) -> Result<(Vec<PlannedScenario<'a>>, PlanTotals), CommandError> {
    let opening = Environment::open(TargetChoice::InProcess, options.clone(), Arc::clone(masks));
    let target = runtime()?.block_on(opening).map_err(|error| open_error(&error, masks))?;
    let endpoints = Endpoints::new(&BTreeMap::new());
    let facts = TargetFacts {
        names: Names::default(),
        workflows_max: None,
        endpoints: &endpoints,
        pages_max: FileLimits::default().pages_max,
        confirms: false,
    };
    let row = |planned: PlanEntry<'a>| {
        let unmet = planned.scenario.needs.iter().find_map(|need| target.missing(need));
        planned_scenario(planned, unmet, None, &facts)
    };
    let rows: Vec<PlannedScenario<'a>> = planned.into_iter().map(row).collect();
    let totals = PlanTotals::of_mock(sum(&rows));
    Ok((rows, totals))
}

fn planned_scenario<'a>(
    planned: PlanEntry<'a>,
    unmet: Option<NotRun>,
    depends_on: Option<String>,
    facts: &TargetFacts<'_>,
) -> PlannedScenario<'a> {
    let mut estimate = match unmet {
        Some(_) => Estimate::default(),
        None => estimate::of(planned, facts),
    };
    if depends_on.is_some() {
        estimate.requests.min = 0;
        estimate.token_requests.min = 0;
    }
    PlannedScenario { planned, unmet, depends_on, estimate, seconds: None, seconds_max: None }
}

/// The sum of all rows, and the creation that tests the requester.
fn sum_on_deployment(rows: &[PlannedScenario<'_>]) -> Estimate {
    let mut sum = sum(rows);
    let writes =
        |row: &PlannedScenario<'_>| row.unmet.is_none() && row.planned.scenario.needs("write");
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

/// The work of each scenario of a run on a deployment; empty for other targets. Puts the most objects that it creates
/// into the options. An invalid file gives no estimate: the run itself reports the error.
pub(super) fn of_run(options: &mut RunOptions) -> BTreeMap<String, ScenarioWork> {
    let TargetChoice::Http(file) = &options.choice else { return BTreeMap::new() };
    let files = &options.files;
    let mut planned = plan::select(files, &options.selectors).unwrap_or_default();
    planned.retain(|one| plan::excluding(one, &options.excluded).is_none());
    let file = TargetFile::clone(file);
    let estimated = on_deployment(file, &options.target, planned, &options.masks);
    let Ok((mut rows, _)) = estimated else { return BTreeMap::new() };
    let objects = |rows: &[PlannedScenario<'_>]| {
        let objects: u64 = sum_on_deployment(rows).objects.values().sum();
        Some(u32::try_from(objects).unwrap_or(u32::MAX))
    };
    options.target.created_objects_of_shards = objects(&rows);
    if let Some(only) = &options.only {
        rows.retain(|row| only.contains(&row.planned.name().to_string()));
    }
    let work = |row: &PlannedScenario<'_>| {
        let Estimate { requests, unpaced_requests, burst_seconds, .. } = &row.estimate;
        let work = ScenarioWork {
            requests: requests.likely.saturating_sub(*unpaced_requests) as f64,
            waits_seconds: *burst_seconds as f64,
            paced_seconds: row.seconds.unwrap_or_default(),
        };
        (row.planned.name().to_string(), work)
    };
    options.target.created_objects_planned = objects(&rows);
    rows.iter().map(work).collect()
}

/// The likely duration of each scenario in milliseconds, at the limits of the target file; empty without one.
pub(super) fn costs(options: &RunOptions) -> BTreeMap<String, u64> {
    let work = of_run(&mut options.clone()).into_iter();
    work.map(|(name, work)| (name, (work.paced_seconds * 1_000.0).round() as u64)).collect()
}
