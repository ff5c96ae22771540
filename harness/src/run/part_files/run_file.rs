//! The part of a run as a file: what the shard came to, a line for each scenario.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Requirement;
use serde::{Deserialize, Serialize};

use super::error::PartError;
use super::file::{PartFile, PartHead, PartWriter};
use super::portable::{portable, portable_line};
use super::result_rows::ScenarioRow;
use super::set::PartSet;
use crate::client::Residue;
use crate::client::recording::IndexTarget;
use crate::client::recording::redact::Redactor;
use crate::client::target_file::TargetDescription;
use crate::exchange::masks::{Masks, Secrets};
use crate::run::part::RunPart;
use crate::scenario::declared::OwnRows;
use crate::verdict::expected::{Expected, ExpectedEntry};
use crate::verdict::result::{
    RepeatCommand, RunOutcome, RunResult, SnapshotCounts, SnapshotFindings,
};

/// The second line: all but the scenarios.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunRow {
    /// The exit code of what broke the shard off; 0 where nothing did.
    broken_off: u8,
    trouble: Option<String>,
    target: TargetDescription,
    recorded_target: IndexTarget,
    seed: u64,
    own_rows: Vec<Requirement>,
    snapshots: Option<SnapshotCounts>,
    unasked_snapshots: Option<BTreeSet<String>>,
    expected: Vec<ExpectedEntry>,
    met_needs: BTreeSet<String>,
    residue: Vec<Residue>,
    reproduce: String,
    repeat: RepeatCommand,
    started_at: String,
    duration: Duration,
    requests_sent: u64,
}

/// Writes the part of a run into this folder. Without its last line it is unfinished: nobody merges it.
///
/// # Errors
/// It would contain a secret, or it can't be written.
pub fn write_run(
    dir: &Path,
    head: &PartHead,
    part: &RunPart,
    is_complete: bool,
) -> Result<(), PartError> {
    let masks = &part.result.masks;
    let scan = Secrets::of(masks);
    let mut result = part.result.clone();
    result.map_texts(&scan);
    let mut redactor = Redactor::with_labels(masks);
    let mut writer = PartWriter::new(head)?;
    let folder =
        |counts: SnapshotCounts| SnapshotCounts { folder: portable(&counts.folder), ..counts };
    writer.line(&RunRow {
        broken_off: result.exit_code(),
        trouble: result.trouble,
        target: result.target,
        recorded_target: part.target.clone(),
        seed: result.seed,
        own_rows: result.own_rows.values().map(|row| row.as_ref().clone()).collect(),
        snapshots: result.snapshots.counts.map(folder),
        unasked_snapshots: part.unasked_snapshots.clone(),
        expected: part.expected.entries.clone(),
        met_needs: part.met_needs.clone(),
        residue: result.residue,
        reproduce: portable_line(&result.reproduce),
        repeat: RepeatCommand {
            before: portable_line(&result.repeat.before),
            after: portable_line(&result.repeat.after),
            target: result.repeat.target.as_deref().map(portable),
        },
        started_at: result.started_at,
        duration: result.duration,
        requests_sent: result.requests_sent,
    })?;
    for scenario in &result.scenarios {
        writer.line(&ScenarioRow::of(scenario, &mut redactor))?;
    }
    writer.write(dir, is_complete, &scan)
}

/// The parts of a run as one. Each scenario of the plan must be there, from the shard that was to walk it.
///
/// # Errors
/// A part is damaged.
pub fn read_run(set: &PartSet) -> Result<RunPart, PartError> {
    // Texts of parts are masked already.
    let masks = Arc::new(Masks::default());
    let parts: Vec<RunPart> =
        set.parts().iter().map(|file| read_one(file, &masks)).collect::<Result<_, _>>()?;
    Ok(RunPart::joined(parts, &set.plan()))
}

fn read_one(file: &PartFile, masks: &Arc<Masks>) -> Result<RunPart, PartError> {
    let mut lines = file.lines.iter();
    let first = lines.next().ok_or_else(|| file.damaged("it has no result"))?;
    let row: RunRow = parsed(file, first)?;
    let codes = RunOutcome::ALL.into_iter();
    let outcome = codes.into_iter().find(|it| it.exit_code() == row.broken_off);
    let outcome = outcome.ok_or_else(|| file.damaged("it has an unknown exit code"))?;
    let own_rows: OwnRows =
        row.own_rows.into_iter().map(|own| (own.id.clone(), Arc::new(own))).collect();
    let scenario = |line: &String| {
        let row: ScenarioRow = parsed(file, line)?;
        row.result(&own_rows, masks).map_err(|reason| file.damaged(reason))
    };
    let scenarios = lines.map(scenario).collect::<Result<Vec<_>, _>>()?;
    let planned: BTreeSet<&str> = file.head.own().collect();
    let found: BTreeSet<&str> = scenarios.iter().map(|it| it.without_row()).collect();
    if let Some(lost) = planned.iter().find(|name| !found.contains(*name)) {
        return Err(file.damaged(format!("the result of {lost} is missing")));
    }
    let others = file.head.plan.iter().filter(|(_, shard)| *shard != file.head.shard);
    let others: BTreeSet<&str> = others.map(|(name, _)| name.as_str()).collect();
    if let Some(foreign) = found.iter().find(|name| others.contains(*name)) {
        return Err(file.damaged(format!("{foreign} belongs to another shard")));
    }
    let result = RunResult {
        outcome,
        target: row.target,
        seed: row.seed,
        scenarios,
        own_rows,
        answers: Default::default(),
        snapshots: SnapshotFindings { counts: row.snapshots, ..SnapshotFindings::default() },
        expected: Vec::new(),
        residue: row.residue,
        trouble: row.trouble,
        reproduce: row.reproduce,
        repeat: row.repeat,
        started_at: row.started_at,
        duration: row.duration,
        requests_sent: row.requests_sent,
        masks: Arc::clone(masks),
    };
    Ok(RunPart {
        result,
        target: row.recorded_target,
        is_interrupted: false,
        expected: Expected { entries: row.expected, ..Expected::default() },
        met_needs: row.met_needs,
        unasked_snapshots: row.unasked_snapshots,
    })
}

fn parsed<T: for<'de> Deserialize<'de>>(file: &PartFile, line: &str) -> Result<T, PartError> {
    serde_json::from_str(line)
        .map_err(|error| file.damaged(format!("a line can't be read: {error}")))
}
