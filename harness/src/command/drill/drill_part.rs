//! `moot drill --shard K/N`: which drills a shard runs, and the part that it writes.

use std::path::Path;

use clap::Args;
use serde_json::json;

use crate::command::bundled::{answers_named, world_named};
use crate::command::error::CommandError;
use crate::command::serve::WorldArguments;
use crate::grading::drill::certificate::CertificateInput;
use crate::grading::drill::parts::write_drills;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{self, Drill};
use crate::run::environment::Shard;
use crate::run::part_files::{
    PartFact, PartFacts, PartHead, PartKind, fingerprint, register_fingerprint,
};
use crate::run::shard::dealt;

/// Seconds that every drill takes, beside what its situation takes.
const DRILL_SECONDS: u64 = 2;

/// One shard of the drills.
#[derive(Debug, Args)]
pub(super) struct DrillShardArguments {
    /// Run one shard of the drills, such as 2/5, and the calm run. `moot merge` makes the certificate; that of a shard
    /// alone is never `ready`
    #[arg(long, value_name = "K/N", requires_all = ["record", "seed"], conflicts_with_all = ["attach", "console"])]
    shard: Option<Shard>,
    /// With --shard, the folder for what the shard recorded, for `moot merge`
    #[arg(long, value_name = "DIR", requires = "shard")]
    record: Option<std::path::PathBuf>,
}

/// The shard of a run, with the folder of its part and the shard of every drill.
pub(super) struct DrillShard<'a> {
    shard: Shard,
    dir: &'a Path,
    plan: Vec<(String, u16)>,
}

impl DrillShardArguments {
    /// The shard, if one is asked for. Its folder must be new or empty.
    pub(super) fn shard(&self, drills: &[&Drill]) -> Result<Option<DrillShard<'_>>, CommandError> {
        let (Some(shard), Some(dir)) = (self.shard, &self.record) else { return Ok(None) };
        crate::client::recording::Recorder::prepare(dir)?;
        let costs = drills.iter().map(|it| (it.id.clone(), it.seconds + DRILL_SECONDS));
        Ok(Some(DrillShard { shard, dir, plan: dealt(costs.collect(), shard.count) }))
    }
}

impl DrillShard<'_> {
    /// Whether this shard runs the drill.
    pub(super) fn has(&self, id: &str) -> bool {
        self.plan.iter().any(|(name, shard)| name == id && *shard == self.shard.number)
    }

    /// Writes the part.
    pub(super) fn write(
        &self,
        input: &CertificateInput,
        world: &WorldArguments,
        conditions: serde_json::Value,
        recordings: &std::collections::BTreeMap<String, DrillRecording>,
    ) -> Result<(), CommandError> {
        let answers = world.answers.as_deref().map(answers_named).transpose()?;
        let settings =
            json!([world.clock, world.rate_limit, world.progression, world.defects, conditions]);
        let facts = PartFacts::from([
            (PartFact::Shards, self.shard.count.to_string()),
            (PartFact::Seed, input.seed.to_string()),
            (PartFact::Register, register_fingerprint()),
            (PartFact::Options, fingerprint(&(settings, &input.command, &input.version))),
            (PartFact::Plan, fingerprint(&(table::digest(), &self.plan))),
            (PartFact::World, fingerprint(&world_named(world.world_name())?.as_ref())),
            (PartFact::Answers, fingerprint(&answers)),
            (PartFact::Expected, fingerprint(&input.waivers)),
        ]);
        let shard = (self.shard.number, self.shard.count);
        let head = PartHead::new(PartKind::Drill, shard, facts, self.plan.clone());
        write_drills(self.dir, &head, input, recordings)
            .map_err(|error| CommandError::fault(error.to_string()))
    }
}
