//! Facts about a whole run that explain many of its checks at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::client::target_file::created_kind;
use crate::exchange::{Exchange, ReceivedResponse};
use crate::verdict::pluralize;
use crate::verdict::result::{RunResult, ScenarioResult};

/// The lowest number of equal responses, and of operations with them, that is reported. Fewer may be equal by chance.
const RESPONSES_MIN: usize = 3;
const OPERATIONS_MIN: usize = 2;

/// Lists of objects that a company creates. Workflows are not among them: they are configured.
const LISTS: [(Operation, &str); 3] = [
    (Operation::ListLegalRequests, "requests"),
    (Operation::ListRepositoryDocuments, "repository documents"),
    (Operation::ListWebhooks, "webhooks"),
];

/// The notices for the head of a report, each with advice. Most runs have none.
pub(super) fn notices(result: &RunResult) -> Vec<String> {
    let all = [all_the_same(result), no_data(result), long_lists(result), unanswered(result)];
    all.into_iter().flatten().collect()
}

/// The notice about requests that the service did not answer itself. A second request that it answers hides them.
fn unanswered(result: &RunResult) -> Option<String> {
    (result.unanswered > 0).then(|| {
        format!(
            "{} had no response, or an error of a gateway (502, 503, 504): a request is sent again where that is safe, \
             and only what repeats is judged; look at the logs of the target and of the gateway",
            pluralize(result.unanswered, "request")
        )
    })
}

/// The notice about lists that were not read whole.
fn long_lists(result: &RunResult) -> Option<String> {
    let most = result.long_lists.values().max()?;
    let lists: Vec<String> = result
        .long_lists
        .iter()
        .map(|(list, pages)| format!("{} ({pages} pages)", list.as_str()))
        .collect();
    Some(format!(
        "too long to be read whole: {}; checks that need a whole list were not made (`not applicable`); \
         with `limits: {{ pages_max: {most} }}` in the target file they are, with a request for each page",
        lists.join(", ")
    ))
}

/// The notice if every response has the same status and body.
fn all_the_same(result: &RunResult) -> Option<String> {
    let all = || result.scenarios.iter().flat_map(ScenarioResult::exchanges);
    let first = all().find_map(response)?;
    let mut responses = all().filter_map(response);
    if !responses.all(|it| it.status == first.status && it.body == first.body) {
        return None;
    }
    let count = all().filter_map(response).count();
    let operations: BTreeSet<_> =
        all().map(|it| it.request.operation.map(Operation::as_str)).collect();
    (count >= RESPONSES_MIN && operations.len() >= OPERATIONS_MIN).then(|| {
        format!(
            "every response is the same ({count} times {} with {} bytes): this is not a Legal Request \
             Service, but a page or a stub in its place; look at `base_url`",
            first.status,
            first.body.len()
        )
    })
}

/// The notice if the lists of the company are empty in most scenarios that read them before they create anything.
fn no_data(result: &RunResult) -> Option<String> {
    // By list: the number of scenarios that found it empty, and of all that read it.
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for scenario in &result.scenarios {
        for (operation, name) in LISTS {
            let mut before = scenario.exchanges().take_while(|it| !is_creating(it));
            let first = before.find(|it| {
                it.request.operation == Some(operation) && !it.request.path.contains('?')
            });
            let Some(page) = first.and_then(response) else { continue };
            let (empty, all) = found.entry(name).or_default();
            *empty += usize::from(length(page) == Some(0));
            *all += 1;
        }
    }
    let is_empty = !found.is_empty() && found.values().all(|(empty, all)| empty * 2 > *all);
    is_empty.then(|| {
        let names: Vec<&str> = found.keys().copied().collect();
        format!(
            "the company has no data: its lists of {} are empty, so that many checks are \
             `not applicable` or `not run`; use an application of a company that has data, or consent to `write`",
            names.join(", ")
        )
    })
}

fn is_creating(exchange: &Exchange) -> bool {
    exchange.request.operation.and_then(created_kind).is_some()
}

fn response(exchange: &Arc<Exchange>) -> Option<&ReceivedResponse> {
    exchange.outcome.as_ref().ok()
}

/// The number of members, if the response is a whole page: of long responses only the beginning is kept.
fn length(response: &ReceivedResponse) -> Option<usize> {
    if response.status != 200 || response.is_cut {
        return None;
    }
    let json: Value = serde_json::from_slice(&response.body).ok()?;
    json.get("pagination")?;
    Some(json.get("data")?.as_array()?.len())
}
