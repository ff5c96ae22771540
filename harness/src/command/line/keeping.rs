//! The arguments of commands about what a run keeps: answers and snapshots.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Where recorded responses are, a folder for each target.
pub(in crate::command) const SNAPSHOT_DIR: &str = "snapshots";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::command) enum SnapshotChoice {
    /// Compare; a difference is drift
    Check,
    /// Write what is new, and what differs beside it for a decision
    Record,
    /// Leave them alone
    Off,
}

#[derive(Debug, Subcommand)]
pub(in crate::command) enum AnswersCommand {
    /// Show a set, and where it was seen
    Show {
        /// A file, `default`, `documented` or `random:SEED`
        file: String,
    },
    /// Show what two sets answer differently; exit 5 where they do. What only one answers is shown,
    /// and does not count: it was not seen, which is no other answer
    Diff {
        /// A file, `default`, `documented` or `random:SEED`
        first: String,
        /// As the first
        second: String,
    },
}

#[derive(Debug, Subcommand)]
pub(in crate::command) enum SnapshotCommand {
    /// List recorded responses; those that wait for a decision are marked
    List(SnapshotFolder),
    /// Show how each response that waits differs from the accepted one; on a terminal, decide
    Review(SnapshotFolder),
    /// Make responses that wait the accepted ones
    Accept(SnapshotNames),
    /// Throw responses that wait away
    Reject(SnapshotNames),
    /// Record what a bundle holds, as the run that wrote it would have
    Apply(SnapshotBundle),
}

#[derive(Debug, Args)]
pub(in crate::command) struct SnapshotBundle {
    /// What `moot run --snapshot-bundle` wrote
    pub(in crate::command) file: PathBuf,
    /// Where recorded responses are [default: snapshots/TARGET, the target of the bundle]
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) snapshot_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct SnapshotFolder {
    /// Where recorded responses are
    #[arg(long, value_name = "DIR", default_value = SNAPSHOT_DIR)]
    pub(in crate::command) snapshot_dir: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::command) struct SnapshotNames {
    #[command(flatten)]
    pub(in crate::command) folder: SnapshotFolder,
    /// Which, as `moot snapshot review` names them
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(in crate::command) names: Vec<String>,
    /// All that wait
    #[arg(long, conflicts_with = "names")]
    pub(in crate::command) all: bool,
}
