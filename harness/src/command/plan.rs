//! `moot plan`: shows the scenarios that would run on a target, those that would not and why, and the number of
//! requests. Nothing is sent to a deployment.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::error::CommandError;
use super::plan_estimate::{PlannedScenario, estimate_plan};
use super::plan_shards::PlannedShards;
use super::plan_totals;
use super::runtime::random_seed;
use super::screen::Screen;
use super::shards::CostArguments;
use super::suite::{self, SuiteArguments};
use super::target_arguments::TargetArguments;
use crate::exchange::escape;
use crate::exchange::masks::Masks;
use crate::report::terminal::{Table, paint};
use crate::run::RunOptions;
use crate::run::environment::{Shard, TargetChoice, TargetOptions};
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan;
use crate::verdict::{Verdict, pluralize};

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    suite: SuiteArguments,
    /// Leave these scenarios out; repeatable. Selectors as above
    #[arg(long, value_name = "SELECTOR")]
    exclude: Vec<String>,
    #[command(flatten)]
    target: TargetArguments,
    /// Show the plan of one shard, such as 2/5, the share of each shard, and how long it takes
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    costs: CostArguments,
}

/// Scenarios that likely take this long are listed as slow.
const SLOW_SECONDS: f64 = 30.0;

/// The most slow scenarios that are listed.
const SLOW_SHOWN_MAX: usize = 10;

/// Exit 0, even if not everything would run; 2 for a wrong target file.
pub(super) fn plan(arguments: PlanArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = Arc::new(suite::files(&arguments.suite.scenarios, screen.color())?);
    plan::select(&files, &arguments.exclude)?;
    let mut planned = plan::select(&files, &arguments.suite.selectors())?;
    planned.retain(|one| plan::excluding(one, &arguments.exclude).is_none());
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(random_seed);
    let mut options = arguments.target.options(seed)?;
    let choice = arguments.target.choice()?;
    let shards = shards(&arguments, &choice, &options, &files)?;
    options.shard = arguments.shard;
    planned.retain(|one| shards.as_ref().is_none_or(|it| it.has(&one.name().to_string())));
    let (rows, totals) = estimate_plan(choice, &options, &files, planned, &masks)?;
    if screen.is_json() {
        let scenarios: Vec<_> = rows.iter().map(row).collect();
        let mut plan = json!({ "scenarios": scenarios, "estimate": totals.json() });
        if let Some(shards) = &shards {
            plan["shards"] = shards.json();
        }
        screen.json(&plan)?;
    } else {
        let of_shards = shards.map(|it| it.text()).unwrap_or_default();
        let totals = totals.text();
        screen.print(&format!("{}{of_shards}{totals}", text(&rows)))?;
    }
    Ok(0)
}

/// The shards of the plan, with `--shard`.
fn shards(
    arguments: &PlanArguments,
    choice: &TargetChoice,
    options: &TargetOptions,
    files: &Arc<Vec<ScenarioFile>>,
) -> Result<Option<PlannedShards>, CommandError> {
    let Some(shard) = arguments.shard else { return Ok(None) };
    let run = RunOptions {
        selectors: arguments.suite.selectors(),
        excluded: arguments.exclude.clone(),
        ..RunOptions::new(choice.clone(), options.clone(), Arc::clone(files))
    };
    let (plan, has_costs) = arguments.costs.plan(&run, shard)?;
    let is_rate_divided = arguments.target.target.is_some() && options.rate.is_none();
    let slowdown = if is_rate_divided { shard.count } else { 1 };
    Ok(Some(PlannedShards { shard, plan, has_costs, slowdown }))
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

fn text(rows: &[PlannedScenario<'_>]) -> String {
    let mut table = Table::new(2);
    for row in rows {
        let name = row.planned.name().to_string();
        table.row(match &row.unmet {
            None => {
                let depends = row.depends_on.as_ref().map(|need| format!(", if {need} is there"));
                let requests = plan_totals::likely_text(row.estimate.requests);
                let noun = if row.estimate.requests.max == 1 { "request" } else { "requests" };
                let note = format!("{requests} {noun}{}", depends.unwrap_or_default());
                [paint::verdict(Verdict::Pass, "runs"), name, paint::dim(note)]
            }
            Some(why) => {
                let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
                let tolerated = if why.is_tolerated { " (tolerated)" } else { "" };
                let reason = format!("{}{}{tolerated}", why.reason, setting.unwrap_or_default());
                let reason = paint::dim(escape::line(&reason));
                [paint::verdict(Verdict::NotRun, "not run"), name, reason]
            }
        });
    }
    let runs = rows.iter().filter(|row| row.unmet.is_none()).count();
    let table = table.render();
    let slow = slowest(rows);
    format!("{table}\n{slow}{runs} of {} would run\n", pluralize(rows.len(), "scenario"))
}

/// The scenarios that are slow at the limits of the target, the slowest first.
fn slowest(rows: &[PlannedScenario<'_>]) -> String {
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
    let mut table = Table::new(2);
    for (row, seconds) in slow {
        let minutes = format!("{:.1} min", seconds / 60.0);
        let waits = row.estimate.burst_seconds;
        let waits = if waits > 0 { format!("{waits} s of them waiting") } else { String::new() };
        table.row([minutes, row.planned.name().to_string(), paint::dim(waits)]);
    }
    let table = table.render();
    format!("The slowest scenarios; `--exclude SELECTOR` leaves them out\n{table}\n")
}
