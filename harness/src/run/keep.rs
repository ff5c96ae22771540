//! What is kept of an ended scenario until the report: a run of thousands of calls must not hold every
//! body. What somebody will want to read (a warning or worse) is kept whole.

use std::collections::HashMap;
use std::sync::Arc;

use crate::exchange::Exchange;
use crate::run::result::ScenarioResult;
use crate::verdict::Verdict;

/// Bytes kept of the body of an answer that nobody complained about.
const BODY_KEPT_BYTES: usize = 1_000;

/// The same result, with the beginning of each answer that passed.
pub(super) fn short(mut result: ScenarioResult) -> ScenarioResult {
    let mut shortened: HashMap<u64, Arc<Exchange>> = HashMap::new();
    for step in &mut result.steps {
        let whole: Vec<u64> = step
            .checks
            .iter()
            .filter(|check| is_remarkable(check.verdict))
            .filter_map(|check| Some(check.exchange.as_ref()?.number))
            .collect();
        let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
        for exchange in step.exchanges.iter_mut().chain(judged) {
            if !whole.contains(&exchange.number) {
                let number = exchange.number;
                let short = shortened.entry(number).or_insert_with(|| beginning(exchange));
                *exchange = Arc::clone(short);
            }
        }
    }
    result
}

fn is_remarkable(verdict: Verdict) -> bool {
    match verdict {
        Verdict::NotApplicable | Verdict::Pass | Verdict::Observed => false,
        Verdict::Warn | Verdict::NotRun | Verdict::Drift | Verdict::Fail | Verdict::Error => true,
    }
}

fn beginning(exchange: &Arc<Exchange>) -> Arc<Exchange> {
    let mut short = Exchange::clone(exchange);
    if let Ok(response) = &mut short.outcome {
        if response.body.len() > BODY_KEPT_BYTES {
            // A copy: a slice would keep the whole alive.
            response.body = bytes::Bytes::copy_from_slice(&response.body[..BODY_KEPT_BYTES]);
            response.is_cut = true;
        }
        response.json = None;
    }
    Arc::new(short)
}
