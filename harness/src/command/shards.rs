//! `moot run --shard K/N`: runs one shard, and writes what it found as a part.

use std::path::Path;

use super::error::CommandError;
use super::event_stream::EventStream;
use super::perform::perform_part;
use super::screen::Screen;
use crate::run::RunOptions;
use crate::run::environment::Shard;
use crate::run::part::PartScope;
use crate::run::part_files::{PartHead, PartKind, run_facts, write_run};
use crate::run::shard::ShardPlan;
use crate::verdict::result::{RunOutcome, RunResult};

/// Runs one shard, and writes its part. What its own exit code says is about its own scenarios: a known failure that
/// did not show up here may show up in another shard.
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
    let rows = plan.scenarios.iter().map(|it| (it.name.clone(), it.shard)).collect();
    let facts = run_facts(&options, &plan, &part);
    let head = PartHead::new(PartKind::Run, (shard.number, shard.count), facts, rows);
    let (written, is_interrupted) =
        (write_run(dir, &head, &part, !part.is_interrupted), part.is_interrupted);
    let mut result = part.concluded(PartScope::Share);
    if let Err(error) = written {
        // The reports of the shard are still written.
        result.outcome = RunOutcome::Internal;
        result.trouble = Some(error.to_string());
        return Ok(result);
    }
    let (own, all) = (plan.of_shard(shard.number).count(), plan.scenarios.len());
    let end = match is_interrupted {
        true => "it was interrupted, so that it can't be merged".to_owned(),
        false => format!("its part is in {}, for `moot merge`", dir.display()),
    };
    screen.note(&format!("shard {shard}: {own} of {all} scenarios; {end}\n"))?;
    Ok(result)
}
