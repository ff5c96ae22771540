//! The journal: the calls of clients, the responses, and the reasons of refusals.

use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use super::filter::ExchangeFilter;
use super::refusal::Refusal;
use super::{advice, parties};
use crate::world::World;
use crate::world::journal::JournalEntry;

/// The newest exchanges. `count` is the number of all that match. Shape: `{"count", "exchanges": [{"serial",
/// "at", "client", "wire": {"connection", "number", "began_us", "ended_us", "client_left"}, "method",
/// "path", "query", "operation", "application", "request": {"authorization", "scheme", "credentials",
/// "user_agent", "idempotency_key", "expects_refusal", "content_type", "length", "text", "parts":
/// [{"name", "file_name", "content_type", "length", "text", "digest"}]}, "status", "response":
/// {"content_type", "length", "page", "pages", "retry_after_seconds"}, "problem", "detail", "decision",
/// "passed", "changes", "deliveries", "fault"}]}`. `application` is a client id, and `authorization` is a
/// fingerprint.
pub(super) fn view(world: &World, filter: &ExchangeFilter, limit: usize) -> Value {
    let (count, newest) = world.journal.matching(limit, |entry| filter.matches(world, entry));
    let shown: Vec<JournalEntry> =
        newest.into_iter().map(|exchange| with_advice(world, exchange)).collect();
    json!({ "count": count, "exchanges": shown })
}

/// The whole journal, with cleared entries that the account needs. Each exchange has the body of the response
/// as `answer`, a text without secrets, or null if the journal does not have it.
#[cfg(feature = "server")]
pub(super) fn with_response_bodies(world: &World) -> Value {
    let entries = world.journal.all_for_account().into_iter();
    let exchanges = entries.map(|exchange| with_response_body(world, exchange));
    json!({ "exchanges": exchanges.collect::<Vec<_>>() })
}

/// Refuses a filter with an unknown application, because no call can match it.
///
/// # Errors
/// 404.
pub(super) fn check(world: &World, filter: &ExchangeFilter) -> Result<(), Refusal> {
    match &filter.application {
        Some(client_id) => parties::application_of(world, client_id).map(drop),
        None => Ok(()),
    }
}

/// One exchange. Shape: a member of `exchanges`, with the body of the response as `answer` (a text without
/// secrets, or null) and the clause of the operation as `section`.
pub(super) fn details(world: &World, serial: u64) -> Result<Value, Refusal> {
    let Some(exchange) = world.journal.newest(|entry| entry.serial == serial) else {
        return Err(Refusal::unknown(format!("the journal has no call {serial}")));
    };
    let section = exchange.operation.map(Operation::section);
    let mut exchange = with_response_body(world, exchange);
    exchange["section"] = json!(section);
    Ok(exchange)
}

fn with_response_body(world: &World, exchange: JournalEntry) -> Value {
    let body = std::str::from_utf8(&exchange.response_body).ok().filter(|text| !text.is_empty());
    let body = json!(body);
    let mut exchange = json!(with_advice(world, exchange));
    exchange["answer"] = body;
    exchange
}

/// The number of exchanges that match. Shape: `{"count"}`.
pub(super) fn count(world: &World, filter: &ExchangeFilter) -> Value {
    let (count, _) = world.journal.matching(0, |entry| filter.matches(world, entry));
    json!({ "count": count })
}

/// The exchange that matches most members of the filter; of several, the newest. `differs_in` lists the
/// other members. Shape: `{"differs_in": [], "exchange": {…}}`; null if there is no exchange.
#[cfg(feature = "server")]
pub(crate) fn nearest(world: &World, filter: &ExchangeFilter) -> Value {
    let since = ExchangeFilter { since: filter.since, ..ExchangeFilter::default() };
    let candidates = matching(world, &since).into_iter().rev();
    let nearest = candidates.min_by_key(|exchange| filter.differences(world, exchange).len());
    nearest.map_or(Value::Null, |exchange| {
        let differs_in = filter.differences(world, &exchange);
        json!({ "differs_in": differs_in, "exchange": with_advice(world, exchange) })
    })
}

/// An entry with the client id of the caller, and with advice on a refused call.
pub(super) fn with_advice(world: &World, mut exchange: JournalEntry) -> JournalEntry {
    let application = exchange.application_index.and_then(|at| world.seed_data().application(at));
    exchange.application = application.map(|application| application.client_id.clone());
    if let Some(advice) = advice::of(world, &exchange) {
        let detail = exchange.detail.get_or_insert_default();
        detail.push_str(&format!(" ({advice})"));
    }
    exchange
}

/// The exchanges that match, oldest first.
pub(super) fn matching(world: &World, filter: &ExchangeFilter) -> Vec<JournalEntry> {
    world.journal.matching(usize::MAX, |entry| filter.matches(world, entry)).1
}
