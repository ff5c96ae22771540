//! `--costs DIR`: how long scenarios took in an earlier recording, by which they are assigned to shards.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use crate::client::recording::RecordingIndex;
use crate::run::RunOptions;
use crate::run::environment::Shard;
use crate::run::shard::ShardPlan;
use crate::scenario::plan::select;

/// The costs by which scenarios are assigned.
#[derive(Debug, Args)]
pub(super) struct CostArguments {
    /// With --shard, an earlier recording: scenarios are assigned to shards by how long they took there. Name the
    /// folders of all its shards; repeatable. All shards need the same ones [default: what the target file lets expect,
    /// and on a mock the same for each]
    #[arg(long, value_name = "DIR", requires = "shard")]
    costs: Vec<PathBuf>,
}

impl CostArguments {
    /// Milliseconds by scenario, without a recording those that are `expected`; empty where nothing is known.
    ///
    /// # Errors
    /// A folder is not a recording, or has no costs.
    fn known(
        &self,
        options: &RunOptions,
        expected: impl Fn(&RunOptions) -> BTreeMap<String, u64>,
    ) -> Result<BTreeMap<String, u64>, CommandError> {
        if self.costs.is_empty() {
            return Ok(expected(options));
        }
        let mut costs: BTreeMap<String, u64> = BTreeMap::new();
        for dir in &self.costs {
            let of_dir = RecordingIndex::read(dir)?.costs;
            if of_dir.is_empty() {
                let shown = dir.display();
                return Err(CommandError::usage(format!(
                    "{shown} does not say how long its scenarios took"
                ))
                .help("record again with this version"));
            }
            for (name, cost) in of_dir {
                let known = costs.entry(name).or_default();
                *known = (*known).max(cost);
            }
        }
        Ok(costs)
    }

    /// The plan of a run with this many shards, and whether it follows costs. Without a recording these are the
    /// `expected` ones. `options` are those of the whole run, so that every shard finds the same plan.
    ///
    /// # Errors
    /// A selector selects nothing, or a folder of costs can't be used.
    pub(super) fn plan(
        &self,
        options: &RunOptions,
        shard: Shard,
        expected: impl Fn(&RunOptions) -> BTreeMap<String, u64>,
    ) -> Result<(ShardPlan, bool), CommandError> {
        let planned = select(&options.files, &options.selectors)?;
        let costs = self.known(options, expected)?;
        Ok((ShardPlan::new(&planned, &costs, shard.count), !costs.is_empty()))
    }
}
