//! Reports an answered call to the watch of its site (`moot mock -v`).

use http::HeaderMap;
use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use crate::operation::oauth;
use crate::shell::clock;
use crate::shell::sandbox::Realm;
use crate::shell::site::WatchedCall;

/// The call as its world recorded it. `serial` is its number, and `whole_path` its path with the base path. `None` if
/// the journal no longer has it.
pub(super) fn watched_call(
    realm: &Realm,
    headers: &HeaderMap,
    serial: u64,
    whole_path: &str,
    at: Timestamp,
) -> Option<WatchedCall> {
    let world = realm.service.world();
    let entry = world.journal.newest(|entry| entry.serial == serial)?;
    let decision = entry.decision();
    let query = entry.query.map(|query| format!("?{query}")).unwrap_or_default();
    let caller = entry.application_index.and_then(|at| world.seed_data().application(at));
    let named = named_client(entry.operation, headers, entry.request.text.as_deref());
    let lasted = clock::now().duration_since(at).as_millis();
    Some(WatchedCall {
        at,
        sandbox: realm.settings.sandbox.clone(),
        method: entry.method,
        path: format!("{whole_path}{query}"),
        operation: entry.operation,
        application: caller.map(|caller| caller.client_id.clone()).or(named),
        status: entry.status,
        decision,
        problem: entry.problem,
        faults: entry.faults,
        milliseconds: u64::try_from(lasted).unwrap_or_default(),
    })
}

/// The client id in a call about tokens: it names its application there, not with a token.
fn named_client(
    operation: Option<Operation>,
    headers: &HeaderMap,
    form: Option<&str>,
) -> Option<String> {
    match operation? {
        Operation::CreateAccessToken | Operation::RevokeToken => oauth::named_client(headers, form),
        _ => None,
    }
}
