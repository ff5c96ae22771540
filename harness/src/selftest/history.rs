//! Does a verdict depend on earlier calls? Scenarios that noticed a defect run twice on one service with this defect:
//! first on fresh data, then in the opposite order with the data of the first round.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_mock::defect::Defect;
use serde::{Deserialize, Serialize};

use super::trial::{apart, is_noticed, run_options, with_defect, worst_verdicts};
use crate::run::Runner;
use crate::run::environment::TargetChoice;
use crate::scenario::model::ScenarioFile;
use crate::scenario::{ScenarioName, plan};
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
    // One at a time: some defects count reads, so another scenario must not read in between.
    let options = run_options(1, TargetChoice::InProcessDeployment, with_defect(defect), files);
    let rounds = apart(async move {
        // If the target cannot be opened, no scenario notices the defect.
        let files = Arc::clone(&options.files);
        let runner = Runner::open(options, Arc::default(), |_| ()).await.ok()?;
        let mut places: Vec<_> = plan::all(&files).iter().map(|planned| planned.place).collect();
        let fresh = runner.run(&files, &places).await;
        places.reverse();
        Some((fresh, runner.run(&files, &places).await))
    });
    let (fresh, used) = rounds.await.unwrap_or_default();
    let mut found = Vec::new();
    for fresh in &fresh {
        let Some(used) = used.iter().find(|it| it.name == fresh.name) else { continue };
        // The verdicts of implicit checks may depend on the data of other scenarios.
        let explicit = |result: &ScenarioResult| {
            worst_verdicts(result.checks().filter(|check| !check.is_implicit()))
        };
        let (first, second) = (explicit(fresh), explicit(used));
        let breaks = defect.breaks.iter();
        found.extend(breaks.filter_map(|id| compare(id, &fresh.name, &first, &second)));
    }
    found
}

/// The difference between the two rounds, if both judged this requirement and only one found it broken.
fn compare(
    requirement: &str,
    scenario: &ScenarioName,
    fresh: &BTreeMap<String, Verdict>,
    used: &BTreeMap<String, Verdict>,
) -> Option<HistoryDifference> {
    let judged = |verdicts: &BTreeMap<String, Verdict>| {
        verdicts.get(requirement).copied().filter(|verdict| *verdict != Verdict::NotRun)
    };
    let (fresh, used) = judged(fresh).zip(judged(used))?;
    let is_noticed = |verdict: Verdict| is_noticed(requirement, Some(&verdict));
    (is_noticed(fresh) != is_noticed(used)).then(|| HistoryDifference {
        requirement: requirement.to_owned(),
        scenario: scenario.clone(),
        fresh,
        used,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::compare;
    use crate::verdict::Verdict;

    const ROW: &str = "list-legal-requests.status-200";

    #[test]
    fn a_verdict_that_changes_with_the_history_is_reported() {
        let of = |verdict| BTreeMap::from([(ROW.to_owned(), verdict)]);
        for (fresh, used, is_reported) in [
            (Verdict::NotApplicable, Verdict::Fail, true),
            (Verdict::Fail, Verdict::Pass, true),
            (Verdict::Fail, Verdict::Fail, false),
            (Verdict::Pass, Verdict::Pass, false),
            (Verdict::Fail, Verdict::NotRun, false),
        ] {
            let found = compare(ROW, &"a/b".into(), &of(fresh), &of(used));
            assert_eq!(found.is_some(), is_reported, "{fresh:?} {used:?}");
        }
    }
}
