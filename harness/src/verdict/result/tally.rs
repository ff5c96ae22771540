//! Compares the verdicts of repeated runs.

use std::collections::BTreeMap;

use super::RunResult;
use crate::verdict::{Verdict, pluralize};

/// The largest number of differences in the text.
const NAMED_MAX: usize = 20;

/// The number of runs in which each check and each scenario had each verdict.
#[derive(Debug, Default)]
pub struct Tally {
    runs: u32,
    seen: BTreeMap<String, BTreeMap<Verdict, u32>>,
}

impl Tally {
    /// Counts the verdicts of another run.
    pub fn add(&mut self, result: &RunResult) {
        let mut worst: BTreeMap<String, Verdict> = BTreeMap::new();
        let own = result.scenarios.iter().map(|it| (it.name.to_string(), it.verdict));
        let checks = result.scenarios.iter().flat_map(|it| &it.steps).flat_map(|it| &it.checks);
        for (id, verdict) in own.chain(checks.map(|it| (it.id(), it.verdict))) {
            let known = worst.entry(id).or_insert(verdict);
            *known = verdict.max(*known);
        }
        self.add_verdicts(worst.into_iter());
    }

    fn add_verdicts(&mut self, verdicts: impl Iterator<Item = (impl Into<String>, Verdict)>) {
        self.runs += 1;
        for (id, verdict) in verdicts {
            *self.seen.entry(id.into()).or_default().entry(verdict).or_default() += 1;
        }
    }

    /// The verdicts that were not the same in all runs, as a few lines. `None` if all were the same.
    pub fn difference(&self) -> Option<String> {
        let differing: Vec<String> =
            self.seen.iter().filter_map(|(id, verdicts)| self.line(id, verdicts)).collect();
        if differing.is_empty() {
            return None;
        }
        let mut lines = vec![format!(
            "{} differed between {} runs:",
            pluralize(differing.len(), "verdict"),
            self.runs
        )];
        lines.extend(differing.iter().take(NAMED_MAX).cloned());
        if differing.len() > NAMED_MAX {
            lines.push(format!("and {} more", differing.len() - NAMED_MAX));
        }
        Some(lines.join("\n"))
    }

    fn line(&self, id: &str, verdicts: &BTreeMap<Verdict, u32>) -> Option<String> {
        let present: u32 = verdicts.values().sum();
        if verdicts.len() == 1 && present == self.runs {
            return None;
        }
        let mut counts: Vec<String> =
            verdicts.iter().map(|(verdict, runs)| format!("{} {runs}", verdict.as_str())).collect();
        if present < self.runs {
            counts.push(format!("absent {}", self.runs - present));
        }
        Some(format!("{id}: {}", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::verdict::Verdict;

    #[test]
    fn a_difference_has_the_count_of_each_verdict() {
        let mut tally = Tally::default();
        for second in [Verdict::Pass, Verdict::Fail, Verdict::Pass] {
            tally.add_verdicts([("a", Verdict::Pass), ("b", second)].into_iter());
        }
        let expected = "1 verdict differed between 3 runs:\nb: pass 2, fail 1";
        assert_eq!(tally.difference().as_deref(), Some(expected));
    }

    #[test]
    fn a_check_that_a_run_does_not_have_differs() {
        let mut tally = Tally::default();
        tally.add_verdicts([("a", Verdict::Pass)].into_iter());
        assert_eq!(tally.difference(), None);
        tally.add_verdicts([("a", Verdict::Pass); 0].into_iter());
        assert_eq!(tally.difference().map(|it| it.contains("a: pass 1, absent 1")), Some(true));
    }
}
