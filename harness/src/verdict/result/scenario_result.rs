//! The results of scenarios and their steps.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CheckResult, KnownFailure, TextMap};
use crate::exchange::{AnswerSight, Exchange};
use crate::scenario::model::Location;
use crate::scenario::plan::PlanEntry;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::{NotRun, Verdict};

/// The result of a step.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepResult {
    pub name: StepName,
    /// The worst verdict of its checks.
    pub verdict: Verdict,
    /// Real time.
    pub duration: Duration,
    /// In order.
    #[serde(skip)]
    pub exchanges: Vec<Arc<Exchange>>,
    /// The indexes of the exchanges of the control.
    #[serde(skip)]
    pub control: Range<usize>,
    /// The deliveries that it received.
    #[serde(skip)]
    pub deliveries: Vec<Value>,
    /// The checks, without those in `passed`.
    pub checks: Vec<CheckResult>,
    /// The number of passed checks that are not in `checks`, because no report of the run lists them.
    pub passed: usize,
}

/// The result of a scenario, or of one row of it. Its JSON is used in part files, which have the
/// exchanges elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioResult {
    pub name: ScenarioName,
    pub title: String,
    /// The clause of the specification.
    pub section: String,
    /// The worst verdict of its steps, or `not run`.
    pub verdict: Verdict,
    /// The reason why it was not run, or not to its end.
    pub not_run: Option<NotRun>,
    /// The known failure that explains why it was not run.
    #[serde(skip)]
    pub known: Option<KnownFailure>,
    /// Real time.
    pub duration: Duration,
    /// The place in the scenario file.
    pub at: Location,
    /// In order.
    pub steps: Vec<StepResult>,
    /// Observed answers to open questions, in order.
    pub answers: Vec<AnswerSight>,
}

impl StepResult {
    /// A step with these checks. It has no exchange and took no time.
    pub fn new(name: StepName, checks: Vec<CheckResult>) -> Self {
        Self {
            name,
            verdict: Verdict::worst(checks.iter().map(|check| check.verdict)),
            checks,
            ..Self::default()
        }
    }
}

impl ScenarioResult {
    /// The empty result of a scenario, or of a row with this name.
    pub fn new(planned: PlanEntry<'_>, name: &ScenarioName) -> Self {
        Self {
            name: name.clone(),
            title: planned.scenario.title.clone(),
            section: planned.file.section.clone(),
            verdict: Verdict::NotApplicable,
            not_run: None,
            known: None,
            duration: Duration::ZERO,
            at: planned.scenario.at.clone(),
            steps: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// All checks that the result keeps one by one.
    pub fn checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.steps.iter().flat_map(|step| &step.checks)
    }

    /// All exchanges of its steps, in order.
    pub fn exchanges(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.steps.iter().flat_map(|step| &step.exchanges)
    }

    /// Rewrites every text that may have text of the target in it.
    pub fn map_texts(&mut self, map: &impl TextMap) {
        self.name = self.name.map(|text| map.line(text));
        if let Some(not_run) = &mut self.not_run {
            not_run.reason = map.line(&not_run.reason);
            not_run.setting = not_run.setting.take().map(|setting| map.line(&setting));
        }
        if let Some(known) = &mut self.known {
            known.map_texts(map);
        }
        for step in &mut self.steps {
            step.name = step.name.map(|text| map.line(text));
            step.checks.iter_mut().for_each(|check| check.map_texts(map));
        }
    }
}

/// The duration in seconds, rounded to a tenth of a millisecond.
pub(crate) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10_000.0
}
