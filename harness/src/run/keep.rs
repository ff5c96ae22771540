//! What is kept of an ended scenario until the report: a run of thousands of calls must not hold every
//! body. What somebody will want to read (a warning or worse) is kept whole.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::exchange::Exchange;
use crate::verdict::Verdict;
use crate::verdict::expected::Expected;
use crate::verdict::result::ScenarioResult;

/// What is kept of an exchange that nobody complained about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All but the end of a long body: for who shows or compares all that was sent.
    Beginning,
    /// What was asked, the status, and a short body: for reports that only count it.
    Outline,
    /// Of checks that passed how many, and of exchanges that were at most warned of an outline: for reports
    /// that show neither.
    Counts,
}

/// Bytes kept of the body of an answer that nobody complained about.
const BODY_KEPT_BYTES: usize = 1_000;

/// So much is kept where there are known failures: what was expected is looked for among all checks.
pub(super) fn with_expected(kept: Kept, expected: &Expected) -> Kept {
    match kept {
        Kept::Counts if !expected.entries.is_empty() => Kept::Outline,
        kept => kept,
    }
}

/// The same result, with so much of each exchange that passed.
pub(super) fn short(mut result: ScenarioResult, kept: Kept) -> ScenarioResult {
    let mut shortened: HashMap<u64, Arc<Exchange>> = HashMap::new();
    let kept_checks = kept;
    let is_wrong = result.checks().any(|check| check.verdict > Verdict::NotRun);
    for step in &mut result.steps {
        let whole: Vec<u64> = step
            .checks
            .iter()
            .filter(|check| is_shown_whole(kept, check.verdict))
            .filter_map(|check| Some(check.exchange.as_ref()?.number))
            .collect();
        // What is wrong is shown with all that led to it.
        let kept = if is_wrong { Kept::Beginning } else { kept };
        let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
        for exchange in step.exchanges.iter_mut().chain(judged) {
            if !whole.contains(&exchange.number) {
                let number = exchange.number;
                let short = shortened.entry(number).or_insert_with(|| shortened_to(kept, exchange));
                *exchange = Arc::clone(short);
            }
        }
        if kept_checks == Kept::Counts {
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
    if kept != Kept::Beginning {
        outline(&mut short);
    }
    if let Ok(response) = &mut short.outcome {
        // What was cut before is long, too.
        if response.body.len() > BODY_KEPT_BYTES || response.is_cut {
            let length = response.body.len().min(BODY_KEPT_BYTES);
            response.body = match kept {
                // A copy: a slice would keep the whole alive.
                Kept::Beginning => Bytes::copy_from_slice(&response.body[..length]),
                Kept::Outline | Kept::Counts => Bytes::new(),
            };
            response.is_cut = true;
        }
        response.json = None;
    }
    Arc::new(short)
}

/// Removes headers and what only repeats it by hand.
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
