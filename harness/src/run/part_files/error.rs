//! Errors of writing, reading and merging parts.

use std::io;
use std::path::PathBuf;

use super::facts::{FORMAT_VERSION, PartFact};
use crate::verdict::pluralize;

/// An error of writing, reading or merging a part.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file cannot be read or written.
    #[error("{}: the part cannot be used: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    /// A line would contain a secret.
    #[error("{}: the part would hold a secret, and was not written", .path.display())]
    Secret { path: PathBuf },
    /// The folder has no part.
    #[error("{} is not a part: {reason}", .dir.display())]
    NotAPart { dir: PathBuf, reason: String },
    /// The shard did not finish.
    #[error("{} is unfinished: its shard did not finish", .dir.display())]
    Unfinished { dir: PathBuf },
    /// The content differs from the content that the shard wrote.
    #[error("{} is damaged: {reason}", .dir.display())]
    Damaged { dir: PathBuf, reason: String },
    /// The file has a different version of the format.
    #[error(
        "{} has version {found} of the format of parts, and this program reads version {}",
        .dir.display(), FORMAT_VERSION
    )]
    Version { dir: PathBuf, found: u32 },
    /// Two parts belong to different runs.
    #[error(
        "{} and {} belong to different runs: {}", .first.display(), .other.display(),
        .fact.difference(.values)
    )]
    Foreign { first: PathBuf, other: PathBuf, fact: PartFact, values: (String, String) },
    /// A different version of moot wrote the part.
    #[error("{} was written by moot {found}, and this is moot {}", .dir.display(), env!("CARGO_PKG_VERSION"))]
    OtherMoot { dir: PathBuf, found: String },
    /// The part was judged by a different register.
    #[error("{} was judged by a different register of requirements", .dir.display())]
    OtherRegister { dir: PathBuf },
    /// Two parts of the same run contradict each other.
    #[error("{} and {} do not fit: {reason}", .first.display(), .other.display())]
    Unfit { first: PathBuf, other: PathBuf, reason: String },
    /// A shard is there twice.
    #[error("shard {number} is there twice: {} and {}", .first.display(), .second.display())]
    Doubled { number: u16, first: PathBuf, second: PathBuf },
    /// Shards are missing.
    #[error("{} of {count} missing: {}", pluralize(.numbers.len(), "shard"), listed(.numbers))]
    Missing { numbers: Vec<u16>, count: u16 },
}

impl PartError {
    /// The advice for the user.
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
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}
