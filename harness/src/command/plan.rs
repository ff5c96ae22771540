//! `moot plan`: what would run on a target, what would not and why, and how much that would send.
//! Nothing is sent: of a deployment only its target file is read.

use std::sync::Arc;

use serde_json::json;

use super::failure::{Failure, UNREACHABLE};
use super::line::PlanArguments;
use super::planned::Totals;
use super::run::{choice, drawn, runtime, target_options};
use super::screen::Screen;
use super::suite;
use crate::environment::{Environment, OpenError, TargetOptions, TargetPreview, TargetSource};
use crate::expected;
use crate::masks::Masks;
use crate::run::PAGES_MAX;
use crate::run::estimate::{self, Bounds, Estimate, Terms};
use crate::scenario::model::ScenarioFile;
use crate::scenario::names::Names;
use crate::scenario::plan::{self, Planned};
use crate::target_file::Endpoints;
use crate::terminal::escape;
use crate::terminal::paint::{left, width};
use crate::verdict::{NotRun, Verdict};

/// A scenario of the plan.
pub(super) struct Row<'a> {
    pub(super) planned: Planned<'a>,
    /// Why it would not run.
    pub(super) unmet: Option<NotRun>,
    /// The need that is found out only when the target is opened.
    pub(super) depends_on: Option<String>,
    /// What it would send; nothing where it would not run.
    pub(super) estimate: Estimate,
}

/// Exit 0 also where not everything would run; 2 where the target file is wrong.
pub(super) fn plan(arguments: PlanArguments, screen: &Screen) -> Result<u8, Failure> {
    let files = suite::files(&arguments.suite.scenarios, screen.color())?;
    let planned = plan::select(&files, &arguments.suite.selectors)?;
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(drawn);
    let options = target_options(&arguments.target, seed)?;
    let rows_and_totals = || match choice(&arguments.target).read()? {
        // Without credentials it is judged only where a moot mock answers, which gives its own.
        TargetSource::Http(file) if file.can_only_be_a_mock() => {
            on_mock(TargetSource::InProcess, &options, planned, &masks)
        }
        chosen @ TargetSource::Http(_) => on_deployment(chosen, &options, &files, planned),
        chosen @ (TargetSource::InProcess | TargetSource::Recording(_)) => {
            on_mock(chosen, &options, planned, &masks)
        }
    };
    let (rows, totals) = rows_and_totals().map_err(|error| refusal(&error, &masks))?;
    if screen.is_json() {
        let scenarios: Vec<_> = rows.iter().map(row).collect();
        screen.json(&json!({ "scenarios": scenarios, "estimate": totals.json() }))?;
    } else {
        screen.print(&format!("{}{}", text(&rows, screen), totals.text(screen.paint())))?;
    }
    Ok(0)
}

/// Usage, or a target that cannot be used.
pub(super) fn refusal(error: &OpenError, masks: &Masks) -> Failure {
    let failure = Failure::usage(masks.mask(&error.to_string()));
    match error {
        OpenError::Usage(_) => failure,
        OpenError::Unreachable(_) | OpenError::Credentials(_) => {
            Failure { exit_code: UNREACHABLE, ..failure }
        }
    }
}

fn on_deployment<'a>(
    chosen: TargetSource,
    options: &TargetOptions,
    files: &[ScenarioFile],
    planned: Vec<Planned<'a>>,
) -> Result<(Vec<Row<'a>>, Totals), OpenError> {
    expected::read_for(chosen.expected_file(options), Some(files))
        .map_err(|error| OpenError::Usage(error.to_string()))?;
    let TargetSource::Http(file) = chosen else {
        return Err(OpenError::Usage("the target is no deployment".to_owned()));
    };
    let sketch = TargetPreview::new(*file, options)?;
    let mut names = Names::default();
    for (root, value) in sketch.roots(&options.run_tag) {
        names.set(&root, value);
    }
    let terms = Terms {
        names,
        workflows_max: sketch.workflows_max(),
        endpoints: sketch.endpoints(),
        pages_max: sketch.limits().pages_max,
        confirms: true,
    };
    let rows: Vec<Row<'a>> = planned
        .into_iter()
        .map(|planned| {
            let needs = &planned.scenario.needs;
            let unmet = needs.iter().find_map(|need| sketch.missing(need));
            let depends_on = needs.iter().find(|need| sketch.is_found_later(need)).cloned();
            made(planned, unmet, depends_on, &terms)
        })
        .collect();
    let totals = Totals::of_deployment(&rows, &sketch);
    Ok((rows, totals))
}

fn on_mock<'a>(
    chosen: TargetSource,
    options: &TargetOptions,
    planned: Vec<Planned<'a>>,
    masks: &Arc<Masks>,
) -> Result<(Vec<Row<'a>>, Totals), OpenError> {
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
    let rows: Vec<Row<'a>> = planned.into_iter().map(made).collect();
    let totals = Totals::of_mock(&rows);
    Ok((rows, totals))
}

fn made<'a>(
    planned: Planned<'a>,
    unmet: Option<NotRun>,
    depends_on: Option<String>,
    terms: &Terms<'_>,
) -> Row<'a> {
    let mut estimate = match unmet {
        Some(_) => Estimate::default(),
        None => estimate::of(planned, terms),
    };
    if depends_on.is_some() {
        estimate.requests.min = 0;
        estimate.token_requests.min = 0;
    }
    Row { planned, unmet, depends_on, estimate }
}

fn row(row: &Row<'_>) -> serde_json::Value {
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
    })
}

fn text(rows: &[Row<'_>], screen: &Screen) -> String {
    let paint = screen.paint();
    let names: Vec<String> = rows.iter().map(|row| row.planned.name()).collect();
    let wide = width(names.iter().map(String::as_str));
    let mut out = String::new();
    for (row, name) in rows.iter().zip(&names) {
        match &row.unmet {
            None => {
                let runs = paint.verdict(Verdict::Pass, "runs   ");
                let depends = row.depends_on.as_ref().map(|need| format!(", if {need} is there"));
                let requests = shown(row.estimate.requests);
                let note = format!("{requests} requests{}", depends.unwrap_or_default());
                out.push_str(&format!("  {runs} {}  {}\n", left(name, wide), paint.dim(&note)));
            }
            Some(why) => {
                let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
                let tolerated = if why.is_tolerated { " (tolerated)" } else { "" };
                let reason = format!("{}{}{tolerated}", why.reason, setting.unwrap_or_default());
                let not_run = paint.verdict(Verdict::NotRun, "not run");
                let reason = paint.dim(&escape::line(&reason));
                out.push_str(&format!("  {not_run} {}  {reason}\n", left(name, wide)));
            }
        }
    }
    let runs = rows.iter().filter(|row| row.unmet.is_none()).count();
    out.push_str(&format!("\n{runs} of {} scenarios would run\n", rows.len()));
    out
}

/// `3` or `3 to 7`.
pub(super) fn shown(bounds: Bounds) -> String {
    match bounds.min == bounds.max {
        true => bounds.max.to_string(),
        false => format!("{} to {}", bounds.min, bounds.max),
    }
}
