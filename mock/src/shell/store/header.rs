//! The header of stored data.

use moot_fixtures::world::SeedWorld;
use serde::{Deserialize, Serialize};

use crate::world::settings::Settings;

/// Version of the rows. Other versions are refused.
const FORMAT: u32 = 4;
/// This version of Moot.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The header of a store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoreHeader {
    format: u32,
    /// The version of Moot that started with the data last; empty if it did not write its version.
    #[serde(default)]
    moot_version: String,
    pub(crate) seed: u64,
    pub(crate) seed_world: SeedWorld,
    /// The number of starts so far.
    pub(crate) starts: u64,
}

impl StoreHeader {
    /// Reads the header. Refuses formats that this version can't read.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let header: Self = serde_json::from_slice(json)
            .map_err(|error| format!("its header cannot be read: {error}"))?;
        if header.format != FORMAT {
            let writer = match header.moot_version.as_str() {
                "" => "a Moot of an unknown version".to_owned(),
                version => format!("Moot {version}"),
            };
            return Err(format!(
                "its format is {}, written by {writer}; this is Moot {VERSION}, which reads format {FORMAT}",
                header.format,
            ));
        }
        Ok(header)
    }

    /// The header of new data, with the seed and the world of these settings.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            format: FORMAT,
            moot_version: VERSION.to_owned(),
            seed: settings.seed,
            seed_world: SeedWorld::clone(&settings.seed_world),
            starts: 0,
        }
    }

    /// The header after one more start, by this version.
    pub(super) fn for_next_start(&self) -> Self {
        Self { moot_version: VERSION.to_owned(), starts: self.starts + 1, ..self.clone() }
    }
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
        let without = with(FORMAT - 1, None).expect_err("not ours");
        assert!(without.contains("unknown version"), "{without}");
    }
}
