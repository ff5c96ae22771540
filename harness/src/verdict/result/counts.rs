//! Counts of checks or scenarios by verdict.

use serde::Serialize;

use super::{CheckResult, ScenarioResult};
use crate::verdict::Verdict;

/// Counts of checks or scenarios by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub total: usize,
    pub error: usize,
    pub fail: usize,
    pub drift: usize,
    pub not_run: usize,
    pub warn: usize,
    pub observed: usize,
    pub pass: usize,
    pub not_applicable: usize,
    /// Known failures. They are not counted by their verdict.
    pub expected: usize,
}

impl Counts {
    /// Counts the checks of these scenarios. A scenario without checks counts as one check.
    pub fn of_checks<'a>(scenarios: impl IntoIterator<Item = &'a ScenarioResult>) -> Self {
        let mut counts = Self::default();
        for scenario in scenarios {
            let passed: usize = scenario.steps.iter().map(|step| step.passed).sum();
            counts.total += passed;
            counts.pass += passed;
            let has_checks = passed > 0 || scenario.checks().next().is_some();
            let is_not_run = |check: &CheckResult| check.verdict == Verdict::NotRun;
            if !has_checks {
                counts.add(scenario.verdict, scenario.known.is_some());
            } else if scenario.not_run.is_some() && !scenario.checks().any(is_not_run) {
                // All its checks were judged, but it stopped before its end.
                counts.add(Verdict::NotRun, false);
            }
            for check in scenario.checks() {
                counts.add(check.verdict, check.known.is_some());
            }
        }
        counts
    }

    /// Counts the scenarios themselves.
    pub fn of_scenarios<'a>(scenarios: impl IntoIterator<Item = &'a ScenarioResult>) -> Self {
        let mut counts = Self::default();
        scenarios.into_iter().for_each(|scenario| counts.add(scenario.verdict, false));
        counts
    }

    /// The count of this verdict.
    pub const fn of(mut self, verdict: Verdict) -> usize {
        *self.count(verdict)
    }

    fn add(&mut self, verdict: Verdict, is_known: bool) {
        self.total += 1;
        *if is_known { &mut self.expected } else { self.count(verdict) } += 1;
    }

    const fn count(&mut self, verdict: Verdict) -> &mut usize {
        match verdict {
            Verdict::Error => &mut self.error,
            Verdict::Fail => &mut self.fail,
            Verdict::Drift => &mut self.drift,
            Verdict::NotRun => &mut self.not_run,
            Verdict::Warn => &mut self.warn,
            Verdict::Observed => &mut self.observed,
            Verdict::Pass => &mut self.pass,
            Verdict::NotApplicable => &mut self.not_applicable,
        }
    }
}
