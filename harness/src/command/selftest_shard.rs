//! `moot selftest --shard K/N`: writes the part of a shard, and joins the parts of all shards.

use std::path::Path;

use crate::exchange::masks::{Masks, Secrets};
use crate::run::environment::Shard;
use crate::run::part_files::{
    PartError, PartFact, PartFacts, PartHead, PartKind, PartSet, PartWriter, fingerprint,
};
use crate::scenario::model::ScenarioFile;
use crate::selftest::{SelftestOutcome, SelftestPlan};

/// Writes the part of a shard into this folder.
pub(super) fn write(
    dir: &Path,
    shard: Shard,
    plan: &SelftestPlan,
    outcome: &SelftestOutcome,
) -> Result<(), PartError> {
    let rows = plan.rows(shard.count);
    let facts = PartFacts::from([
        (PartFact::Seed, plan.mutant_seed.to_string()),
        (PartFact::Options, fingerprint(&(plan.is_thorough, plan.is_whole))),
        (PartFact::Plan, fingerprint(&rows)),
    ]);
    let head = PartHead::new(PartKind::Selftest, shard, facts, rows);
    let mut writer = PartWriter::new(&head)?;
    writer.line(outcome)?;
    // The trials use only credentials of the mock, which are public.
    writer.write(dir, true, &Secrets::of(&Masks::default()))
}

/// Joins the parts of a self-test of a suite with these files.
pub(super) fn join(set: &PartSet, files: &[ScenarioFile]) -> Result<SelftestOutcome, PartError> {
    let mut parts = Vec::new();
    for file in set.parts() {
        let [line] = file.lines.as_slice() else {
            return Err(file.damaged("it has not exactly one line of trials"));
        };
        let part: SelftestOutcome = serde_json::from_str(line)
            .map_err(|error| file.damaged(format!("its trials cannot be read: {error}")))?;
        if part.trials() != file.head.own().count() {
            return Err(file.damaged("its trials are not those of its plan"));
        }
        parts.push(part);
    }
    Ok(SelftestOutcome::joined(parts, set.missing().is_empty(), files))
}
