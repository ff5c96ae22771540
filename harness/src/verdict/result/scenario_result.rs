//! The results of scenarios and their steps.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CheckResult, KnownFailure, TextMap};
use crate::exchange::{AnswerSight, Exchange};
use crate::scenario::model::Location;
use crate::scenario::plan::{self, Planned};
use crate::verdict::{NotRun, Verdict};

/// One step that was run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepResult {
    /// Its name.
    pub name: String,
    /// The worst of its checks.
    pub verdict: Verdict,
    /// Real time.
    pub duration: Duration,
    /// All that was sent, in order.
    #[serde(skip)]
    pub exchanges: Vec<Arc<Exchange>>,
    /// All that was judged, but for those of `passed`.
    pub checks: Vec<CheckResult>,
    /// Checks that passed and were not kept one by one: no report of the run lists them.
    pub passed: usize,
}

/// One scenario (one row of it). Its JSON is that of a part file, which has the exchanges elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioResult {
    /// `04_05_create_legal_request/from-schema[row]`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The clause.
    pub section: String,
    /// The worst of its steps, or `not run`.
    pub verdict: Verdict,
    /// Why it was not run, or not to its end.
    pub not_run: Option<NotRun>,
    /// The known failure by which it was not run.
    #[serde(skip)]
    pub known: Option<KnownFailure>,
    /// Real time.
    pub duration: Duration,
    /// Its place in the scenario file.
    pub at: Location,
    /// In order.
    pub steps: Vec<StepResult>,
    /// Answers to open questions, in the order in which they were seen.
    pub answers: Vec<AnswerSight>,
}

impl ScenarioResult {
    /// The result of a scenario, or of a row of this name, that was not walked yet.
    pub fn new(planned: Planned<'_>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
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

    /// All its checks that were kept.
    pub fn checks(&self) -> impl Iterator<Item = &CheckResult> {
        self.steps.iter().flat_map(|step| &step.checks)
    }

    /// Its name without the brackets of its row.
    pub fn without_row(&self) -> &str {
        plan::without_row(&self.name)
    }

    /// Rewrites every text that may hold what the target sent.
    pub fn map_texts(&mut self, map: &impl TextMap) {
        self.name = map.line(&self.name);
        if let Some(not_run) = &mut self.not_run {
            not_run.reason = map.line(&not_run.reason);
            not_run.setting = not_run.setting.take().map(|setting| map.line(&setting));
        }
        if let Some(known) = &mut self.known {
            known.map_texts(map);
        }
        for step in &mut self.steps {
            step.name = map.line(&step.name);
            step.checks.iter_mut().for_each(|check| check.map_texts(map));
        }
    }
}

/// Seconds, to a tenth of a millisecond.
pub(crate) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10_000.0
}
