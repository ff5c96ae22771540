//! Defects: services that err in one place, and whether a check of the row that they break says so.
//!
//! A defect is tried on the scenarios that declare a row which it breaks, and on a sample of the
//! others, which shows what it makes fail beside. Where only an implicit check could notice it, or
//! where the test is thorough, it is tried on all. Heavy scenarios run only where a defect asks.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_mock::defect::Defect;
use serde::Serialize;

use super::Bench;
use super::trial::{by_requirement, is_heavy, side_by_side};
use crate::environment::{TargetChoice, TargetOptions};
use crate::result::RunResult;
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;

/// Of the scenarios that declare nothing of what a defect breaks, every so-manieth is run.
pub const SAMPLE_EVERY: usize = 4;

/// The seed of every defective service.
const SEED: u64 = 1;

/// A defect, and what the suite said of the service that has it.
#[derive(Debug, Clone, Serialize)]
pub struct Tried {
    /// The defect.
    #[serde(flatten)]
    pub defect: &'static Defect,
    /// Rows of `breaks` that reported it; it survived where there is none.
    pub caught_by: Vec<String>,
    /// Rows that failed though the defect names them neither in `breaks` nor in `also`.
    pub unrelated: Vec<String>,
    /// Every row that failed or warned.
    pub noticed: BTreeMap<String, Verdict>,
    /// What the rows of `breaks` said where it survived.
    pub said: BTreeMap<String, String>,
    /// Scenarios that were run.
    pub scenarios: usize,
}

impl Tried {
    /// Whether a check of what it breaks reported it.
    pub fn is_caught(&self) -> bool {
        !self.caught_by.is_empty()
    }
}

/// Tries every defect, in this order.
pub async fn defects(bench: &Bench, all: Vec<&'static Defect>, is_thorough: bool) -> Vec<Tried> {
    let declared = Declared::of(&bench.files);
    let trials = all.into_iter().enumerate().map(|(index, defect)| {
        let files = declared.chosen(bench, defect, is_thorough, index);
        let scenarios = files.iter().map(|file| file.scenarios.len()).sum();
        let defects = vec![defect.id.clone()];
        let options = TargetOptions { seed: SEED, defects, ..TargetOptions::default() };
        async move {
            let ran = bench.run(&defect.id, TargetChoice::InProcess, files, options).await;
            judged(defect, scenarios, &ran)
        }
    });
    side_by_side(trials, bench.lanes).await
}

/// What each scenario declares, worked out once.
struct Declared(BTreeMap<(String, usize), BTreeSet<String>>);

impl Declared {
    fn of(files: &[ScenarioFile]) -> Self {
        let mut all = BTreeMap::new();
        for file in files {
            for (at, scenario) in file.scenarios.iter().enumerate() {
                let ids = declared::requirements(&scenario.steps);
                all.insert((file.stem.clone(), at), ids);
            }
        }
        Self(all)
    }

    fn chosen(
        &self,
        bench: &Bench,
        defect: &Defect,
        is_thorough: bool,
        turn: usize,
    ) -> Vec<ScenarioFile> {
        let is_explicit = |id: &String| self.0.values().any(|ids| ids.contains(id));
        let is_whole = is_thorough || !defect.breaks.iter().all(is_explicit);
        let mut others = turn;
        let mut names = BTreeSet::new();
        for file in &bench.files {
            for at in 0..file.scenarios.len() {
                let key = (file.stem.clone(), at);
                let is_asked = self
                    .0
                    .get(&key)
                    .is_some_and(|ids| defect.breaks.iter().any(|id| ids.contains(id)));
                let is_sampled = !is_asked && {
                    others += 1;
                    others.is_multiple_of(SAMPLE_EVERY)
                };
                let is_kept = match (is_heavy(file, at), is_asked) {
                    (true, _) => defect.heavy && is_asked,
                    (false, true) => true,
                    (false, false) => is_whole || is_sampled,
                };
                if is_kept {
                    names.insert(key);
                }
            }
        }
        bench.only(|file, at| names.contains(&(file.stem.clone(), at)))
    }
}

fn judged(defect: &'static Defect, scenarios: usize, result: &RunResult) -> Tried {
    let verdicts = by_requirement(result);
    let is_failing = |id: &String| verdicts.get(id) == Some(&Verdict::Fail);
    let caught_by: Vec<String> =
        defect.breaks.iter().filter(|id| is_noticed(id, verdicts.get(*id))).cloned().collect();
    let unrelated = verdicts
        .keys()
        .filter(|id| is_failing(id) && !defect.breaks.contains(id) && !defect.also.contains(id))
        .cloned()
        .collect();
    let mut said = BTreeMap::new();
    if caught_by.is_empty() {
        for id in &defect.breaks {
            let verdict = verdicts.get(id).map_or("was not judged", |verdict| verdict.as_str());
            said.insert(id.clone(), verdict.to_owned());
        }
        said.extend(result.trouble.iter().map(|trouble| ("trouble".to_owned(), trouble.clone())));
    }
    let is_bad = |verdict: &Verdict| matches!(verdict, Verdict::Fail | Verdict::Warn);
    let noticed = verdicts.into_iter().filter(|(_, verdict)| is_bad(verdict)).collect();
    Tried { defect, caught_by, unrelated, noticed, said, scenarios }
}

/// A stated row has to fail; a row of a lower level can do no more than warn.
pub(super) fn is_noticed(id: &str, verdict: Option<&Verdict>) -> bool {
    match register::get(id).map(|row| row.level) {
        Some(Level::Stated) | None => verdict == Some(&Verdict::Fail),
        Some(Level::Inherited | Level::Example | Level::Open) => {
            matches!(verdict, Some(Verdict::Fail | Verdict::Warn))
        }
    }
}

/// The median of the unrelated rows that failed, over all defects.
pub fn median_unrelated(tried: &[Tried]) -> usize {
    let mut counts: Vec<usize> = tried.iter().map(|tried| tried.unrelated.len()).collect();
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_noticed;
    use crate::verdict::Verdict;

    #[test]
    fn a_stated_row_has_to_fail_and_a_lower_one_may_warn() {
        for (id, verdict, expected) in [
            ("list-legal-requests.status-200", Some(Verdict::Fail), true),
            ("list-legal-requests.status-200", Some(Verdict::Warn), false),
            ("list-legal-requests.status-200", Some(Verdict::Pass), false),
            ("list-legal-requests.status-200", None, false),
            ("errors.status-member-equals-status", None, false),
        ] {
            assert_eq!(is_noticed(id, verdict.as_ref()), expected, "{id} {verdict:?}");
        }
    }
}
