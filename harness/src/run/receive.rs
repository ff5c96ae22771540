//! A step that waits for deliveries, or for their absence.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::DeliveryReceiver;
use crate::scenario::model::{ReceiveStep, ReceiveUntil};
use crate::verdict::NotRunKind;
use crate::verdict::check::Document;

use super::scenario_walk::ScenarioWalk;
use super::stop::Stop;
use super::{observe, send};

/// On a deployment no clock is moved: the absence of deliveries is watched for so long at most. A later one is
/// not seen.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// How often a receiver is asked while real time passes.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Real time that a delivery may take on a sandbox after its clock was moved.
const REAL_TIME_MAX: Duration = Duration::from_secs(2);

pub(super) async fn walk(walk: &mut ScenarioWalk<'_>, step: &ReceiveStep) -> Result<(), Stop> {
    let deliveries = seen(walk, step).await?;
    let document = Document::of_value(json!({ "deliveries": deliveries }));
    if let Some(require) = &step.require {
        send::holds(walk, require, &document, NotRunKind::Precondition)?;
    }
    walk.capture(&step.capture, &document);
    let mut checks = walk.judge(&step.expect, &document, None);
    checks.extend(observe::observe(walk, &step.observe, &document, None));
    walk.record.checks.extend(checks);
    Ok(())
}

/// What comes, or what came when it was recorded.
async fn seen(walk: &mut ScenarioWalk<'_>, step: &ReceiveStep) -> Result<Vec<Value>, Stop> {
    let key = format!("deliveries {}", step.wait.receiver);
    if let Some(recorded) = walk.session.recorded(&key) {
        return Ok(recorded?.as_array().cloned().unwrap_or_default());
    }
    let mark = walk.session.mark();
    let deliveries = match step.wait.until {
        ReceiveUntil::AtLeast(count, within) => at_least(walk, step, count, within).await?,
        ReceiveUntil::NoneFor(duration) => none_for(walk, step, duration).await?,
    };
    walk.session.keep_since(mark, key, json!(deliveries));
    Ok(deliveries)
}

/// Deliveries since the receiver was last asked.
fn fresh(walk: &ScenarioWalk<'_>, receiver: &str) -> Vec<Value> {
    let all = walk.receivers.get(receiver).map(DeliveryReceiver::deliveries).unwrap_or_default();
    let seen = walk.seen_deliveries.get(receiver).copied().unwrap_or(0);
    all.into_iter().skip(seen).collect()
}

fn mark_seen(walk: &mut ScenarioWalk<'_>, receiver: &str, count: usize) {
    *walk.seen_deliveries.entry(receiver.to_owned()).or_insert(0) += count;
}

async fn at_least(
    walk: &mut ScenarioWalk<'_>,
    step: &ReceiveStep,
    count: u32,
    within: Duration,
) -> Result<Vec<Value>, Stop> {
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    let within = at_most(walk, within);
    let begun = Instant::now();
    let mut moved = Duration::ZERO;
    loop {
        let deliveries = fresh(walk, &step.wait.receiver);
        if deliveries.len() >= wanted {
            mark_seen(walk, &step.wait.receiver, deliveries.len());
            return Ok(deliveries);
        }
        let is_over = if walk.session.has_admin() {
            moved >= within && begun.elapsed() >= REAL_TIME_MAX
        } else {
            begun.elapsed() >= within
        };
        if is_over {
            // What did not come is for the checks of this step to say.
            mark_seen(walk, &step.wait.receiver, deliveries.len());
            return Ok(deliveries);
        }
        if walk.session.has_admin() && moved < within {
            send::wait(walk, Duration::from_secs(1)).await?;
            moved += Duration::from_secs(1);
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// The wait that a step asks for, unless the target needs less.
fn at_most(walk: &ScenarioWalk<'_>, asked: Duration) -> Duration {
    match walk.shared.target.limits.delivery_wait_max {
        Some(most) => asked.min(most),
        None => asked,
    }
}

async fn none_for(
    walk: &mut ScenarioWalk<'_>,
    step: &ReceiveStep,
    duration: Duration,
) -> Result<Vec<Value>, Stop> {
    let is_moved = walk.session.has_admin();
    send::wait(walk, if is_moved { duration } else { at_most(walk, duration.min(SILENCE_MAX)) })
        .await?;
    if is_moved {
        tokio::time::sleep(ASK_EVERY).await;
    }
    let deliveries = fresh(walk, &step.wait.receiver);
    mark_seen(walk, &step.wait.receiver, deliveries.len());
    Ok(deliveries)
}
