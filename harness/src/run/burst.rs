//! A burst step: many calls, at once or evenly spaced, and the document that sums up the responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::contract::{RATE_WINDOW_SECONDS, REQUESTS_PER_MINUTE_MAX, Scopes};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::ClientRequest;
use crate::client::deployment_rules::is_limited;
use crate::client::request::bearer;
use crate::exchange::{Exchange, ReceivedResponse, date_seconds};
use crate::scenario::model::{BurstStep, Rhythm};
use crate::verdict::check::Document;
use crate::verdict::{NotRunKind, Verdict};

use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{judge, prepare, send};

/// The number of evenly spaced calls in flight, including those that wait for their time.
const SPACED_IN_FLIGHT_MAX: usize = 64;

pub(super) async fn run(run: &mut ScenarioRun<'_>, step: &BurstStep) -> Result<(), Stop> {
    run.views().mark_outdated();
    let mut calls = calls(run, step).await?;
    if !step.plan.is_few() {
        if run.session.replaced_tokens(&calls).await {
            calls = self::calls(run, step).await?;
        }
        run.session.room_for_burst(step.plan.calls, step.plan.rhythm).await;
    }
    let mut all: Vec<Arc<Exchange>> = match run.session.recorded_burst(&calls[0]) {
        Some(recorded) => recorded?.into_iter().map(Arc::new).collect(),
        None => send_all(run, step, &calls).await?,
    };
    all.sort_by_key(|exchange| exchange.number);
    run.note_change();
    for exchange in &all {
        run.shared.changes.note_effect(exchange);
    }
    if let Some(trouble) = all.iter().find_map(|exchange| exchange.outcome.as_ref().err()) {
        return Err(Stop::from(trouble.clone()));
    }
    judge_all(run, step, &all)?;
    // The step keeps one exchange of each status.
    let mut statuses = Vec::new();
    for exchange in all {
        let status = exchange.outcome.as_ref().map_or(0, |response| response.status);
        if !statuses.contains(&status) {
            statuses.push(status);
            judge::record(run, &exchange);
        }
    }
    Ok(())
}

/// The calls of the step. This also gets the tokens, so that their requests are not among the calls.
async fn calls(run: &ScenarioRun<'_>, step: &BurstStep) -> Result<Vec<ClientRequest>, Stop> {
    let mut prepared = Vec::new();
    for shape in step.shapes() {
        prepared.push(prepare::request(run, &shape).await?);
    }
    with_other_tokens(run, step, prepared).await
}

/// Applications that share a burst with `main`. With three of them, 1,500 calls are at most 600 (§8) for each.
const OTHER_APPLICATIONS: [&str; 2] = ["reader", "other_company"];

/// These calls. With `each_application` the same calls follow with the tokens of other applications.
async fn with_other_tokens(
    run: &ScenarioRun<'_>,
    step: &BurstStep,
    own: Vec<ClientRequest>,
) -> Result<Vec<ClientRequest>, Stop> {
    let mut calls = own.clone();
    for application in OTHER_APPLICATIONS.into_iter().filter(|_| step.plan.each_application) {
        if run.names.get(&["target".to_owned(), application.to_owned()]).is_none() {
            continue;
        }
        let token = run.session.token(application, Scopes::READ, false).await?;
        for mut call in own.iter().cloned() {
            call.headers.retain(|(name, _)| name != "authorization");
            call.headers.push(bearer(&token));
            application.clone_into(&mut call.application);
            calls.push(call);
        }
    }
    Ok(calls)
}

/// Sends all calls in the rhythm of the step.
async fn send_all(
    run: &ScenarioRun<'_>,
    step: &BurstStep,
    calls: &[ClientRequest],
) -> Result<Vec<Arc<Exchange>>, Stop> {
    let mark = run.session.recording.mark();
    let all = match step.plan.rhythm {
        Rhythm::Over(time) if run.session.has_admin() => {
            send_by_clock(run, step, &calls[0], time).await?
        }
        Rhythm::InFlight(_) => send_at_once(run, step, calls).await,
        Rhythm::Over(_) => send_at_once(run, step, &calls[..1]).await,
    };
    run.session.keep_burst(mark, &calls[0], all.iter().map(|exchange| &**exchange));
    Ok(all)
}

/// Whether the burst ends with this exchange.
fn is_last(step: &BurstStep, exchange: &Exchange) -> bool {
    match &exchange.outcome {
        Ok(response) => step.plan.stop_on.contains(&response.status),
        Err(_) => true,
    }
}

/// Sends calls at the same time: as fast as they are answered, or evenly spaced in real time. Then a slow response does
/// not delay the next call.
async fn send_at_once(
    run: &ScenarioRun<'_>,
    step: &BurstStep,
    calls: &[ClientRequest],
) -> Vec<Arc<Exchange>> {
    let (plan, session) = (&step.plan, run.session);
    let started = Instant::now();
    let is_over = &AtomicBool::new(false);
    let at_once = match plan.rhythm {
        Rhythm::InFlight(at_once) => at_once.max(1) as usize,
        Rhythm::Over(_) => SPACED_IN_FLIGHT_MAX,
    };
    let sent = (0..plan.calls).map(|number| async move {
        if let Rhythm::Over(time) = plan.rhythm {
            tokio::time::sleep_until(started + time_of(number, plan.calls, time)).await;
        }
        if is_over.load(Ordering::Relaxed) {
            return None;
        }
        let call = calls[number as usize % calls.len()].clone();
        let burst = (!plan.is_few()).then_some(plan.rhythm);
        let exchange = session.send_in_rhythm(call, burst).await;
        if is_last(step, &exchange) {
            is_over.store(true, Ordering::Relaxed);
        }
        Some(Arc::new(exchange))
    });
    let sent: Vec<_> = stream::iter(sent).buffer_unordered(at_once).collect().await;
    sent.into_iter().flatten().collect()
}

/// Spaces the calls evenly on a sandbox, and moves its clock by whole seconds between them.
async fn send_by_clock(
    run: &ScenarioRun<'_>,
    step: &BurstStep,
    prepared: &ClientRequest,
    time: Duration,
) -> Result<Vec<Arc<Exchange>>, Stop> {
    let mut all = Vec::new();
    let mut moved = Duration::ZERO;
    for number in 0..step.plan.calls {
        let due = Duration::from_secs(time_of(number, step.plan.calls, time).as_secs());
        if due > moved {
            run.wait(due - moved).await?;
            moved = due;
        }
        let exchange = run.session.send_in_rhythm(prepared.clone(), Some(step.plan.rhythm)).await;
        let is_last = is_last(step, &exchange);
        all.push(Arc::new(exchange));
        if is_last {
            break;
        }
    }
    Ok(all)
}

/// The time of this call after the first call.
fn time_of(number: u32, calls: u32, time: Duration) -> Duration {
    time * number / calls.max(1)
}

fn judge_all(
    run: &mut ScenarioRun<'_>,
    step: &BurstStep,
    all: &[Arc<Exchange>],
) -> Result<(), Stop> {
    let mut summary = summary(all);
    let is_beyond_limit = step.plan.calls > REQUESTS_PER_MINUTE_MAX;
    let times: Vec<i64> = all.iter().map(|exchange| seconds_of(exchange)).collect();
    if is_beyond_limit && summary["refused"] == 0 && !is_within_a_minute(&times) {
        let reason =
            format!("none of {} calls was refused, but they took over a minute", all.len());
        return Err(Stop::NotApplicable(reason));
    }
    if step.plan.is_few() {
        summary["answers"] = all.iter().map(|exchange| response_of(exchange)).collect();
    }
    let refused = all.iter().find(|exchange| is_limited(&exchange.outcome));
    let exchange = refused.or_else(|| all.last()).cloned();
    let about = Some(format!("of {} calls in a burst", summary["sent"]));
    let document = Document { about, exchange, ..Document::of_value(summary) };
    run.capture(&step.capture, &document);
    let mut checks = judge::checks(run, &step.expect, &document);
    let lost = all.iter().filter(|exchange| is_lost(exchange)).count();
    if lost > 0
        && !run.shared.target.is_mock()
        && checks.iter().any(|check| check.verdict == Verdict::Fail)
    {
        let reason =
            format!("{lost} of {} calls got 502 or 504, which may be of a gateway", all.len());
        return Err(Stop::not_run(NotRunKind::NoAnswer, reason));
    }
    checks.extend(judge::observations(run, &step.observe, &document));
    run.record.checks.extend(checks);
    Ok(())
}

/// Whether a gateway may have answered the call instead of the service.
fn is_lost(exchange: &Exchange) -> bool {
    exchange.outcome.as_ref().is_ok_and(ReceivedResponse::may_be_of_gateway)
}

/// Whether the target did what the call asks for. A refusal may have any status: the specification does not show it.
fn is_served(exchange: &Exchange) -> bool {
    exchange.outcome.as_ref().is_ok_and(|response| response.status < 400)
}

/// The document that sums up the responses, with the `window` that they show.
fn summary(all: &[Arc<Exchange>]) -> Value {
    let served: Vec<i64> = all
        .iter()
        .filter(|exchange| is_served(exchange))
        .map(|exchange| seconds_of(exchange))
        .collect();
    let before = all.iter().take_while(|exchange| !is_limited(&exchange.outcome)).count();
    let limited = all.iter().filter(|exchange| is_limited(&exchange.outcome));
    let (sliding, fixed) = (most_in_sliding(&served), most_in_fixed(&served));
    json!({
        "sent": all.len(),
        "served": served.len(),
        "refused": limited.clone().count(),
        "served_before_refusal": before,
        "served_beyond_limit": beyond_limit(&served),
        // The smaller number, which favours the target.
        "most_served_in_a_minute": sliding.min(fixed),
        "window": if is_fixed(sliding, fixed) { json!("fixed") } else { Value::Null },
        "refusal": limited.clone().next().map_or(Value::Null, |exchange| refusal_of(exchange)),
    })
}

/// How many calls at these times are too many to be served within one minute of a limit of 600. A limit may serve calls
/// again one by one, ten each second, and several machines that share it may serve a tenth more.
fn beyond_limit(seconds: &[i64]) -> usize {
    const CALLS_MAX: usize = REQUESTS_PER_MINUTE_MAX as usize;
    let (first, last) = (seconds.iter().min(), seconds.iter().max());
    let passed = first.zip(last).map_or(0, |(first, last)| last - first + 1);
    let served_again = usize::try_from(passed).unwrap_or(0).saturating_mul(CALLS_MAX / 60);
    seconds.len().saturating_sub(CALLS_MAX + CALLS_MAX / 10 + served_again)
}

/// `status body`; the body is null if it is not JSON.
fn response_of(exchange: &Exchange) -> Value {
    match &exchange.outcome {
        Ok(response) => {
            json!({ "status": response.status, "body": send::body(exchange).as_deref() })
        }
        Err(_) => Value::Null,
    }
}

/// The time of a response in seconds. It is read from `date` if possible: the target counts calls by its own clock.
fn seconds_of(exchange: &Exchange) -> i64 {
    exchange
        .outcome
        .as_ref()
        .ok()
        .and_then(|response| date_seconds(response.header("date")?))
        .unwrap_or(exchange.sent_at_seconds)
}

fn refusal_of(exchange: &Exchange) -> Value {
    let Ok(response) = &exchange.outcome else { return Value::Null };
    let body = match &response.json {
        Some(json) if json["type"].is_string() => "problem",
        _ if response.body.is_empty() => "empty",
        _ => "text",
    };
    json!({
        "status": response.status,
        "body": body,
        "retry_after": response.header("retry-after").is_some(),
    })
}

/// Whether the target counts calls by minutes of the clock: more than the limit of §8 was served within some 60
/// seconds, but not within one minute of the clock.
const fn is_fixed(sliding: usize, fixed: usize) -> bool {
    const CALLS_MAX: usize = REQUESTS_PER_MINUTE_MAX as usize;
    sliding > CALLS_MAX && fixed <= CALLS_MAX
}

/// Whether the calls were sent within a minute. Only then does a call that is not refused tell of the limit.
fn is_within_a_minute(seconds: &[i64]) -> bool {
    most_in_sliding(seconds) == seconds.len()
}

fn most_in_sliding(seconds: &[i64]) -> usize {
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable();
    let mut first = 0;
    let mut most = 0;
    for (last, at) in sorted.iter().enumerate() {
        while at - sorted[first] >= RATE_WINDOW_SECONDS {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

fn most_in_fixed(seconds: &[i64]) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for at in seconds {
        *counts.entry(at.div_euclid(RATE_WINDOW_SECONDS)).or_insert(0) += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        beyond_limit, is_fixed, is_within_a_minute, most_in_fixed, most_in_sliding, time_of,
    };

    #[test]
    fn calls_are_spaced_evenly() {
        let minute = Duration::from_secs(60);
        assert_eq!(time_of(0, 540, minute), Duration::ZERO);
        assert_eq!(time_of(9, 540, minute), Duration::from_secs(1));
        assert_eq!(time_of(270, 540, minute), Duration::from_secs(30));
        assert!(time_of(539, 540, minute) < minute);
    }

    #[test]
    fn a_minute_is_counted_sliding_and_fixed() {
        let around_the_minute = [59, 59, 60, 61];
        assert_eq!(most_in_sliding(&around_the_minute), 4);
        assert_eq!(most_in_fixed(&around_the_minute), 2);
        assert_eq!(most_in_sliding(&[0, 59, 60]), 2);
        assert_eq!(most_in_sliding(&[]), 0);
        for (sliding, fixed, expected) in
            [(600, 300, false), (601, 600, true), (900, 600, true), (1200, 900, false)]
        {
            assert_eq!(is_fixed(sliding, fixed), expected, "{sliding} {fixed}");
        }
    }

    #[test]
    fn a_limit_may_serve_ten_calls_more_each_second_and_a_tenth_more() {
        for (calls, seconds, expected) in [
            (0, 1, 0),
            (600, 1, 0),
            (670, 1, 0),
            (671, 1, 1),
            (700, 4, 0),
            (701, 4, 1),
            (1260, 60, 0),
        ] {
            let times: Vec<i64> = (0..calls).map(|call| call * seconds / calls.max(1)).collect();
            assert_eq!(beyond_limit(&times), expected, "{calls} within {seconds} s");
        }
    }

    #[test]
    fn a_minute_need_not_be_one_of_the_clock() {
        let around_the_minute_of_the_clock: Vec<i64> = (0..1500).map(|n| 3595 + n / 150).collect();
        assert!(is_within_a_minute(&around_the_minute_of_the_clock));
        assert!(is_within_a_minute(&[59, 0, 20]));
        assert!(!is_within_a_minute(&[60, 0, 20]));
    }
}
