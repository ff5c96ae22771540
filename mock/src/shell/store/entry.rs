//! What a store keeps: entries of changes and sandboxes, and a header.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use serde::{Deserialize, Serialize};

use super::sandbox_row::{Definitions, SandboxRow};
use crate::value::message::content::Content;
use crate::world::settings::Settings;
use crate::world::state::stored::StoredRow;

/// Version of the rows. Other versions are refused.
const FORMAT: u32 = 3;
/// This version of Moot.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The number of the main world.
pub(super) const MAIN: u64 = 0;

/// The header of a store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoreHeader {
    pub(super) format: u32,
    /// The version of Moot that started with it last; empty if that did not say.
    #[serde(default)]
    pub(super) moot_version: String,
    pub(super) seed: u64,
    pub(super) seed_world: SeedWorld,
    /// The number of starts so far, including this one.
    pub(super) starts: u64,
}

impl StoreHeader {
    /// Reads the header, if this version can read its format.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let header: Self = serde_json::from_slice(json)
            .map_err(|error| format!("its header can't be read: {error}"))?;
        if header.format != FORMAT {
            let writer = match header.moot_version.as_str() {
                "" => "a Moot that does not say its version".to_owned(),
                version => format!("Moot {version}"),
            };
            return Err(format!(
                "its format is {}, written by {writer}; this is Moot {VERSION}, which reads format {FORMAT}",
                header.format,
            ));
        }
        Ok(header)
    }

    /// The header of new data with the seed and the world of these settings, started so many times.
    pub(super) fn new(settings: &Settings, starts: u64) -> Self {
        Self {
            format: FORMAT,
            moot_version: VERSION.to_owned(),
            seed: settings.seed,
            seed_world: SeedWorld::clone(&settings.seed_world),
            starts,
        }
    }

    /// The header after one more start, by this version.
    pub(super) fn started_again(self) -> Self {
        Self { moot_version: VERSION.to_owned(), starts: self.starts + 1, ..self }
    }
}

/// All that a store keeps.
#[derive(Debug)]
pub(super) struct StoreContents {
    pub(super) header: StoreHeader,
    /// The number of the newest sandbox, including deleted ones.
    pub(super) made: u64,
    pub(super) sandboxes: BTreeMap<u64, SandboxRow>,
    pub(super) definitions: Definitions,
    /// Values by the number of the world and the key of [`crate::world::state::stored`].
    pub(super) rows: BTreeMap<(u64, String), Vec<u8>>,
    /// Documents that are in memory, by digest.
    pub(super) documents: BTreeMap<[u8; 32], Bytes>,
}

/// One thing to store.
#[derive(Debug)]
pub(super) enum Entry {
    /// Changes of a world.
    Changes { world: u64, is_reset: bool, rows: Vec<StoredRow> },
    /// A new sandbox.
    Sandbox { world: u64, row: SandboxRow, definitions: Definitions },
    /// A deleted sandbox.
    End { world: u64 },
}

impl Entry {
    /// The documents in the rows.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Content> {
        let rows = match self {
            Self::Changes { rows, .. } => rows.as_slice(),
            Self::Sandbox { .. } | Self::End { .. } => &[],
        };
        rows.iter().flat_map(|row| &row.contents)
    }
}

/// The worlds, definitions and documents that are in use. A start removes all others.
#[derive(Debug, Default)]
pub(super) struct DataInUse {
    /// Numbers of worlds. A writer may have stored rows of a world after its deletion.
    pub(super) worlds: BTreeSet<u64>,
    /// Digests of definitions.
    pub(super) definitions: BTreeSet<[u8; 32]>,
    /// Digests of documents.
    pub(super) documents: BTreeSet<[u8; 32]>,
}

#[cfg(test)]
mod tests {
    use moot_fixtures::world::SeedWorld;
    use serde_json::json;

    use super::{FORMAT, StoreHeader, VERSION};

    #[test]
    fn data_of_another_format_are_refused_with_the_version_that_wrote_them() {
        let with = |format: u32, version: Option<&str>| {
            let world: SeedWorld = moot_fixtures::world::named("demo").expect("bundled").clone();
            let mut header =
                json!({ "format": format, "seed": 7, "seed_world": world, "starts": 1 });
            if let Some(version) = version {
                header["moot_version"] = version.into();
            }
            StoreHeader::read(header.to_string().as_bytes()).map(|header| header.starts)
        };
        assert_eq!(with(FORMAT, None), Ok(1), "written before the version was kept");
        assert_eq!(with(FORMAT, Some("0.0.9")), Ok(1));
        let later = with(FORMAT + 1, Some("9.8.7")).expect_err("not ours");
        assert!(later.contains("Moot 9.8.7") && later.contains(VERSION), "{later}");
        let silent = with(FORMAT - 1, None).expect_err("not ours");
        assert!(silent.contains("does not say"), "{silent}");
    }
}
