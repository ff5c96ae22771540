//! A sandbox as a row of the store. Seed worlds and answers are large, and many sandboxes share them. So each is
//! stored once, under its digest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::table::StoreKey;
use crate::defect::Defect;
use crate::shell::{clock, settings};
use crate::value::message::json::json_bytes;
use crate::value::settings::{ClockSetting, RateLimitMode, SecretSource};
use crate::world::settings::RunSettings;

/// The settings of a sandbox. Its changes are in the rows of its world.
#[derive(Debug, Clone)]
pub(crate) struct SandboxRecord {
    /// Its number, from 1.
    pub(crate) key: u64,
    /// Its seed world; `None` for the seed world of the main world.
    pub(crate) world: Option<Arc<SeedWorld>>,
    pub(crate) answers: Answers,
    /// All other settings. The base address and the id follow from the main world and `key`.
    pub(crate) settings: RunSettings,
    pub(crate) defects: Vec<&'static Defect>,
    /// Length of its lease; `None` if it never ends.
    pub(crate) lease: Option<Duration>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SandboxRow {
    seed: u64,
    /// Digest of a seed world; `None` for the seed world of the main world.
    world: Option<[u8; 32]>,
    /// Digest of a set of answers.
    answers: [u8; 32],
    clock: String,
    rate_limit: RateLimitMode,
    progression: String,
    defects: Vec<String>,
    secrets: SecretSource,
    lease_seconds: Option<u64>,
}

impl SandboxRow {
    /// The row of a sandbox, with the definitions that it refers to by their digests.
    pub(super) fn of(sandbox: &SandboxRecord) -> (Self, BTreeMap<[u8; 32], Vec<u8>>) {
        let SandboxRecord { key: _, world, answers, settings, defects, lease } = sandbox;
        let RunSettings { seed, base_url: _, clock, rate_limit, progression, secrets, sandbox: _ } =
            settings;
        let mut definitions = BTreeMap::new();
        let mut define = |json: Vec<u8>| {
            let digest: [u8; 32] = Sha256::digest(&json).into();
            definitions.insert(digest, json);
            digest
        };
        let row = Self {
            seed: *seed,
            world: world.as_ref().map(|world| define(json_bytes(world.as_ref()))),
            answers: define(json_bytes(answers)),
            clock: match clock {
                ClockSetting::Real => "real".to_owned(),
                ClockSetting::Frozen(at) => format!("frozen:{at}"),
            },
            rate_limit: *rate_limit,
            progression: progression.to_string(),
            defects: defects.iter().map(|defect| defect.id.clone()).collect(),
            secrets: secrets.clone(),
            lease_seconds: lease.map(|lease| lease.as_secs()),
        };
        (row, definitions)
    }

    /// The digests of its definitions.
    pub(super) fn definitions(&self) -> impl Iterator<Item = [u8; 32]> {
        self.world.into_iter().chain([self.answers])
    }

    /// The sandbox of a row; its definitions are among the stored values.
    pub(super) fn sandbox(
        &self,
        key: u64,
        values: &BTreeMap<StoreKey, Vec<u8>>,
    ) -> Result<SandboxRecord, String> {
        let broken = |error: settings::SettingError| error.to_string();
        let defects = self.defects.iter().map(|id| settings::defect(id)).collect::<Result<_, _>>();
        let world: Option<SeedWorld> =
            self.world.map(|digest| defined(digest, values)).transpose()?;
        let answers: Answers = defined(self.answers, values)?;
        Ok(SandboxRecord {
            key,
            world: world.map(Arc::new),
            answers,
            settings: RunSettings {
                seed: self.seed,
                base_url: String::new(),
                clock: settings::clock(&self.clock, clock::now()).map_err(broken)?,
                rate_limit: self.rate_limit,
                progression: settings::progression(&self.progression).map_err(broken)?,
                secrets: self.secrets.clone(),
                sandbox: None,
            },
            defects: defects.map_err(broken)?,
            lease: self.lease_seconds.map(Duration::from_secs),
        })
    }
}

fn defined<T: DeserializeOwned>(
    digest: [u8; 32],
    values: &BTreeMap<StoreKey, Vec<u8>>,
) -> Result<T, String> {
    let json = values.get(&StoreKey::Definition(digest));
    let json = json.ok_or("its seed world or answers are missing")?;
    if Sha256::digest(json)[..] != digest[..] {
        return Err("its seed world or answers have changed".to_owned());
    }
    serde_json::from_slice(json).map_err(|error| error.to_string())
}
