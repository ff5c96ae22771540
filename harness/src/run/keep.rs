//! Shortens the exchanges of a finished scenario until the report: a run of thousands of calls must not keep every body
//! in memory. Exchanges of a warning or worse are kept whole.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::exchange::Exchange;
use crate::verdict::Verdict;
use crate::verdict::expected::Expected;
use crate::verdict::result::ScenarioResult;

/// The detail that is kept of exchanges without a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Everything, for a caller that shortens the results itself.
    Whole,
    /// Everything except the end of a long body, for reports that show or compare all exchanges.
    Beginning,
    /// The request line, the status and a short body, for reports that only count exchanges.
    Outline,
    /// The number of passed checks, and an outline of exchanges with at most a warning, for reports that show neither.
    Counts,
}

/// Bytes that are kept of the body of a response without a finding.
const BODY_KEPT_BYTES: usize = 1_000;

/// Known failures are matched with all checks, so their run keeps passed checks too.
pub(super) fn with_expected(kept: Kept, expected: &Expected) -> Kept {
    match kept {
        Kept::Counts if !expected.entries.is_empty() => Kept::Outline,
        kept => kept,
    }
}

/// The result with shortened exchanges.
pub(crate) fn short(mut result: ScenarioResult, kept: Kept) -> ScenarioResult {
    if kept == Kept::Whole {
        return result;
    }
    let mut shortened: HashMap<u64, Arc<Exchange>> = HashMap::new();
    let is_wrong = result.checks().any(|check| check.verdict > Verdict::NotRun);
    for step in &mut result.steps {
        let whole: Vec<u64> = step
            .checks
            .iter()
            .filter(|check| is_shown_whole(kept, check.verdict))
            .filter_map(|check| Some(check.exchange.as_ref()?.number))
            .collect();
        // A failure is shown with all exchanges before it.
        let detail = if is_wrong { Kept::Beginning } else { kept };
        let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
        for exchange in step.exchanges.iter_mut().chain(judged) {
            if !whole.contains(&exchange.number) {
                let number = exchange.number;
                let short =
                    shortened.entry(number).or_insert_with(|| shortened_to(detail, exchange));
                *exchange = Arc::clone(short);
            }
        }
        if kept == Kept::Counts {
            let judged = step.checks.len();
            step.checks.retain(|check| check.verdict != Verdict::Pass);
            step.checks.shrink_to_fit();
            step.passed += judged - step.checks.len();
        }
    }
    result
}

fn is_shown_whole(kept: Kept, verdict: Verdict) -> bool {
    match verdict {
        Verdict::NotApplicable | Verdict::Pass | Verdict::Observed => false,
        Verdict::Warn => kept != Kept::Counts,
        Verdict::NotRun | Verdict::Drift | Verdict::Fail | Verdict::Error => true,
    }
}

fn shortened_to(kept: Kept, exchange: &Exchange) -> Arc<Exchange> {
    let mut short = exchange.clone();
    if matches!(kept, Kept::Outline | Kept::Counts) {
        outline(&mut short);
    }
    if let Ok(response) = &mut short.outcome {
        // A body that was cut before is also long.
        if response.body.len() > BODY_KEPT_BYTES || response.is_cut {
            let length = response.body.len().min(BODY_KEPT_BYTES);
            response.body = match kept {
                // A slice would keep the whole body in memory.
                Kept::Whole | Kept::Beginning => Bytes::copy_from_slice(&response.body[..length]),
                Kept::Outline | Kept::Counts => Bytes::new(),
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
