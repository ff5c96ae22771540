//! Facts about a whole run that explain many of its checks at once.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::exchange::{Exchange, ReceivedResponse};
use crate::verdict::result::{RunResult, ScenarioResult};

/// Fewer answers, or answers of fewer operations, may be the same by chance.
const ANSWERS_MIN: usize = 3;
const OPERATIONS_MIN: usize = 2;

/// Lists of objects that a company created. Workflows are configured.
const LISTS: [(Operation, &str); 3] = [
    (Operation::ListLegalRequests, "requests"),
    (Operation::ListRepositoryDocuments, "repository documents"),
    (Operation::ListWebhooks, "webhooks"),
];

/// Sentences for the head of a report, each with advice. Most runs have none.
pub(super) fn notices(result: &RunResult) -> Vec<String> {
    [all_the_same(result), no_data(result)].into_iter().flatten().collect()
}

/// Every answer has the same status and body.
fn all_the_same(result: &RunResult) -> Option<String> {
    let all = || result.scenarios.iter().flat_map(exchanges);
    let first = all().find_map(answer)?;
    let mut answered = all().filter_map(answer);
    if !answered.all(|answer| answer.status == first.status && answer.body == first.body) {
        return None;
    }
    let count = all().filter_map(answer).count();
    let operations: BTreeSet<_> =
        all().map(|it| it.request.operation.map(Operation::as_str)).collect();
    (count >= ANSWERS_MIN && operations.len() >= OPERATIONS_MIN).then(|| {
        format!(
            "every answer is the same ({count} times {} with {} bytes): this is not a Legal Request \
             Service, but a page or a stub in its place; look at `base_url`",
            first.status,
            first.body.len()
        )
    })
}

/// In most scenarios that read a list before they created anything, it had no member.
fn no_data(result: &RunResult) -> Option<String> {
    // Scenarios that found the list empty, and all that read it, by list.
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for scenario in &result.scenarios {
        for (operation, name) in LISTS {
            let mut before = exchanges(scenario).take_while(|it| !is_creating(it));
            let first = before.find(|it| {
                it.request.operation == Some(operation) && !it.request.path.contains('?')
            });
            let Some(page) = first.and_then(answer) else { continue };
            let (empty, all) = found.entry(name).or_default();
            *empty += usize::from(length(page) == Some(0));
            *all += 1;
        }
    }
    let is_empty = !found.is_empty() && found.values().all(|(empty, all)| empty * 2 > *all);
    is_empty.then(|| {
        let names: Vec<&str> = found.keys().copied().collect();
        format!(
            "the company has no data: what it lists of {} is empty, so that much is \
             `not applicable` or `not run`; use an application of a company that has some, or consent to `write`",
            names.join(", ")
        )
    })
}

fn exchanges(scenario: &ScenarioResult) -> impl Iterator<Item = &Exchange> {
    scenario.steps.iter().flat_map(|step| &step.exchanges).map(AsRef::as_ref)
}

fn is_creating(exchange: &Exchange) -> bool {
    matches!(
        exchange.request.operation,
        Some(
            Operation::CreateLegalRequest
                | Operation::CreateRepositoryDocument
                | Operation::CreateWebhook
        )
    )
}

fn answer(exchange: &Exchange) -> Option<&ReceivedResponse> {
    exchange.outcome.as_ref().ok()
}

/// The number of members, if the answer is a whole page. Of an answer without a finding only the beginning is kept.
fn length(answer: &ReceivedResponse) -> Option<usize> {
    if answer.status != 200 || answer.is_cut {
        return None;
    }
    let json: Value = serde_json::from_slice(&answer.body).ok()?;
    json.get("pagination")?;
    Some(json.get("data")?.as_array()?.len())
}
