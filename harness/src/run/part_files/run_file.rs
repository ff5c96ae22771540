//! The part of a run as a file: what the shard came to, a line for each scenario.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::error::PartError;
use super::file::{PartFile, PartHead, PartWriter};
use super::portable::{portable, portable_line};
use super::scenario_row::ScenarioRow;
use super::set::PartSet;
use crate::exchange::masks::{Masks, Secrets};
use crate::run::part::RunPart;
use crate::verdict::result::RunResult;

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
    let mut part = part.clone();
    let secrets = Secrets::of(&part.result.masks);
    part.result.map_texts(&secrets);
    make_portable(&mut part.result);
    let mut writer = PartWriter::new(head)?;
    writer.line(&part)?;
    for scenario in part.result.scenarios {
        writer.line(&ScenarioRow::new(scenario, &secrets))?;
    }
    writer.write(dir, is_complete, &secrets)
}

/// Its paths mean the same on every machine.
fn make_portable(result: &mut RunResult) {
    if let Some(counts) = &mut result.snapshots.counts {
        counts.folder = portable(&counts.folder);
    }
    for line in [&mut result.reproduce, &mut result.repeat.before, &mut result.repeat.after] {
        *line = portable_line(line);
    }
    if let Some(target) = &mut result.repeat.target {
        *target = portable(target);
    }
    for scenario in &mut result.scenarios {
        let checks = scenario.steps.iter_mut().flat_map(|step| &mut step.checks);
        let places = checks.filter_map(|check| check.place.as_mut());
        places.chain([&mut scenario.at]).for_each(|at| at.file = portable(&at.file).into());
    }
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
    let (first, lines) =
        file.lines.split_first().ok_or_else(|| file.damaged("it has no result"))?;
    let mut part: RunPart = parsed(file, first)?;
    let scenario = |line: &String| {
        let row: ScenarioRow = parsed(file, line)?;
        row.result(masks).map_err(|reason| file.damaged(reason))
    };
    let scenarios = lines.iter().map(scenario).collect::<Result<Vec<_>, _>>()?;
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
    part.result.scenarios = scenarios;
    part.result.masks = Arc::clone(masks);
    Ok(part)
}

fn parsed<T: for<'de> Deserialize<'de>>(file: &PartFile, line: &str) -> Result<T, PartError> {
    serde_json::from_str(line)
        .map_err(|error| file.damaged(format!("a line can't be read: {error}")))
}
