//! Does a verdict depend on earlier calls? Scenarios that noticed a defect run twice on one service with this defect:
//! first on fresh data, then in the opposite order with the data of the first round.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_mock::defect::Defect;
use serde::{Deserialize, Serialize};

use super::trial::{apart, by_requirement, is_noticed, run_options, with_defect};
use crate::run::Runner;
use crate::run::environment::TargetChoice;
use crate::scenario::ScenarioName;
use crate::scenario::declared;
use crate::scenario::model::{Scenario, ScenarioFile};
use crate::verdict::Verdict;
use crate::verdict::result::ScenarioResult;

/// Scenarios that run twice for each defect. More scenarios take time and find the same.
pub(super) const SCENARIOS_MAX: usize = 4;

/// A requirement that noticed a defect only in one of the two rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryDifference {
    /// The requirement, which the defect breaks.
    pub requirement: String,
    pub scenario: ScenarioName,
    /// The verdict on the fresh service.
    pub fresh: Verdict,
    /// The verdict on the used one.
    pub used: Verdict,
}

/// Runs these scenarios twice on a deployment with this defect.
pub(super) async fn differences(
    defect: &'static Defect,
    files: Vec<ScenarioFile>,
) -> Vec<HistoryDifference> {
    if files.is_empty() {
        return Vec::new();
    }
    // The verdicts of implicit checks may depend on the data of other scenarios.
    let declaring: BTreeSet<(ScenarioName, String)> = files.iter().flat_map(declared_by).collect();
    // One at a time: some defects count reads, so another scenario must not read in between.
    let options = run_options(1, TargetChoice::InProcessDeployment, with_defect(defect), files);
    let rounds = apart(async move {
        // If the target cannot be opened, no scenario notices the defect.
        let files = Arc::clone(&options.files);
        let runner = Runner::open(options, Arc::default(), |_| ()).await.ok()?;
        let mut places = places(&files);
        let fresh = runner.run(&files, &places).await;
        places.reverse();
        Some((fresh, runner.run(&files, &places).await))
    });
    rounds.await.map_or_else(Vec::new, |(fresh, used)| {
        let mut found = compare(&defect.breaks, &verdicts(&fresh), &verdicts(&used));
        found.retain(|it| declares(&declaring, it));
        found
    })
}

/// The pairs of a scenario of a file and a requirement that it declares.
fn declared_by(file: &ScenarioFile) -> Vec<(ScenarioName, String)> {
    let of = |scenario: &Scenario| {
        let name = ScenarioName::new(&file.stem, &scenario.id);
        declared::requirements(&scenario.steps).into_iter().map(move |id| (name.clone(), id))
    };
    file.scenarios.iter().flat_map(of).collect()
}

fn declares(declaring: &BTreeSet<(ScenarioName, String)>, it: &HistoryDifference) -> bool {
    declaring.contains(&(it.scenario.without_row(), it.requirement.clone()))
}

fn places(files: &[ScenarioFile]) -> Vec<(usize, usize)> {
    let of_file = |(at, file): (usize, &ScenarioFile)| {
        (0..file.scenarios.len()).map(move |inner| (at, inner)).collect::<Vec<_>>()
    };
    files.iter().enumerate().flat_map(of_file).collect()
}

/// The verdicts by scenario and requirement.
fn verdicts(scenarios: &[Arc<ScenarioResult>]) -> BTreeMap<(ScenarioName, String), Verdict> {
    let mut all = BTreeMap::new();
    for scenario in scenarios {
        for (requirement, verdict) in by_requirement([&**scenario]) {
            all.insert((scenario.name.clone(), requirement), verdict);
        }
    }
    all
}

/// The requirements of `breaks` that both rounds judged, and only one round found broken.
fn compare(
    breaks: &[String],
    fresh: &BTreeMap<(ScenarioName, String), Verdict>,
    used: &BTreeMap<(ScenarioName, String), Verdict>,
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
    use std::collections::BTreeMap;

    use super::compare;
    use crate::verdict::Verdict;

    const ROW: &str = "list-legal-requests.status-200";

    #[test]
    fn a_verdict_that_changes_with_the_history_is_reported() {
        let of = |verdict| BTreeMap::from([(("a/b".into(), ROW.to_owned()), verdict)]);
        for (fresh, used, is_reported) in [
            (Verdict::NotApplicable, Verdict::Fail, true),
            (Verdict::Fail, Verdict::Pass, true),
            (Verdict::Fail, Verdict::Fail, false),
            (Verdict::Pass, Verdict::Pass, false),
            (Verdict::Fail, Verdict::NotRun, false),
        ] {
            let found = compare(&[ROW.to_owned()], &of(fresh), &of(used));
            assert_eq!(!found.is_empty(), is_reported, "{fresh:?} {used:?}");
        }
        assert!(compare(&[], &of(Verdict::Pass), &of(Verdict::Fail)).is_empty());
    }
}
