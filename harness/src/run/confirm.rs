//! Runs a row of a scenario, and runs it again if the scenario has `confirm` and failed on a deployment. Then a
//! failure counts only if it shows twice and the data did not move meanwhile.

use std::time::Duration;

use crate::verdict::result::{CheckResult, ScenarioResult, Subject};
use crate::verdict::{NotRunKind, Verdict};

use super::read_only;
use super::repeatable_row::RepeatableRow;

/// Pauses before each further pass of a scenario that only reads, in times of `limits.settle_seconds`. Requests that
/// the run created may move by themselves for a while.
pub(super) const PAUSES: [u32; 4] = [0, 1, 2, 4];

/// Runs one row.
pub(super) async fn run(row: RepeatableRow<'_>) -> ScenarioResult {
    let RepeatableRow { shared, planned, name, .. } = row;
    if !planned.scenario.confirm || shared.target.is_mock() {
        return row.run().await;
    }
    // Lists may still change because of earlier scenarios.
    shared.target.pause(shared.changes.rest_of_lag()).await;
    let changes = !read_only::only_reads(planned.scenario);
    let settle = shared.target.settle;
    let may_lag = !changes && !shared.changes.rest_since_change(settle).is_zero();
    let mut first = row.run().await;
    if first.verdict == Verdict::Fail
        && shared.target.repeats_first_pass(&name.to_string(), may_lag)
    {
        // Lists may have shown earlier changes during this pass. It is repeated when they had the time for it.
        shared.target.pause(shared.changes.rest_since_change(settle)).await;
        first = row.run().await;
    }
    match first.verdict {
        Verdict::Fail if changes => repeat_change(row, first).await,
        Verdict::Fail => repeat_reading(row, first, settle).await,
        _ => first,
    }
}

/// Repeats a failed scenario that only reads. While the data move, no failure counts, but a pass does.
async fn repeat_reading(
    row: RepeatableRow<'_>,
    first: ScenarioResult,
    settle: Duration,
) -> ScenarioResult {
    let mut has_moved = false;
    let mut latest = None;
    for pause in PAUSES {
        row.shared.target.pause(settle.saturating_mul(pause)).await;
        let before = row.look().await;
        let pass = row.run().await;
        let after = row.look().await;
        let moves = before.differs(&after);
        has_moved |= moves;
        let fails = pass.verdict == Verdict::Fail;
        if fails && !moves {
            return failed_in_both(&first, pass);
        }
        if !fails && failures(&first).any(CheckResult::is_implicit) {
            // It judged one response for itself, so movement does not explain it.
            return not_repeated(first);
        }
        if !fails && has_moved {
            return pass;
        }
        if !fails {
            // The data may move more slowly than they are read.
            row.shared.target.pause(settle).await;
            if !after.differs(&row.look().await) {
                return not_repeated(first);
            }
            has_moved = true;
        }
        latest = Some(pass);
    }
    let why = "the data changed each time that they were judged";
    unconfirmed(latest.unwrap_or(first), why, |_| true)
}

/// Passes of a failed scenario that changes data.
pub(super) const CHANGE_PASSES: u64 = 3;

/// Repeats a failed scenario that changes data. No other scenario runs meanwhile. After each further pass the data are
/// looked at twice, with the duration of the pass between the looks: so the changes of the scenario itself do not count
/// as movement. Others may have moved the data before, so the last pass counts.
async fn repeat_change(row: RepeatableRow<'_>, first: ScenarioResult) -> ScenarioResult {
    let mut last = row.run().await;
    for passes in 2..=CHANGE_PASSES {
        if last.verdict != Verdict::Fail {
            return not_repeated(first);
        }
        let before = row.look().await;
        row.shared.target.pause(last.duration).await;
        if before.differs(&row.look().await) {
            return unconfirmed(last, "the data changed while they were judged", |_| true);
        }
        if passes < CHANGE_PASSES {
            last = row.run().await;
        }
    }
    failed_in_both(&first, last)
}

fn not_repeated(first: ScenarioResult) -> ScenarioResult {
    unconfirmed(first, "did not show in a further pass, data changed", |_| true)
}

/// The last pass, in which a check that did not fail in the first pass is not run.
fn failed_in_both(first: &ScenarioResult, last: ScenarioResult) -> ScenarioResult {
    let failed_first: Vec<Subject> = failures(first).map(|check| check.subject.clone()).collect();
    let only_now = |check: &CheckResult| !failed_first.contains(&check.subject);
    unconfirmed(last, "did not show in the first pass, data changed", only_now)
}

fn failures(result: &ScenarioResult) -> impl Iterator<Item = &CheckResult> {
    let checks = result.steps.iter().flat_map(|step| &step.checks);
    checks.filter(|check| check.verdict == Verdict::Fail)
}

/// Sets failures that prove nothing to "not run": those for which `is_doubtful` holds.
fn unconfirmed(
    mut result: ScenarioResult,
    why: &str,
    is_doubtful: impl Fn(&CheckResult) -> bool,
) -> ScenarioResult {
    for step in &mut result.steps {
        for check in &mut step.checks {
            if check.verdict == Verdict::Fail && is_doubtful(check) {
                check.verdict = Verdict::NotRun;
                check.not_run = Some(NotRunKind::DataChanged);
                check.message = format!("{why}: {}", check.message);
            }
        }
        step.verdict = Verdict::worst(step.checks.iter().map(|check| check.verdict));
    }
    result.verdict = Verdict::worst(result.steps.iter().map(|step| step.verdict));
    result
}
