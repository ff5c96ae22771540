//! The result of a whole run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CheckResult, ExpectedFailure, RunOutcome, ScenarioResult};
use crate::exchange::masks::Masks;
use crate::exchange::{ObservedAnswer, Residue, TargetDescription};
use crate::scenario::declared::OwnRows;
use crate::scenario::plan::without_row;

/// What a run found about recorded responses beside its checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFindings {
    /// What had no snapshot, or another one, by name: for a bundle.
    #[serde(skip)]
    pub new: Vec<moot_snapshots::Recorded>,
    /// Names that no step asked for; known only of a complete, unfiltered, conformant run.
    #[serde(skip)]
    pub unused: Vec<String>,
    /// How many were compared or recorded; `None` where snapshots were left alone.
    pub counts: Option<SnapshotCounts>,
}

/// Snapshots by what became of them. Rows of a loop that share one count once, by the worst of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotCounts {
    /// The folder.
    pub folder: String,
    /// Those that were there already: `same`, `differing` and `waiting` together.
    pub compared: usize,
    /// As they were recorded.
    pub same: usize,
    /// Another text came.
    pub differing: usize,
    /// There is none.
    pub missing: usize,
    /// There was none, and this run recorded one.
    pub recorded: usize,
    /// Another text was recorded beside the accepted one, for a decision.
    pub waiting: usize,
    /// A file could not be read or written.
    pub unusable: usize,
}

/// The command line that runs one scenario again, around the name of the scenario; empty where there is
/// none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatCommand {
    /// Up to the scenario: `moot run `.
    pub before: String,
    /// After it: ` --target staging.yaml`.
    pub after: String,
    /// The target that the line names; none for the mock in this process and for a recording.
    pub target: Option<String>,
}

impl RepeatCommand {
    /// The line for a scenario; rows of it are repeated together.
    pub fn of(&self, scenario: &str) -> Option<String> {
        let name = without_row(scenario);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        (!self.before.is_empty() && name.chars().all(is_plain))
            .then(|| format!("{}{name}{}", self.before, self.after))
    }
}

/// All that a run found. Its JSON is part of a part file, which has the scenarios elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// The outcome, with its exit code.
    pub outcome: RunOutcome,
    /// The target: name, base address, class (`mock in process`, `moot mock`, `deployment`).
    pub target: TargetDescription,
    /// The seed that reproduces it.
    pub seed: u64,
    /// Scenarios in the order of the files.
    #[serde(skip)]
    pub scenarios: Vec<ScenarioResult>,
    /// Rows that the scenario files state themselves, by id.
    pub own_rows: OwnRows,
    /// Observed answers by question.
    #[serde(skip)]
    pub answers: BTreeMap<String, ObservedAnswer>,
    /// About recorded responses.
    pub snapshots: SnapshotFindings,
    /// What became of each known failure.
    #[serde(skip)]
    pub expected: Vec<ExpectedFailure>,
    /// What was left behind.
    pub residue: Vec<Residue>,
    /// Why the target could not be used at all.
    pub trouble: Option<String>,
    /// The command line that reproduces it.
    pub reproduce: String,
    /// The command line that runs one of its scenarios again.
    pub repeat: RepeatCommand,
    /// ISO 8601 UTC.
    pub started_at: String,
    /// Real time.
    pub duration: Duration,
    /// Requests sent.
    pub requests_sent: u64,
    /// The secrets, for masking and for scanning artefacts.
    #[serde(skip)]
    pub masks: Arc<Masks>,
}

/// Rewrites texts that may hold what a target sent: masks their secrets, or makes them harmless.
pub trait TextMap {
    /// A text that is shown on one line.
    fn line(&self, text: &str) -> String;

    /// A text that may have several lines.
    fn block(&self, text: &str) -> String {
        self.line(text)
    }
}

impl RunResult {
    /// The exit code of its outcome.
    pub fn exit_code(&self) -> u8 {
        self.outcome.exit_code()
    }

    /// Milliseconds of each scenario, all its rows.
    pub fn costs(&self) -> BTreeMap<String, u64> {
        let mut costs = BTreeMap::new();
        for scenario in &self.scenarios {
            let name = self.masks.mask(scenario.without_row());
            let cost = u64::try_from(scenario.duration.as_millis()).unwrap_or(u64::MAX);
            *costs.entry(name).or_default() += cost;
        }
        costs
    }

    /// All checks that were kept.
    pub fn checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.scenarios.iter().flat_map(ScenarioResult::checks)
    }

    /// What the exit code means, a clause.
    pub fn meaning(&self) -> &'static str {
        let is_known = |one: &ExpectedFailure| one.state == super::ExpectedState::Happened;
        if self.outcome == RunOutcome::Conformant && self.expected.iter().any(is_known) {
            return "nothing failed but what was expected, and everything selected ran or is \
                    tolerated by name";
        }
        self.outcome.meaning()
    }

    /// Rewrites every text that may hold what the target sent. Exchanges are left as they are.
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
            left.scenario = map.line(&left.scenario);
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
    /// On one line: `31 compared, 30 as recorded, 1 differs, in snapshots/t`.
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
