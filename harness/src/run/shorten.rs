//! Shortens the exchanges of a finished scenario until the report: a run of thousands of calls must not keep every body
//! in memory. Exchanges of a warning or worse are kept whole.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::exchange::Exchange;
use crate::verdict::Verdict;
use crate::verdict::result::ScenarioResult;

/// Bytes that are kept of the body of a response without a finding.
const BODY_KEPT_BYTES: usize = 1_000;

/// The result with shortened exchanges. Without `lists_checks` it has only the number of passed checks, and an outline
/// of exchanges with at most a warning.
pub(super) fn shortened(mut result: ScenarioResult, lists_checks: bool) -> ScenarioResult {
    let mut shortened: HashMap<u64, Arc<Exchange>> = HashMap::new();
    let is_wrong = result.checks().any(|check| check.verdict > Verdict::NotRun);
    let most_shortened = if lists_checks { Verdict::Observed } else { Verdict::Warn };
    for step in &mut result.steps {
        let whole: Vec<u64> = step
            .checks
            .iter()
            .filter(|check| check.verdict > most_shortened)
            .filter_map(|check| Some(check.exchange.as_ref()?.number))
            .collect();
        // A failure is shown with all exchanges before it.
        let is_shown = is_wrong || lists_checks;
        let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
        for exchange in step.exchanges.iter_mut().chain(judged) {
            if !whole.contains(&exchange.number) {
                let number = exchange.number;
                let short = shortened
                    .entry(number)
                    .or_insert_with(|| shortened_exchange(is_shown, exchange));
                *exchange = Arc::clone(short);
            }
        }
        if !lists_checks {
            let judged = step.checks.len();
            step.checks.retain(|check| check.verdict != Verdict::Pass);
            step.checks.shrink_to_fit();
            step.passed += judged - step.checks.len();
        }
    }
    result
}

/// The beginning of an exchange that a report may show, or the outline of one that is only counted: the request line,
/// the status and a short body.
fn shortened_exchange(is_shown: bool, exchange: &Exchange) -> Arc<Exchange> {
    let mut short = exchange.clone();
    if !is_shown {
        outline(&mut short);
    }
    if let Ok(response) = &mut short.outcome {
        // A body that was cut before is also long.
        if response.body.len() > BODY_KEPT_BYTES || response.is_cut {
            let length = response.body.len().min(BODY_KEPT_BYTES);
            response.body = match is_shown {
                // A slice would keep the whole body in memory.
                true => Bytes::copy_from_slice(&response.body[..length]),
                false => Bytes::new(),
            };
            response.is_cut = true;
        }
        response.json = None;
    }
    Arc::new(short)
}

/// Removes headers, and texts that only show or repeat the request.
fn outline(exchange: &mut Exchange) {
    let request = &mut exchange.request;
    request.headers = Vec::new();
    for text in [&mut request.url, &mut request.body_shown, &mut request.curl] {
        *text = String::new();
    }
    if let Ok(response) = &mut exchange.outcome {
        response.headers = Vec::new();
    }
}
