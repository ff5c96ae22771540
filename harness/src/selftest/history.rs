//! Does a verdict depend on what happened before? The scenarios that noticed a defect are walked twice on one
//! service that has it: first while it is fresh, then in the opposite order, with all that the first walk left.
//! Of a defect that many notice, the first few are walked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_mock::defect::Defect;
use serde::{Deserialize, Serialize};

use super::trial::{is_noticed, of_scenario};
use crate::run::environment::{TargetChoice, TargetOptions};
use crate::run::{Kept, RunOptions, Runner};
use crate::scenario::declared;
use crate::scenario::model::{Scenario, ScenarioFile};
use crate::scenario::plan::without_row;
use crate::verdict::Verdict;
use crate::verdict::result::ScenarioResult;

/// Scenarios that are walked twice for each defect. More take time and find the same.
pub(super) const SCENARIOS_MAX: usize = 4;

/// A requirement that noticed a defect in one of the two walks only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryDifference {
    /// The requirement, which the defect breaks.
    pub requirement: String,
    /// `file/scenario[row]`.
    pub scenario: String,
    /// The verdict on the fresh service.
    pub fresh: Verdict,
    /// The verdict on the used one.
    pub used: Verdict,
}

/// Verdicts by scenario and requirement.
type VerdictsByScenario = BTreeMap<(String, String), Verdict>;

/// Walks these scenarios twice on a deployment with this defect.
pub(super) async fn differences(
    defect: &'static Defect,
    files: Vec<ScenarioFile>,
    seed: u64,
) -> Vec<HistoryDifference> {
    if files.is_empty() {
        return Vec::new();
    }
    // What an implicit check judges depends on the data that others left.
    let declaring: BTreeSet<(String, String)> = files.iter().flat_map(declared_by).collect();
    let run_tag = format!("moot-{seed:08x}");
    let defects = vec![defect.id.clone()];
    let options = TargetOptions { seed, run_tag, defects, ..TargetOptions::default() };
    let options = RunOptions {
        // One by one: what a scenario reads twice must not be read by another in between.
        jobs: Some(1),
        kept: Kept::Outline,
        ..RunOptions::new(TargetChoice::InProcessDeployment, options, files)
    };
    // A task of its own, so that trials run on several threads.
    let walks = tokio::spawn(async move {
        // What keeps the suite from this target is not noticed by a scenario.
        let files = Arc::clone(&options.files);
        let runner = Runner::open(options, Arc::default(), |_| ()).await.ok()?;
        let mut places = places(&files);
        let fresh = runner.run(&files, &places).await;
        places.reverse();
        Some((fresh, runner.run(&files, &places).await))
    });
    // Nothing cancels the task, so an error is a panic.
    let walks = walks.await.unwrap_or_else(|broken| std::panic::resume_unwind(broken.into_panic()));
    walks.map_or_else(Vec::new, |(fresh, used)| {
        let mut found = compared(&defect.breaks, &verdicts(&fresh), &verdicts(&used));
        found.retain(|it| declares(&declaring, it));
        found
    })
}

/// Scenarios of a file, each with a requirement that it declares.
fn declared_by(file: &ScenarioFile) -> Vec<(String, String)> {
    let of = |scenario: &Scenario| {
        let name = format!("{}/{}", file.stem, scenario.id);
        declared::requirements(&scenario.steps).into_iter().map(move |id| (name.clone(), id))
    };
    file.scenarios.iter().flat_map(of).collect()
}

fn declares(declaring: &BTreeSet<(String, String)>, it: &HistoryDifference) -> bool {
    let name = without_row(&it.scenario).to_owned();
    declaring.contains(&(name, it.requirement.clone()))
}

fn places(files: &[ScenarioFile]) -> Vec<(usize, usize)> {
    let of_file = |(at, file): (usize, &ScenarioFile)| {
        (0..file.scenarios.len()).map(move |inner| (at, inner)).collect::<Vec<_>>()
    };
    files.iter().enumerate().flat_map(of_file).collect()
}

fn verdicts(scenarios: &[Arc<ScenarioResult>]) -> VerdictsByScenario {
    let mut all = VerdictsByScenario::new();
    for scenario in scenarios {
        for (requirement, verdict) in of_scenario(scenario) {
            all.insert((scenario.name.clone(), requirement), verdict);
        }
    }
    all
}

/// Where one of two walks noticed that a requirement is broken, and the other judged it and did not.
fn compared(
    breaks: &[String],
    fresh: &VerdictsByScenario,
    used: &VerdictsByScenario,
) -> Vec<HistoryDifference> {
    let judged = |verdict: Verdict| Some(verdict).filter(|verdict| *verdict != Verdict::NotRun);
    let mut found = Vec::new();
    for ((scenario, requirement), first) in fresh {
        let second = used.get(&(scenario.clone(), requirement.clone())).copied();
        let (Some(first), Some(second)) = (judged(*first), second.and_then(judged)) else {
            continue;
        };
        let noticed = |verdict: Verdict| is_noticed(requirement, Some(&verdict));
        if breaks.contains(requirement) && noticed(first) != noticed(second) {
            found.push(HistoryDifference {
                requirement: requirement.clone(),
                scenario: scenario.clone(),
                fresh: first,
                used: second,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{VerdictsByScenario, compared};
    use crate::verdict::Verdict;

    const ROW: &str = "list-legal-requests.status-200";

    #[test]
    fn a_verdict_that_changes_with_the_history_is_told() {
        let of =
            |verdict| VerdictsByScenario::from([(("a/b".to_owned(), ROW.to_owned()), verdict)]);
        for (fresh, used, is_told) in [
            (Verdict::NotApplicable, Verdict::Fail, true),
            (Verdict::Fail, Verdict::Pass, true),
            (Verdict::Fail, Verdict::Fail, false),
            (Verdict::Pass, Verdict::Pass, false),
            (Verdict::Fail, Verdict::NotRun, false),
        ] {
            let found = compared(&[ROW.to_owned()], &of(fresh), &of(used));
            assert_eq!(!found.is_empty(), is_told, "{fresh:?} {used:?}");
        }
        assert!(compared(&[], &of(Verdict::Pass), &of(Verdict::Fail)).is_empty());
    }
}
