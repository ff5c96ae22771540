//! `moot run --shard K/N`: assigns scenarios to shards, and runs one of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::error::CommandError;
use super::event_stream::EventStream;
use super::perform::perform_part;
use super::plan_estimate;
use super::screen::Screen;
use crate::client::recording::RecordingIndex;
use crate::run::RunOptions;
use crate::run::environment::Shard;
use crate::run::part::PartScope;
use crate::run::part_files::write_run;
use crate::run::shard::ShardPlan;
use crate::scenario::plan::select;
use crate::verdict::pluralize;
use crate::verdict::result::{RunOutcome, RunResult};

/// The costs by which scenarios are assigned to shards.
#[derive(Debug, Args)]
pub(super) struct CostArguments {
    /// With --shard, an earlier recording: scenarios are assigned to shards by their duration in it. Name the
    /// folders of all its shards; repeatable. All shards need the same ones [default: the estimate by the target file;
    /// on a mock the same for each]
    #[arg(long, value_name = "DIR", requires = "shard")]
    costs: Vec<PathBuf>,
}

impl CostArguments {
    /// The plan of a run with this many shards, and whether costs are known. `options` are those of the whole run, so
    /// that every shard makes the same plan.
    ///
    /// # Errors
    /// A selector selects nothing, or a folder of costs can't be used.
    pub(super) fn plan(
        &self,
        options: &RunOptions,
        shard: Shard,
    ) -> Result<(ShardPlan, bool), CommandError> {
        let planned = select(&options.files, &options.selectors)?;
        let costs = match self.costs.as_slice() {
            [] => plan_estimate::costs(options),
            folders => recorded_costs(folders)?,
        };
        Ok((ShardPlan::new(&planned, &costs, shard.count), !costs.is_empty()))
    }
}

/// The milliseconds of each scenario in these recordings.
///
/// # Errors
/// A folder is not a recording, or has no costs.
fn recorded_costs(folders: &[PathBuf]) -> Result<BTreeMap<String, u64>, CommandError> {
    let mut costs: BTreeMap<String, u64> = BTreeMap::new();
    for dir in folders {
        let of_dir = RecordingIndex::read(dir)?.costs;
        if of_dir.is_empty() {
            let shown = dir.display();
            let message = format!("{shown} does not say how long its scenarios took");
            return Err(CommandError::usage(message).help("record again with this version"));
        }
        for (name, cost) in of_dir {
            let known = costs.entry(name).or_default();
            *known = (*known).max(cost);
        }
    }
    Ok(costs)
}

/// Runs one shard, and writes its part. Its exit code is about its own scenarios only: a known failure that does not
/// happen here may happen in another shard.
///
/// # Errors
/// The run can't be performed. A part that can't be written is an error of the result.
pub(super) fn run(
    mut options: RunOptions,
    (shard, plan): (Shard, ShardPlan),
    dir: &Path,
    streams: &[EventStream],
    screen: &Screen,
) -> Result<RunResult, CommandError> {
    options.only = Some(plan.names(shard.number));
    options.target.shard = Some(shard);
    let part = match perform_part(options.clone(), streams, screen)? {
        Ok(part) => part,
        Err(unopened) => return Ok(*unopened),
    };
    let is_interrupted = part.is_interrupted;
    let written = write_run(dir, &options, (shard, &plan), &part);
    let mut result = part.concluded(PartScope::Share);
    if let Err(error) = written {
        // The reports of the shard are still written.
        result.outcome = RunOutcome::Internal;
        result.trouble = Some(error.to_string());
        return Ok(result);
    }
    let (own, all) = (plan.of_shard(shard.number).count(), plan.scenarios.len());
    let end = match is_interrupted {
        true => "it was interrupted, so that it cannot be merged".to_owned(),
        false => format!("its part is in {}, for `moot merge`", dir.display()),
    };
    let all = pluralize(all, "scenario");
    screen.note(&format!("shard {shard}: {own} of {all}; {end}\n"))?;
    Ok(result)
}
