//! The part of a run as a file: the result of the shard, and a line for each scenario.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::PartError;
use super::facts::run_facts;
use super::file::{PartFile, PartHead, PartKind, PartWriter};
use super::set::PartSet;
use crate::client::recording::har::{self, HarEntry};
use crate::exchange::Exchange;
use crate::exchange::masks::{Masks, Secrets};
use crate::run::RunOptions;
use crate::run::environment::Shard;
use crate::run::part::RunPart;
use crate::run::shard::ShardPlan;
use crate::verdict::result::{RunResult, ScenarioResult};

/// Writes the part of a run into this folder. The part of an interrupted run has no last line and cannot be merged.
///
/// # Errors
/// The part would contain a secret, or it cannot be written.
pub fn write_run(
    dir: &Path,
    options: &RunOptions,
    (shard, plan): (Shard, &ShardPlan),
    part: &RunPart,
) -> Result<(), PartError> {
    let rows = plan.scenarios.iter().map(|it| (it.name.clone(), it.shard)).collect();
    let head = PartHead::new(PartKind::Run, shard, run_facts(options, plan, part), rows);
    let mut part = part.clone();
    let secrets = Secrets::of(&part.result.masks);
    part.result.map_texts(&secrets);
    make_portable(&mut part.result);
    let mut writer = PartWriter::new(&head)?;
    writer.line(&part)?;
    for scenario in part.result.scenarios {
        writer.line(&ScenarioRow::new(scenario, &secrets))?;
    }
    writer.write(dir, !part.is_interrupted, &secrets)
}

/// Makes the paths of a result mean the same on every machine.
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

/// Joins the parts of a run. Each scenario of the plan must be in the part of its shard.
///
/// # Errors
/// A part is damaged.
pub fn read_run(set: &PartSet) -> Result<RunPart, PartError> {
    // The texts of parts are already masked.
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
    let found: BTreeSet<String> =
        scenarios.iter().map(|it| it.name.without_row().to_string()).collect();
    if let Some(lost) = planned.iter().find(|name| !found.contains(**name)) {
        return Err(file.damaged(format!("the result of {lost} is missing")));
    }
    let others = file.head.plan.iter().filter(|(_, shard)| *shard != file.head.shard);
    let others: BTreeSet<&str> = others.map(|(name, _)| name.as_str()).collect();
    if let Some(foreign) = found.iter().find(|name| others.contains(name.as_str())) {
        return Err(file.damaged(format!("{foreign} belongs to another shard")));
    }
    part.result.scenarios = scenarios;
    part.result.masks = Arc::clone(masks);
    Ok(part)
}

fn parsed<T: for<'de> Deserialize<'de>>(file: &PartFile, line: &str) -> Result<T, PartError> {
    serde_json::from_str(line)
        .map_err(|error| file.damaged(format!("a line cannot be read: {error}")))
}

/// The result of a scenario as a line of a part. Each of its exchanges is there once.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioRow {
    scenario: ScenarioResult,
    exchanges: Vec<Value>,
    /// For each step the indexes of its exchanges, and the index of the exchange of each check.
    links: Vec<(Vec<usize>, Vec<Option<usize>>)>,
}

impl ScenarioRow {
    /// The texts of the scenario are already masked. Its exchanges are masked here.
    fn new(scenario: ScenarioResult, secrets: &Secrets) -> Self {
        let mut all: Vec<&Arc<Exchange>> = Vec::new();
        let mut links = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            let mut index = |exchange| {
                let known = all.iter().position(|known| Arc::ptr_eq(known, exchange));
                known.unwrap_or_else(|| {
                    all.push(exchange);
                    all.len() - 1
                })
            };
            let sent = step.exchanges.iter().map(&mut index).collect();
            let judged = step.checks.iter().map(|check| check.exchange.as_ref().map(&mut index));
            links.push((sent, judged.collect()));
        }
        let exchanges = all.into_iter().map(|exchange| har::entry(exchange, secrets)).collect();
        Self { scenario, exchanges, links }
    }

    /// # Errors
    /// The fault of the row.
    fn result(self, masks: &Arc<Masks>) -> Result<ScenarioResult, String> {
        let read = |entry: Value| {
            let entry: HarEntry = serde_json::from_value(entry).map_err(|e| e.to_string())?;
            entry.exchange(masks).map(Arc::new)
        };
        let all: Vec<Arc<Exchange>> =
            self.exchanges.into_iter().map(read).collect::<Result<_, _>>()?;
        let exchange =
            |at: usize| all.get(at).cloned().ok_or_else(|| format!("there is no exchange {at}"));
        let mut scenario = self.scenario;
        for (step, (sent, judged)) in scenario.steps.iter_mut().zip(self.links) {
            step.exchanges = sent.into_iter().map(exchange).collect::<Result<_, _>>()?;
            for (check, at) in step.checks.iter_mut().zip(judged) {
                check.exchange = at.map(exchange).transpose()?;
            }
        }
        Ok(scenario)
    }
}

/// A path that means the same on every machine: relative to the working folder, or only the file name.
fn portable(path: &str) -> String {
    let path = Path::new(path);
    if path.is_relative() {
        return path.to_string_lossy().into_owned();
    }
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let name = || path.file_name().map(Into::into).unwrap_or_default();
    below.unwrap_or_else(name).to_string_lossy().into_owned()
}

/// A command line with such paths.
fn portable_line(line: &str) -> String {
    let word = |word: &str| if word.starts_with('/') { portable(word) } else { word.to_owned() };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{portable, portable_line};

    #[test]
    fn no_path_is_absolute() {
        let here = std::env::current_dir().expect("a folder");
        let below = here.join("targets/staging.yaml");
        for (path, expected) in [
            ("staging.yaml", "staging.yaml"),
            ("../a/staging.yaml", "../a/staging.yaml"),
            ("/etc/moot/staging.yaml", "staging.yaml"),
            (below.to_str().expect("UTF-8"), "targets/staging.yaml"),
            ("", ""),
        ] {
            assert_eq!(portable(path), expected, "{path}");
        }
        let line = "moot run --target /etc/moot/staging.yaml 'a b' --seed 7";
        assert_eq!(portable_line(line), "moot run --target staging.yaml 'a b' --seed 7");
    }
}
