//! `moot snapshot`: lists recorded responses, and accepts or rejects pending ones.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use moot_fixtures::nearest::alike;
use moot_snapshots::{
    BUNDLE_BYTES_MAX, Bundle, Comparison, PendingSnapshot, StoreError, accept, list, pending,
    reject,
};
use serde_json::json;

use super::error::CommandError;
use super::files::{read_file, unreadable, wrong};
use super::review;
use super::run_snapshots::SNAPSHOT_DIR;
use super::screen::Screen;
use crate::exchange::escape;
use crate::report::terminal::paint;
use crate::run::slug;
use crate::verdict::Verdict;

#[derive(Debug, Subcommand)]
pub(super) enum SnapshotCommand {
    /// List recorded responses, and mark those that are pending
    List(SnapshotFolder),
    /// Show the differences of each pending response from the accepted one; on a terminal, ask for a decision
    Review(SnapshotFolder),
    /// Accept pending responses
    Accept(SnapshotNames),
    /// Discard pending responses
    Reject(SnapshotNames),
    /// Record the responses of a bundle that `moot run --snapshot-bundle` wrote
    Apply {
        /// The file that `moot run --snapshot-bundle` wrote
        file: PathBuf,
        /// The folder of recorded responses [default: snapshots/TARGET, the target of the bundle]
        #[arg(long, value_name = "DIR")]
        snapshot_dir: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct SnapshotFolder {
    /// The folder of recorded responses
    #[arg(long, value_name = "DIR", default_value = SNAPSHOT_DIR)]
    snapshot_dir: PathBuf,
}

impl SnapshotFolder {
    /// The folder. The default folder may be missing: then nothing is recorded yet.
    fn path(&self) -> Result<&Path, CommandError> {
        let path = &*self.snapshot_dir;
        match path.is_dir() || path == Path::new(SNAPSHOT_DIR) {
            true => Ok(path),
            false => Err(wrong(path, "there is no such folder")),
        }
    }
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").args(["names", "all"]).required(true)))]
pub(super) struct SnapshotNames {
    #[command(flatten)]
    folder: SnapshotFolder,
    /// Names, as `moot snapshot review` prints them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// All pending responses
    #[arg(long)]
    all: bool,
}

/// Exit 2 if a name is not pending.
pub(super) fn snapshot(command: SnapshotCommand, screen: &Screen) -> Result<u8, CommandError> {
    match command {
        SnapshotCommand::List(folder) => show_list(folder.path()?, screen)?,
        SnapshotCommand::Review(folder) => review::review(folder.path()?, screen)?,
        SnapshotCommand::Accept(names) => decide(&names, screen, "accepted", accept)?,
        SnapshotCommand::Reject(names) => decide(&names, screen, "rejected", reject)?,
        SnapshotCommand::Apply { file, snapshot_dir } => apply(&file, snapshot_dir, screen)?,
    }
    Ok(0)
}

fn show_list(dir: &Path, screen: &Screen) -> Result<(), CommandError> {
    let entries = list(dir)?;
    if screen.is_json() {
        let rows: Vec<_> = entries
            .iter()
            .map(|one| json!({"name": one.name, "file": one.file, "is_pending": one.is_pending}))
            .collect();
        return screen.json(&json!({ "snapshots": rows }));
    }
    let mut out = String::new();
    for one in &entries {
        let mark =
            if one.is_pending { paint::verdict(Verdict::Drift, " waits") } else { String::new() };
        let about = escape::line(one.description.as_deref().unwrap_or_default());
        out.push_str(&format!("{}{mark}  {}\n", paint::name(&one.name), paint::dim(&about)));
    }
    let waiting = pending(dir)?.len();
    out.push_str(&format!("{} recorded, {waiting} pending\n", entries.len()));
    screen.print(&out)
}

/// Records the responses of a bundle.
fn apply(file: &Path, folder: Option<PathBuf>, screen: &Screen) -> Result<(), CommandError> {
    let length = fs::metadata(file).map_err(|error| unreadable(file, &error))?.len();
    if length > BUNDLE_BYTES_MAX {
        return Err(wrong(file, format!("longer than {BUNDLE_BYTES_MAX} bytes")));
    }
    let bundle = Bundle::from_text(&read_file(file)?).map_err(|why| wrong(file, why))?;
    let dir = folder.unwrap_or_else(|| Path::new(SNAPSHOT_DIR).join(slug(&bundle.target)));
    let (mut added, mut waiting) = (Vec::new(), Vec::new());
    for (name, comparison) in bundle.apply(&dir) {
        match comparison {
            Comparison::Added => added.push(name),
            Comparison::Updated => waiting.push(name),
            Comparison::Error(why) => return Err(CommandError::usage(why)),
            Comparison::Match | Comparison::Missing { .. } | Comparison::Mismatch { .. } => {}
        }
    }
    if screen.is_json() {
        return screen.json(&json!({ "recorded": added, "pending": waiting }));
    }
    let line = |done: &str, name: &String| format!("{done} {}\n", escape::line(name));
    let mut out: String = added.iter().map(|name| line("recorded", name)).collect();
    out.extend(waiting.iter().map(|name| line("waits", name)));
    let (recorded, waiting) = (added.len(), waiting.len());
    let dir = dir.display();
    out.push_str(&format!("{recorded} recorded in {dir}, {waiting} pending\n"));
    screen.print(&out)
}

fn decide(
    names: &SnapshotNames,
    screen: &Screen,
    done: &str,
    act: fn(&PendingSnapshot) -> Result<(), StoreError>,
) -> Result<(), CommandError> {
    let waiting = pending(names.folder.path()?)?;
    for name in &names.names {
        if !waiting.iter().any(|one| one.name == *name) {
            let near = alike(name, waiting.iter().map(|one| one.name.as_str()));
            return Err(
                CommandError::usage(format!("no response named `{name}` is pending")).nearest(near)
            );
        }
    }
    let chosen: Vec<&PendingSnapshot> =
        waiting.iter().filter(|one| names.all || names.names.contains(&one.name)).collect();
    for one in &chosen {
        act(one)?;
    }
    if screen.is_json() {
        let rows: Vec<_> = chosen.iter().map(|one| one.name.as_str()).collect();
        return screen.json(&json!({ done: rows }));
    }
    let lines: String = chosen.iter().map(|one| format!("{done} {}\n", one.name)).collect();
    screen.print(&if lines.is_empty() { "no response is pending\n".to_owned() } else { lines })
}
