//! A step that waits for deliveries, or for their absence.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::DeliveryReceiver;
use crate::scenario::model::ReceiveStep;
use crate::verdict::NotRunKind;
use crate::verdict::check::Document;

use super::judge;
use super::scenario_run::ScenarioRun;
use super::stop::Stop;

/// The longest wait for the absence of deliveries on a deployment, whose clock is not moved. A later delivery is
/// missed.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// The longest wait for a delivery if an earlier wait took its whole time, and none ever came.
const WAIT_WITHOUT_DELIVERIES_MAX: Duration = Duration::from_secs(15);

/// The time between two looks at a receiver.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The real time that a delivery may need on a sandbox after its clock was moved.
const REAL_TIME_MAX: Duration = Duration::from_secs(2);

pub(super) async fn run(run: &mut ScenarioRun<'_>, step: &ReceiveStep) -> Result<(), Stop> {
    let deliveries = deliveries(run, step).await?;
    let about = Some(format!("at the receiver `{}`", step.wait.receiver));
    let value = json!({ "deliveries": deliveries });
    let document = Document { about, ..Document::of_value(value) };
    run.record.deliveries = deliveries;
    if let Some(require) = &step.require {
        judge::holds(run, require, &document, NotRunKind::Precondition)?;
    }
    run.capture(&step.capture, &document);
    let mut checks = judge::checks(run, &step.expect, &document);
    checks.extend(judge::observations(run, &step.observe, &document));
    run.record.checks.extend(checks);
    Ok(())
}

/// New deliveries to the receiver of the step; in a replay the recorded ones.
async fn deliveries(run: &mut ScenarioRun<'_>, step: &ReceiveStep) -> Result<Vec<Value>, Stop> {
    let key = format!("deliveries {}", step.wait.receiver);
    if let Some(recorded) = run.session.recording.outcome(&key) {
        return Ok(recorded?.as_array().cloned().unwrap_or_default());
    }
    let mark = run.session.recording.mark();
    let deliveries = match step.wait.none_for {
        Some(duration) => none_for(run, step, duration).await?,
        None => at_least(run, step).await?,
    };
    run.session.recording.keep_since(mark, key, json!(deliveries));
    Ok(deliveries)
}

/// Deliveries that no earlier step has taken.
fn fresh(run: &ScenarioRun<'_>, step: &ReceiveStep) -> Vec<Value> {
    let receiver = run.receivers.get(&step.wait.receiver);
    receiver.map(DeliveryReceiver::take_deliveries).unwrap_or_default()
}

async fn at_least(run: &mut ScenarioRun<'_>, step: &ReceiveStep) -> Result<Vec<Value>, Stop> {
    let wanted = usize::try_from(step.wait.at_least).unwrap_or(usize::MAX);
    let mut within = at_most(run, step.wait.within);
    if !run.session.has_admin() && *run.shared.delivery_came.lock() == Some(false) {
        within = within.min(WAIT_WITHOUT_DELIVERIES_MAX);
    }
    let started = Instant::now();
    let (mut deliveries, mut moved) = (Vec::new(), Duration::ZERO);
    loop {
        deliveries.extend(fresh(run, step));
        let is_over = if run.session.has_admin() {
            moved >= within && started.elapsed() >= REAL_TIME_MAX
        } else {
            started.elapsed() >= within
        };
        // The checks of this step report missing deliveries.
        if is_over || deliveries.len() >= wanted {
            let mut came = run.shared.delivery_came.lock();
            *came = Some(*came == Some(true) || !deliveries.is_empty());
            return Ok(deliveries);
        }
        if run.session.has_admin() && moved < within {
            run.wait(Duration::from_secs(1)).await?;
            moved += Duration::from_secs(1);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// The wait of a step, or the shorter one that this target needs.
fn at_most(run: &ScenarioRun<'_>, wait: Duration) -> Duration {
    run.shared.target.delivery_wait_max.map_or(wait, |most| wait.min(most))
}

async fn none_for(
    run: &mut ScenarioRun<'_>,
    step: &ReceiveStep,
    duration: Duration,
) -> Result<Vec<Value>, Stop> {
    let is_moved = run.session.has_admin();
    run.wait(if is_moved { duration } else { at_most(run, duration.min(SILENCE_MAX)) }).await?;
    if is_moved {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(fresh(run, step))
}
