//! Runs with shards in this process, and their parts.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use moot_harness::exchange::Exchange;
use moot_harness::run::environment::{Shard, TargetChoice, TargetOptions};
use moot_harness::run::part::RunPart;
use moot_harness::run::part_files::write_run;
use moot_harness::run::shard::ShardPlan;
use moot_harness::run::{RunOptions, run_part};
use moot_harness::scenario::model::ScenarioFile;
use moot_harness::scenario::{load, plan};
use moot_harness::verdict::result::RunResult;

/// The suite of these files.
pub(crate) fn suite(dir: &Path) -> Arc<Vec<ScenarioFile>> {
    Arc::new(load::paths(&[dir.to_owned()]).expect("a sound suite"))
}

/// A run on the mock in this process with seed 7.
pub(crate) fn options(files: &Arc<Vec<ScenarioFile>>) -> RunOptions {
    let target =
        TargetOptions { seed: 7, run_tag: "moot-00000007".to_owned(), ..TargetOptions::default() };
    let mut options = RunOptions::new(TargetChoice::InProcess, target, Arc::clone(files));
    options.reproduce = "moot run --seed 7".to_owned();
    options.repeat.before = "moot run ".to_owned();
    options
}

/// The plan for this number of shards.
pub(crate) fn plan_of(options: &RunOptions, count: u16) -> ShardPlan {
    let planned = plan::select(&options.files, &options.selectors).expect("selectors that select");
    ShardPlan::new(&planned, &Default::default(), count)
}

/// Runs one shard.
pub(crate) async fn walked(mut options: RunOptions, shard: Shard, plan: &ShardPlan) -> RunPart {
    options.only = Some(plan.names(shard.number));
    options.target.shard = Some(shard);
    let part = run_part(options, Arc::default(), |_| ()).await;
    part.map_err(|result| result.trouble.clone()).expect("the mock opens")
}

/// Runs one shard, and writes its part to this folder.
pub(crate) async fn written(options: RunOptions, shard: Shard, plan: &ShardPlan, dir: &Path) {
    let part = walked(options.clone(), shard, plan).await;
    write_run(dir, &options, (shard, plan), &part).expect("it is written");
}

/// A copy of the part in `from`.
pub(crate) fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    fs::copy(from.join("part.jsonl"), to.join("part.jsonl")).expect("a part");
}

/// The same result without times.
pub(crate) fn without_times(mut result: RunResult) -> RunResult {
    result.started_at = "2026-01-01T00:00:00Z".to_owned();
    result.duration = Duration::ZERO;
    for scenario in &mut result.scenarios {
        scenario.duration = Duration::ZERO;
        for step in &mut scenario.steps {
            step.duration = Duration::ZERO;
            let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
            for exchange in step.exchanges.iter_mut().chain(judged) {
                let timeless = Exchange {
                    sent_at_seconds: 0,
                    duration: Duration::ZERO,
                    ..exchange.as_ref().clone()
                };
                *exchange = Arc::new(timeless);
            }
        }
    }
    result
}
