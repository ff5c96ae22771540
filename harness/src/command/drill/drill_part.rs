//! `moot drill --shard K/N`: the drills of a shard, and the part that it writes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::recording::{FolderLock, Recorder};

use crate::command::error::CommandError;
use crate::command::files::{answers_named, world_named};
use crate::command::serve::WorldArguments;
use crate::grading::drill::certificate::CertificateInput;
use crate::grading::drill::parts::write_drills;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{self, Drill};
use crate::run::environment::Shard;
use crate::run::part_files::{PartFact, PartFacts, PartHead, PartKind, fingerprint};
use crate::run::shard::assigned;

/// Seconds that every drill takes, in addition to the time of its situation.
const DRILL_SECONDS: u64 = 2;

/// One shard of the drills, with the folder of its part and the shard of every drill.
pub(super) struct DrillShard<'a> {
    shard: Shard,
    dir: &'a Path,
    _lock: FolderLock,
    plan: Vec<(String, u16)>,
}

impl<'a> DrillShard<'a> {
    /// Assigns the drills to shards. The folder must be new or empty.
    pub(super) fn new(
        shard: Shard,
        dir: &'a Path,
        drills: &[&Drill],
    ) -> Result<Self, CommandError> {
        let lock = Recorder::prepare(dir)?;
        let costs = drills.iter().map(|it| (it.id.clone(), it.seconds + DRILL_SECONDS));
        Ok(Self { shard, dir, _lock: lock, plan: assigned(costs.collect(), shard.count) })
    }

    /// Whether this shard runs the drill.
    pub(super) fn has(&self, id: &str) -> bool {
        self.plan.iter().any(|(name, shard)| name == id && *shard == self.shard.number)
    }

    /// Writes the part of this shard. `conditions` are further options that all shards must share.
    pub(super) fn write(
        &self,
        input: &CertificateInput,
        world: &WorldArguments,
        conditions: Value,
        recordings: &BTreeMap<String, DrillRecording>,
    ) -> Result<(), CommandError> {
        let answers = world.answers.as_deref().map(answers_named).transpose()?;
        let settings =
            json!([world.clock, world.rate_limit, world.progression, world.defects, conditions]);
        let facts = PartFacts::from([
            (PartFact::Seed, input.seed.to_string()),
            (PartFact::Options, fingerprint(&(settings, &input.command, &input.version))),
            (PartFact::Plan, fingerprint(&(table::digest(), &self.plan))),
            (PartFact::World, fingerprint(&world_named(world.world_name())?.as_ref())),
            (PartFact::Answers, fingerprint(&answers)),
            (PartFact::Expected, fingerprint(&input.waivers)),
        ]);
        let head = PartHead::new(PartKind::Drill, self.shard, facts, self.plan.clone());
        write_drills(self.dir, &head, input, recordings).map_err(CommandError::fault)
    }
}
