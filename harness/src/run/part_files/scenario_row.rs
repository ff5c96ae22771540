//! The result of a scenario as a line of a part, with its exchanges.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::recording::har::{self, HarEntry};
use crate::exchange::Exchange;
use crate::exchange::masks::{Masks, Secrets};
use crate::verdict::result::ScenarioResult;

/// A scenario and its exchanges, each once.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioRow {
    scenario: ScenarioResult,
    exchanges: Vec<Value>,
    /// For each step the exchanges that it sent, and the one that each of its checks judged, by index.
    links: Vec<(Vec<usize>, Vec<Option<usize>>)>,
}

impl ScenarioRow {
    /// The row of a scenario whose texts are masked. Its exchanges are masked here.
    pub(super) fn new(scenario: ScenarioResult, secrets: &Secrets) -> Self {
        let mut all: Vec<&Arc<Exchange>> = Vec::new();
        let mut links = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            let mut index = |exchange| {
                let known = all.iter().position(|known| Arc::ptr_eq(known, exchange));
                known.unwrap_or_else(|| {
                    all.push(exchange);
                    all.len() - 1
                })
            };
            let sent = step.exchanges.iter().map(&mut index).collect();
            let judged = step.checks.iter().map(|check| check.exchange.as_ref().map(&mut index));
            links.push((sent, judged.collect()));
        }
        let exchanges = all.into_iter().map(|exchange| har::entry(exchange, secrets)).collect();
        Self { scenario, exchanges, links }
    }

    /// The result.
    ///
    /// # Errors
    /// What is wrong with the row.
    pub(super) fn result(self, masks: &Arc<Masks>) -> Result<ScenarioResult, String> {
        let read = |entry: Value| {
            let entry: HarEntry = serde_json::from_value(entry).map_err(|e| e.to_string())?;
            entry.exchange(masks).map(Arc::new)
        };
        let all: Vec<Arc<Exchange>> =
            self.exchanges.into_iter().map(read).collect::<Result<_, _>>()?;
        let exchange =
            |at: usize| all.get(at).cloned().ok_or_else(|| format!("there is no exchange {at}"));
        let mut scenario = self.scenario;
        for (step, (sent, judged)) in scenario.steps.iter_mut().zip(self.links) {
            step.exchanges = sent.into_iter().map(exchange).collect::<Result<_, _>>()?;
            for (check, at) in step.checks.iter_mut().zip(judged) {
                check.exchange = at.map(exchange).transpose()?;
            }
        }
        Ok(scenario)
    }
}
