//! What a store keeps: entries of changes and sandboxes, and a header.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use serde::{Deserialize, Serialize};

use super::sandbox_row::{Definitions, SandboxRow};
use crate::message::content::Content;
use crate::state::stored::StoredRow;

/// Version of the rows. Other versions are refused.
pub(super) const FORMAT: u32 = 3;
/// The number of the main world.
pub(super) const MAIN: u64 = 0;

/// The header of a store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoreHeader {
    pub(super) format: u32,
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
            return Err(format!(
                "its format is {}, and this version reads {FORMAT}",
                header.format
            ));
        }
        Ok(header)
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
    /// Values by the number of the world and the key of [`crate::state::stored`], such as
    /// `0/legal_request/42`.
    pub(super) rows: BTreeMap<String, Vec<u8>>,
    /// Documents that are in memory, by digest.
    pub(super) documents: BTreeMap<Vec<u8>, Bytes>,
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

/// The number of the world of a key, and the rest of the key.
pub(super) fn split(key: &str) -> Option<(u64, &str)> {
    let (world, rest) = key.split_once('/')?;
    Some((world.parse().ok()?, rest))
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
