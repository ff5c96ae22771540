//! The parts of a certificate: what the shards of `moot drill` recorded, and the certificate of all of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use moot_fixtures::contract::Severity;
use serde::{Deserialize, Serialize};

use super::certificate::{CALM, Certificate, CertificateInput};
use super::judge::{self, DrillEnd, DrillResult};
use super::recording::DrillRecording;
use super::table;
use crate::exchange::masks::{Masks, Secrets};
use crate::run::part_files::{PartError, PartFile, PartHead, PartSet, PartWriter};

/// A line for each drill, and one for the calm run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordingRow {
    drill: String,
    recording: DrillRecording,
}

/// Writes the part of a shard into this folder. The second line is the input.
///
/// # Errors
/// It can't be written.
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
    // Recordings are masked when they are made.
    writer.write(dir, true, &Secrets::of(&Masks::default()))
}

/// The certificate of all parts. It is judged by the worst calm run among them, and only if every other calm run gives
/// the same results.
///
/// # Errors
/// A part is damaged, or the calm runs differ.
pub fn joined_certificate(set: &PartSet, today: String) -> Result<Certificate, PartError> {
    let mut calms: Vec<(&PartFile, DrillRecording)> = Vec::new();
    let mut recordings: BTreeMap<String, DrillRecording> = BTreeMap::new();
    let mut input = None;
    for file in set.parts() {
        let (row, mut own) = read_one(file)?;
        input.get_or_insert(row);
        let calm = own.remove(CALM).ok_or_else(|| file.damaged("it has no calm run"))?;
        calms.push((file, calm));
        recordings.extend(own);
    }
    let input = input.ok_or_else(|| PartError::NotAPart {
        dir: Default::default(),
        reason: "there is no part".to_owned(),
    })?;
    let worst = calms.iter().enumerate().max_by_key(|(at, (_, calm))| {
        let result = judge::calm(calm);
        let musts = result.findings.iter().filter(|it| it.severity == Severity::Must).count();
        (result.end != DrillEnd::Held, musts, result.findings.len(), Reverse(*at))
    });
    let Some((_, (worst_file, worst))) = worst else {
        return Err(set.parts()[0].damaged("it has no calm run"));
    };
    if judge::calm(worst).end == DrillEnd::Held {
        let drills = table::all().iter().filter_map(|it| Some((it, recordings.get(&it.id)?)));
        for (drill, run) in drills {
            let told = judge::judge(drill, worst, run);
            for (file, calm) in &calms {
                let other = judge::judge(drill, calm, run);
                if other.end != told.end {
                    return Err(unfit(worst_file, file, &told, &other));
                }
            }
        }
    }
    recordings.insert(CALM.to_owned(), worst.clone());
    let missing = table::all().iter().any(|drill| !recordings.contains_key(&drill.id));
    let is_partial = missing || !set.missing().is_empty();
    Ok(Certificate::of(CertificateInput { is_partial, today, ..input }, recordings))
}

fn unfit(one: &PartFile, other: &PartFile, told: &DrillResult, differs: &DrillResult) -> PartError {
    PartError::Unfit {
        first: one.dir.clone(),
        other: other.dir.clone(),
        reason: format!(
            "by the calm run of the first, {} ended as `{}`, by that of the second as `{}`",
            told.drill,
            told.end.shown(),
            differs.end.shown()
        ),
    }
}

fn read_one(
    file: &PartFile,
) -> Result<(CertificateInput, BTreeMap<String, DrillRecording>), PartError> {
    let damaged = |error: serde_json::Error| file.damaged(format!("a line can't be read: {error}"));
    let mut lines = file.lines.iter();
    let first = lines.next().ok_or_else(|| file.damaged("it has no result"))?;
    let input: CertificateInput = serde_json::from_str(first).map_err(damaged)?;
    let mut recordings = BTreeMap::new();
    for line in lines {
        let row: RecordingRow = serde_json::from_str(line).map_err(damaged)?;
        if recordings.insert(row.drill.clone(), row.recording).is_some() {
            return Err(file.damaged(format!("{} is there twice", row.drill)));
        }
    }
    let planned: BTreeSet<&str> = file.head.own().collect();
    let is_own = |id: &str| id == CALM || planned.contains(id);
    if let Some(foreign) = recordings.keys().find(|id| !is_own(id)) {
        return Err(file.damaged(format!("{foreign} does not belong to this shard")));
    }
    let calm = recordings.get(CALM).map(judge::calm);
    let is_calm = calm.is_some_and(|calm| calm.end == DrillEnd::Held);
    // Without a calm run that holds, nothing else is run.
    if let Some(lost) = planned.iter().find(|id| is_calm && !recordings.contains_key(**id)) {
        return Err(file.damaged(format!("the recording of {lost} is missing")));
    }
    Ok((input, recordings))
}
