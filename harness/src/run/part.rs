//! The part of a run: the result of one shard before the run is judged as a whole. A run without shards is one part.
//! `moot merge` joins the parts of several machines. Known failures, unused snapshots and the outcome are decided for
//! the whole run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::client::recording::IndexTarget;
use crate::exchange::by_question;
use crate::scenario::ScenarioName;
use crate::verdict::expected::{self, ExpectedFailures};
use crate::verdict::result::{ExpectedState, RunOutcome, RunResult, SnapshotCounts, outcome_of};

use super::shorten;

/// The result of a run, or of one shard, before it is judged as a whole. Its JSON is the second line of a part file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunPart {
    /// The result without marks of known failures. Its outcome says only why the run ended early.
    pub result: RunResult,
    /// Known failures, in the order of their file.
    pub expected: ExpectedFailures,
    /// The target as a recording describes it.
    pub target: IndexTarget,
    /// Whether the run was interrupted. Such a part cannot be merged.
    #[serde(skip)]
    pub is_interrupted: bool,
}

/// The share of the plan that a result covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartScope {
    /// The whole plan.
    Whole,
    /// One shard, or some. A known failure that does not show here may show in another shard.
    Share,
}

impl RunPart {
    /// Joins parts. Scenarios get the order of `plan`, which has their names without rows.
    ///
    /// # Panics
    /// If there is no part.
    pub fn joined(parts: Vec<Self>, plan: &[String]) -> Self {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().expect("the caller has at least one part");
        let mut troubles: Vec<String> = whole.result.trouble.take().into_iter().collect();
        for part in parts {
            let (result, other) = (&mut whole.result, part.result);
            result.outcome = result.outcome.max(other.outcome);
            result.scenarios.extend(other.scenarios);
            result.snapshots.counts = both(result.snapshots.counts.take(), other.snapshots.counts);
            result.snapshots.unused.retain(|name| other.snapshots.unused.contains(name));
            result.residue.extend(other.residue);
            troubles.extend(other.trouble);
            result.started_at = std::mem::take(&mut result.started_at).min(other.started_at);
            result.duration = result.duration.max(other.duration);
            result.requests_sent += other.requests_sent;
            result.unanswered += other.unanswered;
            for (list, pages) in other.long_lists {
                let known = result.long_lists.entry(list).or_default();
                *known = pages.max(*known);
            }
            whole.target.unmet.extend(part.target.unmet);
        }
        let mut once = BTreeSet::new();
        troubles.retain(|trouble| once.insert(trouble.clone()));
        whole.result.trouble = (!troubles.is_empty()).then(|| troubles.join("; "));
        in_order(&mut whole.result, plan);
        whole
    }

    /// The part with the detail that reports need. Known failures are matched with all checks.
    pub fn shortened(mut self, lists_checks: bool) -> Self {
        let lists_checks = lists_checks || !self.expected.entries.is_empty();
        let scenarios = std::mem::take(&mut self.result.scenarios);
        self.result.scenarios =
            scenarios.into_iter().map(|it| shorten::shortened(it, lists_checks)).collect();
        self
    }

    /// The result with marks of known failures, and with its outcome.
    pub fn concluded(self, scope: PartScope) -> RunResult {
        let Self { mut result, expected, target, .. } = self;
        order_residue(&mut result);
        let meets = |need: &str| !target.unmet.contains_key(need);
        result.expected = expected::apply(&expected, &mut result.scenarios, &meets);
        result.answers = by_question(result.scenarios.iter().flat_map(|it| &it.answers));
        let mut outcome = outcome_of(&result.scenarios).max(result.outcome);
        for one in &mut result.expected {
            match (one.state, scope) {
                (ExpectedState::Stale, PartScope::Whole) => {
                    outcome = outcome.max(RunOutcome::Drifted)
                }
                (ExpectedState::Stale, PartScope::Share) => one.state = ExpectedState::Unjudged,
                (_, _) => {}
            }
        }
        result.outcome = outcome;
        let reports_unused = scope == PartScope::Whole
            && outcome == RunOutcome::Conformant
            && result.scenarios.iter().all(|scenario| scenario.not_run.is_none());
        if !reports_unused {
            result.snapshots.unused.clear();
        }
        result
    }
}

fn both(one: Option<SnapshotCounts>, other: Option<SnapshotCounts>) -> Option<SnapshotCounts> {
    let (Some(one), Some(other)) = (&one, &other) else { return one.or(other) };
    Some(SnapshotCounts {
        folder: one.folder.clone(),
        compared: one.compared + other.compared,
        same: one.same + other.same,
        differing: one.differing + other.differing,
        missing: one.missing + other.missing,
        recorded: one.recorded + other.recorded,
        waiting: one.waiting + other.waiting,
        unusable: one.unusable + other.unusable,
    })
}

/// Puts scenarios in the order of the plan. A result that is not in the plan comes last, once: several parts may have
/// it.
fn in_order(result: &mut RunResult, plan: &[String]) {
    let places: BTreeMap<&str, usize> =
        plan.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let place = |name: &ScenarioName| {
        let name = name.without_row().to_string();
        places.get(name.as_str()).copied().unwrap_or(usize::MAX)
    };
    result.scenarios.sort_by_cached_key(|scenario| place(&scenario.name));
    let mut once = BTreeSet::new();
    result.scenarios.retain(|it| place(&it.name) != usize::MAX || once.insert(it.name.clone()));
}

/// Puts the objects that were left behind in the order of the scenarios.
fn order_residue(result: &mut RunResult) {
    let mut places: BTreeMap<ScenarioName, usize> = BTreeMap::new();
    for (at, scenario) in result.scenarios.iter().enumerate() {
        places.entry(scenario.name.without_row()).or_insert(at);
    }
    result.residue.sort_by_key(|left| places.get(&left.scenario.without_row()).copied());
}
