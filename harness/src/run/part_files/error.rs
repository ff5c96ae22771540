//! Why a part can't be written, read or merged, with the folder and what to do.

use std::io;
use std::path::PathBuf;

use super::facts::{FORMAT_VERSION, PartFact};
use crate::verdict::counted;

/// Why a part can't be written or merged.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file can't be read or written.
    #[error("{}: the part can't be used: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A line would contain a secret, and was not written.
    #[error("{}: the part would hold a secret, and was not written", .path.display())]
    Secret {
        /// The file.
        path: PathBuf,
    },
    /// The folder has no part.
    #[error("{} is not a part: {reason}", .dir.display())]
    NotAPart {
        /// The folder.
        dir: PathBuf,
        /// What it has instead.
        reason: String,
    },
    /// The shard did not come to its end.
    #[error("{} is unfinished: its shard did not come to its end", .dir.display())]
    Unfinished {
        /// The folder.
        dir: PathBuf,
    },
    /// The content is not what the shard wrote.
    #[error("{} is damaged: {reason}", .dir.display())]
    Damaged {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file has another version of the format.
    #[error(
        "{} has version {found} of the format of parts, and this program reads version {}",
        .dir.display(), FORMAT_VERSION
    )]
    Version {
        /// The folder.
        dir: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Two parts belong to different runs.
    #[error(
        "{} and {} belong to different runs: {}", .first.display(), .other.display(),
        .fact.difference(.values)
    )]
    Foreign {
        /// The first part.
        first: PathBuf,
        /// The one that does not belong to it.
        other: PathBuf,
        /// What differs.
        fact: PartFact,
        /// The two values.
        values: (String, String),
    },
    /// A part was made by another version of this program.
    #[error("{} was written by moot {found}, and this is moot {}", .dir.display(), env!("CARGO_PKG_VERSION"))]
    OtherMoot {
        /// The folder.
        dir: PathBuf,
        /// The version that wrote it.
        found: String,
    },
    /// A part was judged by another register than that of this program.
    #[error("{} was judged by another register of requirements than that of this program", .dir.display())]
    OtherRegister {
        /// The folder.
        dir: PathBuf,
    },
    /// Two parts belong together, and what they found does not.
    #[error("{} and {} do not fit: {reason}", .first.display(), .other.display())]
    Unfit {
        /// The first part.
        first: PathBuf,
        /// The other one.
        other: PathBuf,
        /// How they differ.
        reason: String,
    },
    /// A shard is there twice.
    #[error("shard {number} is there twice: {} and {}", .first.display(), .second.display())]
    Doubled {
        /// The shard.
        number: u16,
        /// Its first folder.
        first: PathBuf,
        /// Its second folder.
        second: PathBuf,
    },
    /// Shards are missing.
    #[error("{} of {count} missing: {}", counted(.numbers.len(), "shard"), listed(.numbers))]
    Missing {
        /// Their numbers.
        numbers: Vec<u16>,
        /// How many there are.
        count: u16,
    },
}

impl PartError {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            Self::File { .. } => "check the folder and its permissions",
            Self::Secret { .. } => "report this: it is an error of moot",
            Self::NotAPart { .. } => {
                "name the folder that `--shard K/N --record DIR` wrote, once for each shard"
            }
            Self::Unfinished { .. } => {
                "run this shard again into a new folder, or merge what is there with --partial"
            }
            Self::Damaged { .. } => "copy the folder again, or run this shard again",
            Self::Version { .. } | Self::OtherMoot { .. } | Self::OtherRegister { .. } => {
                "run all shards and the merge with the same version of moot"
            }
            Self::Foreign { .. } => {
                "run all shards with the same options, files, target and --seed; only --shard and --record differ"
            }
            Self::Unfit { .. } => {
                "the client does not do the same each time: run all drills on one machine, without --shard"
            }
            Self::Doubled { .. } => "name the folder of each shard once",
            Self::Missing { .. } => {
                "add their folders, run them again, or merge what is there with --partial"
            }
        }
    }
}

fn listed(numbers: &[u16]) -> String {
    let shown: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    shown.join(", ")
}
