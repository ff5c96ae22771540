//! `moot snapshot`: what is recorded, what waits, and the decision about it.

use std::path::Path;

use moot_snapshots::{Pending, StoreError, accept, list, pending, reject};
use serde_json::json;

use super::failure::{Failure, nearest};
use super::line::{SnapshotCommand, SnapshotNames};
use super::screen::Screen;
use crate::report::escape;
use crate::verdict::Verdict;

/// Exit 2 where a name waits for nothing.
pub(super) fn snapshot(command: SnapshotCommand, screen: &Screen) -> Result<u8, Failure> {
    match command {
        SnapshotCommand::List(folder) => show_list(&folder.snapshot_dir, screen)?,
        SnapshotCommand::Review(folder) => review(&folder.snapshot_dir, screen)?,
        SnapshotCommand::Accept(names) => decide(&names, screen, "accepted", accept)?,
        SnapshotCommand::Reject(names) => decide(&names, screen, "rejected", reject)?,
    }
    Ok(0)
}

fn show_list(dir: &Path, screen: &Screen) -> Result<(), Failure> {
    let entries = list(dir)?;
    if screen.is_json() {
        let rows: Vec<_> = entries
            .iter()
            .map(|one| json!({"name": one.name, "file": one.file, "is_pending": one.is_pending}))
            .collect();
        return screen.json(&json!({ "snapshots": rows }));
    }
    let paint = screen.paint();
    let mut out = String::new();
    for one in &entries {
        let mark =
            if one.is_pending { paint.verdict(Verdict::Drift, " waits") } else { String::new() };
        let about = escape::line(one.description.as_deref().unwrap_or_default());
        out.push_str(&format!("{}{mark}  {}\n", paint.name(&one.name), paint.dim(&about)));
    }
    let waiting = pending(dir)?.len();
    out.push_str(&format!("{} recorded, {waiting} waiting for a decision\n", entries.len()));
    screen.print(&out)
}

fn review(dir: &Path, screen: &Screen) -> Result<(), Failure> {
    let waiting = pending(dir)?;
    if screen.is_json() {
        let rows: Vec<_> =
            waiting.iter().map(|one| json!({"name": one.name, "diff": one.diff})).collect();
        return screen.json(&json!({ "pending": rows }));
    }
    let paint = screen.paint();
    let mut out = String::new();
    for one in &waiting {
        out.push_str(&format!("{}\n", paint.bold(&one.name)));
        for line in one.diff.lines() {
            let line = escape::line(line);
            let painted = match line.as_bytes().first() {
                Some(b'+') => paint.verdict(Verdict::Pass, &line),
                Some(b'-') => paint.verdict(Verdict::Fail, &line),
                Some(b'@') => paint.dim(&line),
                _ => line,
            };
            out.push_str(&format!("  {painted}\n"));
        }
        out.push('\n');
    }
    out.push_str(&match waiting.len() {
        0 => "nothing waits for a decision\n".to_owned(),
        count => format!("{count} waiting: moot snapshot accept|reject NAME… or --all\n"),
    });
    screen.print(&out)
}

fn decide(
    names: &SnapshotNames,
    screen: &Screen,
    done: &str,
    act: fn(&Pending) -> Result<(), StoreError>,
) -> Result<(), Failure> {
    let waiting = pending(&names.folder.snapshot_dir)?;
    for name in &names.names {
        if !waiting.iter().any(|one| one.name == *name) {
            let near = nearest(name, waiting.iter().map(|one| one.name.as_str()));
            return Err(
                Failure::usage(format!("nothing waits under the name `{name}`")).nearest(near)
            );
        }
    }
    let chosen: Vec<&Pending> =
        waiting.iter().filter(|one| names.all || names.names.contains(&one.name)).collect();
    for one in &chosen {
        act(one)?;
    }
    if screen.is_json() {
        let rows: Vec<_> = chosen.iter().map(|one| one.name.as_str()).collect();
        return screen.json(&json!({ done: rows }));
    }
    let lines: String = chosen.iter().map(|one| format!("{done} {}\n", one.name)).collect();
    screen.print(&if lines.is_empty() { "nothing waits\n".to_owned() } else { lines })
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::usage(error.to_string())
    }
}
