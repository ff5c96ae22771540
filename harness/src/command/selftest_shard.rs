//! `moot selftest --shard K/N`: the part that a shard writes, and the self-test of all parts.

use std::path::{Path, PathBuf};

use clap::Args;

use super::error::CommandError;
use crate::exchange::masks::{Masks, Secrets};
use crate::run::environment::Shard;
use crate::run::part_files::{
    PartError, PartFact, PartFacts, PartHead, PartKind, PartSet, PartWriter, fingerprint,
    register_fingerprint,
};
use crate::selftest::{SelftestPlan, SelftestTrials};

/// One shard of a self-test.
#[derive(Debug, Args)]
pub(super) struct SelftestShardArguments {
    /// Make one shard of the trials, such as 2/5. `moot merge` joins what the shards found. Give --sample and
    /// --sample-seed too: all shards need the same
    #[arg(long, value_name = "K/N", requires_all = ["record", "sample_seed"],
        conflicts_with_all = ["target", "scenarios", "conduct"])]
    shard: Option<Shard>,
    /// With --shard, the folder for what the shard found, for `moot merge`
    #[arg(long, value_name = "DIR", requires = "shard")]
    record: Option<PathBuf>,
}

impl SelftestShardArguments {
    /// The shard and its folder, which must be new or empty; `None` if all trials are made here.
    pub(super) fn shard(&self) -> Result<Option<(Shard, &Path)>, CommandError> {
        let (Some(shard), Some(dir)) = (self.shard, &self.record) else { return Ok(None) };
        crate::client::recording::Recorder::prepare(dir)?;
        Ok(Some((shard, dir)))
    }
}

/// Writes the part of a shard into this folder.
pub(super) fn write(
    dir: &Path,
    shard: Shard,
    plan: &SelftestPlan,
    trials: &SelftestTrials,
) -> Result<(), PartError> {
    let rows = plan.rows(shard.count);
    let facts = PartFacts::from([
        (PartFact::Shards, shard.count.to_string()),
        (PartFact::Seed, plan.mutant_seed.to_string()),
        (PartFact::Register, register_fingerprint()),
        (PartFact::Options, fingerprint(&(plan.is_thorough, plan.is_whole))),
        (PartFact::Plan, fingerprint(&rows)),
    ]);
    let head = PartHead::new(PartKind::Selftest, (shard.number, shard.count), facts, rows);
    let mut writer = PartWriter::new(&head)?;
    writer.line(trials)?;
    // The credentials are those of the mock, and are public.
    writer.write(dir, true, &Secrets::of(&Masks::default()))
}

/// What the shards found together.
pub(super) fn joined(set: &PartSet) -> Result<SelftestTrials, PartError> {
    let mut parts = Vec::new();
    for file in set.parts() {
        let [line] = file.lines.as_slice() else {
            return Err(file.damaged("it has not exactly one line of trials"));
        };
        let trials: SelftestTrials = serde_json::from_str(line)
            .map_err(|error| file.damaged(format!("its trials can't be read: {error}")))?;
        if trials.count() != file.head.own().count() {
            return Err(file.damaged("its trials are not those of its plan"));
        }
        parts.push(trials);
    }
    Ok(SelftestTrials::joined(parts, set.missing().is_empty()))
}
