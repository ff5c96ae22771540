//! Numbers exchanges and sandboxes by the order of the scenarios. So they do not depend on concurrency or shards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

use crate::exchange::masks::map_texts;
use crate::exchange::{Exchange, TargetClass, by_question};
use crate::verdict::result::{RunResult, ScenarioResult, TextMap};

/// A sandbox of a mock in an address, which may be percent-encoded.
static SANDBOX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(sandboxes(?:/|%2F))(s[0-9]+)").expect("the pattern is sound"));

/// Numbers the exchanges of a result from 1, in the order of the scenarios. Requests that were not sent keep 0.
/// Sandboxes of the mock in this process get the number of their scenario: their real names are never seen outside.
pub(super) fn with_stable_numbers(result: &RunResult) -> RunResult {
    let mut result = result.clone();
    let is_in_process = result.target.class == TargetClass::InProcess;
    let mut next = 1;
    let mut are_answers_renamed = false;
    for (index, scenario) in result.scenarios.iter_mut().enumerate() {
        let names = is_in_process.then(|| SandboxNames::of(scenario, index + 1));
        next += number_exchanges(scenario, next, names.as_ref());
        if let Some(names) = names.filter(|names| !names.0.is_empty()) {
            scenario.map_texts(&names);
            are_answers_renamed |= !scenario.answers.is_empty();
            for sight in &mut scenario.answers {
                sight.value = names.value(&sight.value);
            }
        }
    }
    if are_answers_renamed {
        result.answers = by_question(result.scenarios.iter().flat_map(|it| &it.answers));
    }
    result
}

/// The new names of the sandboxes of one scenario.
struct SandboxNames(BTreeMap<String, String>);

impl SandboxNames {
    fn of(scenario: &ScenarioResult, number: usize) -> Self {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |text: &str| {
            for found in SANDBOX.captures_iter(text) {
                let count = names.len();
                names.entry(found[2].to_owned()).or_insert_with(|| match count {
                    0 => format!("s{number}"),
                    _ => format!("s{number}-{}", count + 1),
                });
            }
        };
        for step in &scenario.steps {
            for exchange in &step.exchanges {
                add(&exchange.request.url);
            }
        }
        for step in &scenario.steps {
            for check in &step.checks {
                add(&check.actual);
                add(&check.message);
            }
        }
        scenario.answers.iter().for_each(|sight| add(&sight.value.to_string()));
        Self(names)
    }

    fn value(&self, value: &Value) -> Value {
        map_texts(value, &|text| self.line(text))
    }

    fn rename_exchange(&self, exchange: &mut Exchange) {
        let request = &mut exchange.request;
        for text in
            [&mut request.url, &mut request.path, &mut request.body_shown, &mut request.curl]
        {
            *text = self.line(text);
        }
        request.headers.iter_mut().for_each(|(_, value)| *value = self.line(value));
        let Ok(response) = &mut exchange.outcome else { return };
        response.headers.iter_mut().for_each(|(_, value)| *value = self.line(value));
        if let Ok(body) = std::str::from_utf8(&response.body)
            && SANDBOX.is_match(body)
        {
            response.body = self.line(body).into();
            response.json = response.json.as_ref().map(|json| Arc::new(self.value(json)));
        }
    }
}

impl TextMap for SandboxNames {
    fn line(&self, text: &str) -> String {
        let renamed = SANDBOX.replace_all(text, |found: &Captures<'_>| {
            let known = self.0.get(&found[2]).map_or(&found[2], String::as_str);
            format!("{}{known}", &found[1])
        });
        renamed.into_owned()
    }
}

/// Numbers the exchanges of a scenario from `first`. Returns the number of exchanges.
fn number_exchanges(
    scenario: &mut ScenarioResult,
    first: u64,
    names: Option<&SandboxNames>,
) -> u64 {
    let steps = &mut scenario.steps;
    let sent = steps.iter().flat_map(|step| {
        let judged = step.checks.iter().filter_map(|check| check.exchange.as_ref());
        step.exchanges.iter().chain(judged)
    });
    let numbers: BTreeSet<u64> = sent.map(|exchange| exchange.number).collect();
    let new: BTreeMap<u64, u64> =
        numbers.into_iter().filter(|number| *number > 0).zip(first..).collect();
    let mut numbered: BTreeMap<u64, Arc<Exchange>> = BTreeMap::new();
    for step in steps {
        let judged = step.checks.iter_mut().filter_map(|check| check.exchange.as_mut());
        for exchange in step.exchanges.iter_mut().chain(judged) {
            let Some(number) = new.get(&exchange.number).copied() else { continue };
            let known = numbered.entry(exchange.number);
            let renumbered = known.or_insert_with(|| {
                let mut renumbered = Exchange { number, ..exchange.as_ref().clone() };
                if let Some(names) = names {
                    names.rename_exchange(&mut renumbered);
                }
                Arc::new(renumbered)
            });
            *exchange = Arc::clone(renumbered);
        }
    }
    new.len() as u64
}
