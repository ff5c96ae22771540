//! Parts: what the shards of a run found, as files, and joining them: `moot run --shard K/N`, `moot merge`.
//!
//! A part is one file of lines of JSON. The first line ([`PartHead`]) says what the part belongs to, the last one that
//! it is complete. [`PartSet`] holds parts against each other: only parts of the same plan, version, target and seed
//! are joined, and each exactly once.

mod error;
mod facts;
mod file;
mod portable;
mod run_file;
mod scenario_row;
mod set;

pub use error::PartError;
pub use facts::{PartFact, PartFacts, fingerprint, register_fingerprint, run_facts};
pub use file::{PartFile, PartHead, PartKind, PartWriter};
pub use run_file::{read_run, write_run};
pub use set::PartSet;
