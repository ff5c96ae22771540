//! A sandbox, as the store keeps it.

use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::defect::Defect;
use crate::shell::settings;
use crate::value::message::content::{Content, ContentPlace};
use crate::value::message::json::json_bytes;
use crate::value::settings::SettingsError;
use crate::world::settings::RunSettings;

/// The settings of a sandbox. Its changes are in the rows of its world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SandboxRecord {
    /// Its number, from 1.
    pub(crate) key: u64,
    /// Its seed world and its answers, see [`Self::seed_of`]. They are large, and many sandboxes share them. So they
    /// are a document, which a store keeps once.
    pub(crate) seed: Content,
    /// All other settings. The base address and the id follow from the main world and `key`.
    pub(crate) settings: RunSettings,
    #[serde(serialize_with = "write_ids", deserialize_with = "read_ids")]
    pub(crate) defects: Vec<&'static Defect>,
    /// Length of its lease; `None` if it never ends.
    pub(crate) lease: Option<Duration>,
}

impl SandboxRecord {
    /// A seed world and answers. `world` is `None` for the seed world of the main world.
    pub(crate) fn seed_of(world: Option<&SeedWorld>, answers: &Answers) -> Content {
        Content::in_memory(json_bytes(&(world, answers)).into())
    }

    /// Reads [`Self::seed_of`].
    ///
    /// # Errors
    /// [`SettingsError::SeedWorld`]: another version of Moot wrote it.
    pub(crate) fn read_seed(&self) -> Result<(Option<SeedWorld>, Answers), SettingsError> {
        let unread = |why: String| {
            SettingsError::SeedWorld(format!("that of sandbox s{} cannot be read: {why}", self.key))
        };
        match &self.seed.place {
            ContentPlace::Memory(json) => {
                serde_json::from_slice(json).map_err(|error| unread(error.to_string()))
            }
            ContentPlace::File { .. } | ContentPlace::Apart => {
                Err(unread("it is a file".to_owned()))
            }
        }
    }
}

fn write_ids<S: Serializer>(defects: &[&'static Defect], writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_seq(defects.iter().map(|defect| &defect.id))
}

fn read_ids<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<&'static Defect>, D::Error> {
    let ids = Vec::<String>::deserialize(reader)?;
    ids.iter().map(|id| settings::defect(id).map_err(D::Error::custom)).collect()
}
