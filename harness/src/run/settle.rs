//! Lists that lag. A list may show a change later than the call that made it. It is read again, with growing pauses,
//! until the checks of the step hold or `limits.settle_seconds` are over.
//!
//! This applies to every step that reads a list after a change, so the scenario language has no key for it.

use std::time::Duration;

use serde_json::Value;

use crate::scenario::model::{Claim, RequestStep};
use crate::verdict::Verdict;
use crate::verdict::check::{self, Document, Judgement};
use crate::verdict::result::CheckResult;

use super::judge;
use super::scenario_run::ScenarioRun;
use super::stop::Stop;

/// The question that a lag answers. Every step that reads a list may observe it.
pub const LIST_LAG: &str = "list_lag";

/// One step that reads a list until the list settles.
pub(super) struct ListLag {
    /// The number of checks of the step before its list was read.
    mark: usize,
    repeats: u64,
    /// In a replay, the repeats of the recording that are left.
    repeats_recorded: Option<u64>,
}

impl ListLag {
    pub(super) fn new(run: &ScenarioRun<'_>, mark: usize) -> Self {
        // A recording has no value if the list was read once.
        let recorded = run.session.recording.outcome(&key(run));
        let repeats_recorded =
            recorded.map(|repeats| repeats.ok().and_then(|repeats| repeats.as_u64()).unwrap_or(0));
        Self { mark, repeats: 0, repeats_recorded }
    }

    /// Waits until the list is to be read again, and drops the checks of its pages. Returns `false` if this response
    /// is the last one. Then a lag is recorded.
    pub(super) async fn wait(
        &mut self,
        run: &mut ScenarioRun<'_>,
        step: &RequestStep,
        document: &Document,
    ) -> Result<bool, Stop> {
        let judged = judge::checks(run, &step.expect, document);
        let is_settled = self.is_settled(run, step, document, &judged);
        // A lag does not explain a list that the target should have refused.
        let is_wrongly_given = matches!(document.status, Some(200..=299))
            && judged.iter().any(|check| is_failed(check) && check.is_of_status());
        if !is_settled
            && !is_wrongly_given
            && let Some(pause) = self.pause(run)
        {
            run.wait(pause).await?;
            self.repeats += 1;
            run.drop_explicit_checks(self.mark);
            return Ok(true);
        }
        if self.repeats > 0 {
            run.session.recording.keep(key(run), &Ok(self.repeats.into()));
            if is_settled {
                observe_lag(run, document);
            }
        }
        Ok(false)
    }

    /// The pause before the next read; `None` if there is none.
    fn pause(&mut self, run: &mut ScenarioRun<'_>) -> Option<Duration> {
        match &mut self.repeats_recorded {
            Some(0) => None,
            Some(left) => {
                *left -= 1;
                Some(Duration::ZERO)
            }
            None => run.settle_time.pause(run.session.has_admin()),
        }
    }

    /// Whether no precondition and no check of the step or of its pages fails. `judged` are the checks of the step.
    fn is_settled(
        &self,
        run: &ScenarioRun<'_>,
        step: &RequestStep,
        document: &Document,
        judged: &[CheckResult],
    ) -> bool {
        let is_met = |require: &Vec<Claim>| {
            let judgement = check::expectation::judge(require, document, &run.names);
            !matches!(judgement, Judgement::Fails(_))
        };
        let of_pages = run.record.checks[self.mark..].iter().filter(|check| !check.is_implicit());
        step.require.as_ref().is_none_or(is_met) && !judged.iter().chain(of_pages).any(is_failed)
    }
}

/// Records the time that the list took, and observes it as an answer. A replay does not wait, so it takes the recorded
/// time; older recordings have none.
fn observe_lag(run: &mut ScenarioRun<'_>, document: &Document) {
    let lag = run.settle_time.waited;
    run.shared.changes.note_lag(lag);
    let seconds = Value::from(lag.as_millis().div_ceil(1000) as u64);
    let key = format!("lag of {}", run.label);
    let observed = match run.session.recording.outcome(&key) {
        Some(recorded) => recorded,
        None => Ok(seconds),
    };
    run.session.recording.keep(key, &observed);
    if let Ok(seconds) = observed {
        let check = judge::answer(run, LIST_LAG, seconds, document);
        run.record.checks.push(check);
    }
}

fn is_failed(check: &CheckResult) -> bool {
    check.verdict == Verdict::Fail
}

/// The key of the repeats in a recording.
fn key(run: &ScenarioRun<'_>) -> String {
    format!("repeats of {}", run.label)
}
