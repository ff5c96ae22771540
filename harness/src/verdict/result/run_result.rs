//! The result of a whole run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};

use super::{CheckResult, ExpectedFailure, RunOutcome, ScenarioResult};
use crate::exchange::masks::Masks;
use crate::exchange::{ObservedAnswer, Residue, TargetDescription};
use crate::scenario::ScenarioName;
use crate::scenario::declared::OwnRows;
use crate::verdict::NotRunKind;

/// Results about snapshots that are not results of checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFindings {
    /// Responses without a snapshot, or with a different one, by name. They go into a bundle.
    #[serde(skip)]
    pub new: Vec<moot_snapshots::NewSnapshot>,
    /// Names of snapshots that no step uses. In a part: candidates, empty if the suite is filtered. In a concluded
    /// result: only of a complete, unfiltered, conformant run.
    pub unused: Vec<String>,
    /// `None` if the run did not use snapshots.
    pub counts: Option<SnapshotCounts>,
}

/// Counts of snapshots. A snapshot that several rows of a loop use is counted once, by the worst row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotCounts {
    /// The folder.
    pub folder: String,
    /// The number of existing snapshots: the sum of `same`, `differing` and `waiting`.
    pub compared: usize,
    /// The response is the recorded one.
    pub same: usize,
    /// The response is different.
    pub differing: usize,
    /// There is no snapshot.
    pub missing: usize,
    /// There was no snapshot, and this run recorded one.
    pub recorded: usize,
    /// The response is different, and this run recorded it for `moot snapshot review`.
    pub waiting: usize,
    /// The file could not be read or written.
    pub unusable: usize,
}

/// The command line that runs one scenario again, without the name of the scenario. Empty if there is no
/// such command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatCommand {
    /// The part before the name: `moot run `.
    pub before: String,
    /// The part after the name: ` --target staging.yaml`.
    pub after: String,
    /// The target in the command. `None` for the mock in this process and for a recording.
    pub target: Option<String>,
}

impl RepeatCommand {
    /// The command for a scenario. It repeats all rows of the scenario.
    pub fn of(&self, scenario: &ScenarioName) -> Option<String> {
        let name = scenario.without_row().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        (!self.before.is_empty() && name.chars().all(is_plain))
            .then(|| format!("{}{name}{}", self.before, self.after))
    }
}

/// The result of a run. Its JSON is used in part files, which have the scenarios elsewhere.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    pub outcome: RunOutcome,
    /// The name, base address and class of the target.
    pub target: TargetDescription,
    /// The seed that reproduces the run.
    pub seed: u64,
    /// In the order of the files.
    #[serde(skip)]
    pub scenarios: Vec<ScenarioResult>,
    /// The requirements that the scenario files state themselves, by id.
    pub own_rows: OwnRows,
    /// Observed answers by question.
    #[serde(skip)]
    pub answers: BTreeMap<String, ObservedAnswer>,
    pub snapshots: SnapshotFindings,
    /// The known failures of the target.
    #[serde(skip)]
    pub expected: Vec<ExpectedFailure>,
    /// Objects that the run created and could not delete.
    pub residue: Vec<Residue>,
    /// The reason why the target could not be used at all.
    pub trouble: Option<String>,
    /// The command line that reproduces the run.
    pub reproduce: String,
    /// The command line that runs one of its scenarios again.
    pub repeat: RepeatCommand,
    /// ISO 8601, UTC.
    pub started_at: String,
    /// Real time.
    pub duration: Duration,
    pub requests_sent: u64,
    /// Requests to a deployment without a response, or with an error of a gateway. They were sent again if that is safe.
    #[serde(default)]
    pub unanswered: u64,
    /// The pages of each list that has more pages than were read.
    #[serde(default)]
    pub long_lists: BTreeMap<Operation, u64>,
    /// The secrets of the run, for masking texts and for scanning files.
    #[serde(skip)]
    pub masks: Arc<Masks>,
}

/// Rewrites texts that may have text of the target in them: masks secrets, or makes texts harmless.
pub trait TextMap {
    /// Rewrites a text that is shown on one line.
    fn line(&self, text: &str) -> String;

    /// Rewrites a text that may have several lines.
    fn block(&self, text: &str) -> String {
        self.line(text)
    }
}

impl RunResult {
    /// The exit code of the outcome.
    pub fn exit_code(&self) -> u8 {
        self.outcome.exit_code()
    }

    /// The duration of each scenario with all its rows, in milliseconds.
    pub fn costs(&self) -> BTreeMap<String, u64> {
        let mut costs = BTreeMap::new();
        for scenario in &self.scenarios {
            let name = self.masks.mask(&scenario.name.without_row().to_string());
            let cost = u64::try_from(scenario.duration.as_millis()).unwrap_or(u64::MAX);
            *costs.entry(name).or_default() += cost;
        }
        costs
    }

    /// All checks that the result keeps one by one.
    pub fn checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.scenarios.iter().flat_map(ScenarioResult::checks)
    }

    /// The meaning of the exit code, as a clause.
    pub fn meaning(&self) -> String {
        let not_run = || self.scenarios.iter().map(|one| one.not_run.as_ref());
        let is_known = |one: &ExpectedFailure| one.state == super::ExpectedState::Happened;
        let mut meaning = self.outcome.meaning().to_owned();
        match self.outcome {
            RunOutcome::Conformant => {
                if self.expected.iter().any(is_known) {
                    let known = "nothing failed but the expected failures";
                    meaning = meaning.replacen("nothing failed", known, 1);
                }
                if not_run().flatten().any(|it| it.kind == NotRunKind::TokenBudget) {
                    meaning += ", except rows that the limit of the token endpoint left out";
                }
            }
            RunOutcome::Incomplete
                if !self.scenarios.is_empty()
                    && not_run().all(|it| it.is_some_and(|it| it.is_tolerated)) =>
            {
                meaning = "no check could be judged: everything selected is not run, as the target file tolerates"
                    .to_owned();
            }
            _ => {}
        }
        meaning
    }

    /// Rewrites every text that may have text of the target in it. Exchanges are not changed.
    pub fn map_texts(&mut self, map: &impl TextMap) {
        self.trouble = self.trouble.take().map(|trouble| map.block(&trouble));
        let repeat = [&mut self.repeat.before, &mut self.repeat.after];
        let texts = [&mut self.target.name, &mut self.target.base_url, &mut self.reproduce];
        for text in texts.into_iter().chain(repeat) {
            *text = map.line(text);
        }
        self.scenarios.iter_mut().for_each(|scenario| scenario.map_texts(map));
        self.expected.iter_mut().for_each(|one| one.map_texts(map));
        for left in &mut self.residue {
            left.id = left.id.take().map(|id| map.line(&id));
            left.tag = map.line(&left.tag);
            left.scenario = left.scenario.map(|text| map.line(text));
        }
        for answer in self.answers.values_mut() {
            for text in &mut answer.seen_in {
                *text = map.line(text);
            }
        }
        self.snapshots.unused.iter_mut().for_each(|name| *name = map.line(name));
        if let Some(counts) = &mut self.snapshots.counts {
            counts.folder = map.line(&counts.folder);
        }
    }
}

impl SnapshotCounts {
    /// The counts on one line: `31 compared, 30 as recorded, 1 differs, in snapshots/t`.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        if self.compared > 0 {
            parts.push(format!("{} compared, {} as recorded", self.compared, self.same));
        }
        for (count, one, many) in [
            (self.differing, "differs", "differ"),
            (self.waiting, "waits for `moot snapshot review`", "wait for `moot snapshot review`"),
            (self.recorded, "recorded", "recorded"),
            (self.missing, "missing: `--snapshots record`", "missing: `--snapshots record`"),
            (self.unusable, "unusable", "unusable"),
        ] {
            match count {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                count => parts.push(format!("{count} {many}")),
            }
        }
        if parts.is_empty() {
            parts.push("no step that ran has one".to_owned());
        }
        format!("{}, in {}", parts.join(", "), self.folder)
    }
}
