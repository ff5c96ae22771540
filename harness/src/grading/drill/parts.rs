//! The parts of a certificate: the recordings of the shards of `moot drill`, and the certificate of all shards.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use moot_fixtures::conduct::DrillEnd;
use moot_fixtures::contract::Severity;
use serde::{Deserialize, Serialize};

use super::certificate::{Certificate, CertificateInput};
use super::judge::{self, DrillResult};
use super::recording::DrillRecording;
use super::table::{self, CALM};
use crate::exchange::masks::{Masks, Secrets};
use crate::run::part_files::{PartError, PartFile, PartHead, PartSet, PartWriter};

/// A line of a part: the recording of a drill, or of the calm run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordingRow {
    drill: String,
    recording: DrillRecording,
}

/// Writes the part of a shard into this folder: the head, the input, and a line for each recording.
///
/// # Errors
/// The part can't be written.
pub fn write_drills(
    dir: &Path,
    head: &PartHead,
    input: &CertificateInput,
    recordings: &BTreeMap<String, DrillRecording>,
) -> Result<(), PartError> {
    let mut writer = PartWriter::new(head)?;
    writer.line(input)?;
    for (drill, recording) in recordings {
        let row = RecordingRow { drill: drill.clone(), recording: recording.clone() };
        writer.line(&row)?;
    }
    // There is nothing left to mask: a recording is masked when it is made.
    writer.write(dir, true, &Secrets::of(&Masks::default()))
}

/// The certificate of all parts, judged by the worst calm run. All other calm runs must give the same results.
///
/// # Errors
/// A part is damaged, or the calm runs differ.
pub fn joined_certificate(set: &PartSet, today: String) -> Result<Certificate, PartError> {
    let mut calms: Vec<(&PartFile, DrillRecording)> = Vec::new();
    let mut recordings: BTreeMap<String, DrillRecording> = BTreeMap::new();
    let mut input = None;
    for file in set.parts() {
        let (own_input, mut own) = read_part(file)?;
        input.get_or_insert(own_input);
        let calm = own.remove(CALM).ok_or_else(|| file.damaged("it has no calm run"))?;
        calms.push((file, calm));
        recordings.extend(own);
    }
    let worst = calms.iter().enumerate().max_by_key(|(at, (_, calm))| {
        let result = judge::calm(calm);
        let musts = result.findings.iter().filter(|it| it.severity == Severity::Must).count();
        (result.end != DrillEnd::Held, musts, result.findings.len(), Reverse(*at))
    });
    let (Some(input), Some((_, (worst_file, worst)))) = (input, worst) else {
        let reason = "there is no part".to_owned();
        return Err(PartError::NotAPart { dir: PathBuf::new(), reason });
    };
    if judge::calm(worst).end == DrillEnd::Held {
        let drills = table::all().iter().filter_map(|it| Some((it, recordings.get(&it.id)?)));
        for (drill, run) in drills {
            let by_worst = judge::judge(drill, worst, run);
            for (file, calm) in &calms {
                let other = judge::judge(drill, calm, run);
                if other.end != by_worst.end {
                    return Err(unfit(worst_file, file, &by_worst, &other));
                }
            }
        }
    }
    recordings.insert(CALM.to_owned(), worst.clone());
    let missing = table::all().iter().any(|drill| !recordings.contains_key(&drill.id));
    let is_partial = missing || !set.missing().is_empty();
    Ok(Certificate::of(CertificateInput { is_partial, today, ..input }, recordings))
}

fn unfit(
    first: &PartFile,
    other: &PartFile,
    by_first: &DrillResult,
    by_other: &DrillResult,
) -> PartError {
    PartError::Unfit {
        first: first.dir.clone(),
        other: other.dir.clone(),
        reason: format!(
            "by the calm run of the first, {} ended as `{}`, by that of the second as `{}`",
            by_first.drill,
            by_first.end.shown(),
            by_other.end.shown()
        ),
    }
}

fn read_part(
    file: &PartFile,
) -> Result<(CertificateInput, BTreeMap<String, DrillRecording>), PartError> {
    let damaged =
        |error: serde_json::Error| file.damaged(format!("a line cannot be read: {error}"));
    let mut lines = file.lines.iter();
    let first = lines.next().ok_or_else(|| file.damaged("it has no result"))?;
    let input: CertificateInput = serde_json::from_str(first).map_err(damaged)?;
    let mut recordings = BTreeMap::new();
    for line in lines {
        let row: RecordingRow = serde_json::from_str(line).map_err(damaged)?;
        if recordings.insert(row.drill.clone(), row.recording).is_some() {
            return Err(file.damaged(format!("it has two recordings of {}", row.drill)));
        }
    }
    let planned: BTreeSet<&str> = file.head.own().collect();
    let is_own = |id: &str| id == CALM || planned.contains(id);
    if let Some(foreign) = recordings.keys().find(|id| !is_own(id)) {
        return Err(file.damaged(format!("{foreign} does not belong to this shard")));
    }
    let calm = recordings.get(CALM).map(judge::calm);
    let is_calm = calm.is_some_and(|calm| calm.end == DrillEnd::Held);
    // No drill is run unless the calm run holds.
    if let Some(lost) = planned.iter().find(|id| is_calm && !recordings.contains_key(**id)) {
        return Err(file.damaged(format!("the recording of {lost} is missing")));
    }
    Ok((input, recordings))
}
