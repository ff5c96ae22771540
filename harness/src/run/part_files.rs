//! Files with the results of shards, for `moot run --shard K/N` and `moot merge`.
//!
//! A part is a file with lines of JSON. The first line ([`PartHead`]) describes the run, the last line says that the
//! part is complete. [`PartSet`] compares parts: only parts of the same plan, version, target and seed are joined, each
//! once.

mod error;
mod facts;
mod file;
mod run_file;
mod set;

pub use error::PartError;
pub use facts::{PartFact, PartFacts, fingerprint};
pub use file::{PartFile, PartHead, PartKind, PartWriter};
pub use run_file::{read_run, write_run};
pub use set::PartSet;
