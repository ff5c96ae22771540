//! How many checks or scenarios got each verdict.

use serde::Serialize;

use crate::verdict::Verdict;

/// How many of each verdict.
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
    /// Known failures: of no other verdict, whatever they are.
    pub expected: usize,
}

impl Counts {
    /// One more.
    pub fn add(&mut self, verdict: Verdict) {
        self.total += 1;
        *match verdict {
            Verdict::Error => &mut self.error,
            Verdict::Fail => &mut self.fail,
            Verdict::Drift => &mut self.drift,
            Verdict::NotRun => &mut self.not_run,
            Verdict::Warn => &mut self.warn,
            Verdict::Observed => &mut self.observed,
            Verdict::Pass => &mut self.pass,
            Verdict::NotApplicable => &mut self.not_applicable,
        } += 1;
    }

    /// So many more that passed.
    pub fn add_passed(&mut self, passed: usize) {
        self.total += passed;
        self.pass += passed;
    }

    /// One more known failure.
    pub fn add_expected(&mut self) {
        self.total += 1;
        self.expected += 1;
    }

    /// How many of this verdict.
    pub const fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Error => self.error,
            Verdict::Fail => self.fail,
            Verdict::Drift => self.drift,
            Verdict::NotRun => self.not_run,
            Verdict::Warn => self.warn,
            Verdict::Observed => self.observed,
            Verdict::Pass => self.pass,
            Verdict::NotApplicable => self.not_applicable,
        }
    }
}
