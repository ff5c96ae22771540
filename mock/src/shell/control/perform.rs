//! Performs the actions of the control plane.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use serde_json::{Value, json};

use super::openapi;
use super::routes::ROUTES;
use super::site_action::SiteAction;
use crate::control::{self, ControlAction, DeliveryFilter, ExchangeFilter, Refusal};
use crate::service::AttemptResult;
use crate::shell::clock;
use crate::shell::delivery::SettleOutcome;
use crate::shell::drill_run::DrillRun;
use crate::shell::receiver::RECEIVED_BYTES_MAX;
use crate::shell::sandbox::{Realm, SandboxPlan};
use crate::shell::site::Site;

/// Time between two polls for calls or a delivery.
const POLL: Duration = Duration::from_millis(20);

/// A call of the control plane.
pub(super) struct ControlCall<'c> {
    pub(super) site: &'c Site,
    pub(super) realm: &'c Arc<Realm>,
    pub(super) parts: &'c Parts,
    pub(super) body: Bytes,
    /// The longest time without a response of a receiver while the action waits for deliveries.
    pub(super) patience: Duration,
}

/// A response: its JSON, and its status if it differs from that of the route.
pub(super) type Reply = (Option<StatusCode>, Value);

/// Performs an action on the site.
///
/// # Errors
/// The problem of the response; then nothing changed.
pub(super) async fn on_site(call: &ControlCall<'_>, action: SiteAction) -> Result<Reply, Refusal> {
    let (site, realm) = (call.site, call.realm);
    let value = match action {
        SiteAction::Index => index(site, realm),
        SiteAction::Health => health(site, realm),
        SiteAction::OpenApi => openapi::document(site, realm),
        SiteAction::ListSandboxes => list_sandboxes(site),
        SiteAction::CreateSandbox(plan) => create_sandbox(site, plan)?,
        SiteAction::GetSandbox { id } => sandbox(site, &id)?,
        SiteAction::RenewSandbox { id, lease } => {
            site.sandboxes.renew(&id, lease).ok_or_else(|| unknown_sandbox(&id))?;
            sandbox(site, &id)?
        }
        SiteAction::DeleteSandbox { id } => delete_sandbox(site, &id)?,
        SiteAction::SettleDeliveries { .. } => {
            let recording = site.deliverer.record(realm).await;
            let outcome = site.deliverer.settle(realm, recording, call.patience).await;
            return Ok(settled_reply(outcome));
        }
        SiteAction::WaitForExchange { filter, count, timeout_seconds } => {
            wait_for_calls(realm, filter, count, Duration::from_secs(timeout_seconds)).await?
        }
        SiteAction::WaitForDelivery { filter, timeout_seconds } => {
            wait_for_delivery(realm, filter, Duration::from_secs(timeout_seconds)).await?
        }
        // The handler streams the events before it comes here.
        SiteAction::Events { .. } => json!({}),
        SiteAction::ListFindings => findings(site, realm).await?,
        SiteAction::ListSandboxFindings { id } => {
            let realm = find(site, &id)?;
            findings(site, &realm).await?
        }
        SiteAction::GetDrillRun => json!(DrillRun::default()),
        SiteAction::StartDrillRun { .. } => {
            let detail =
                "a mock does not know your client: `moot drill --console -- CMD` starts drills";
            return Err(Refusal::conflict(detail));
        }
        SiteAction::Receive => return receive(call),
        SiteAction::ListReceived => received(realm),
        SiteAction::PlanReceiver { statuses } => {
            realm.mailbox.lock().plan(statuses);
            received(realm)
        }
        SiteAction::ClearReceived => {
            realm.mailbox.lock().clear();
            received(realm)
        }
    };
    Ok((None, value))
}

/// Performs an action on one world.
///
/// # Errors
/// The problem of the response; then nothing changed.
pub(super) async fn on_world(
    call: &ControlCall<'_>,
    action: ControlAction,
) -> Result<Reply, Refusal> {
    match action {
        ControlAction::Reset => go_back(call, None).await,
        ControlAction::RestoreCheckpoint { id } => go_back(call, Some(&id)).await,
        ControlAction::MoveClock(_) => move_clock(call, action).await,
        action => Ok((None, call.realm.service.control(clock::now(), action)?)),
    }
}

/// Resets a world or restores a checkpoint, and aborts the attempts in flight.
async fn go_back(call: &ControlCall<'_>, checkpoint: Option<&str>) -> Result<Reply, Refusal> {
    let realm = call.realm;
    let (value, former) = realm.service.go_back(clock::now(), checkpoint)?;
    if let Some(former) = call.site.sandboxes.remember_former(realm, former) {
        // Dropping a world may remove thousands of files, which takes seconds.
        tokio::task::spawn_blocking(move || drop(former));
    }
    call.site.deliverer.abort_all(realm).await;
    realm.mailbox.lock().clear();
    Ok((None, value))
}

/// Moves the clock of a world, and settles the deliveries that fall due.
async fn move_clock(call: &ControlCall<'_>, action: ControlAction) -> Result<Reply, Refusal> {
    let (deliverer, realm) = (&call.site.deliverer, call.realm);
    // Begins before the action, so that every attempt that the action makes due is recorded.
    let recording = deliverer.record(realm).await;
    let mut value = realm.service.control(clock::now(), action)?;
    let outcome = deliverer.settle(realm, recording, call.patience).await;
    let (status, attempts) = settled_reply(outcome);
    if let (Value::Object(clock), Value::Object(attempts)) = (&mut value, attempts) {
        clock.extend(attempts);
    }
    Ok((status, value))
}

fn index(site: &Site, realm: &Realm) -> Value {
    let rows = ROUTES.iter().filter(|route| route.is_of(site, realm));
    let routes: Vec<Value> = rows
        .map(|route| {
            let path = format!("/__admin{}", route.path);
            json!({"method": route.method.as_str(), "path": path, "does": route.title})
        })
        .collect();
    json!({
        "moot": true,
        "version": env!("CARGO_PKG_VERSION"),
        "base_url": realm.settings.base_url,
        "routes": routes,
    })
}

/// `consent` has `fetch` for every mock: even with `--fetch`, a mock never connects to names that are
/// reserved for examples.
fn health(site: &Site, realm: &Realm) -> Value {
    let sandboxes = realm.settings.sandbox.is_none().then(|| site.sandboxes.count());
    json!({
        "moot": true,
        "version": env!("CARGO_PKG_VERSION"),
        "consent": ["write", "delete", "load", "fetch", "operate"],
        "base_url": realm.settings.base_url,
        "sandbox": realm.settings.sandbox,
        "sandboxes": sandboxes,
        "fetches": site.options.fetcher.is_some(),
    })
}

fn list_sandboxes(site: &Site) -> Value {
    site.delete_expired_sandboxes();
    let all: Vec<Value> =
        site.sandboxes.all().iter().map(|realm| realm.addresses().into()).collect();
    json!({ "sandboxes": all })
}

fn create_sandbox(site: &Site, plan: SandboxPlan) -> Result<Value, Refusal> {
    site.delete_expired_sandboxes();
    let realm = site.sandboxes.create(&site.main, plan)?;
    site.deliverer.add(&realm);
    if let (Some(watch), Some(id)) = (&site.options.sandbox_watch, &realm.settings.sandbox) {
        watch(id);
    }
    Ok(realm.describe())
}

fn delete_sandbox(site: &Site, id: &str) -> Result<Value, Refusal> {
    match site.sandboxes.remove(id)? {
        Some(realm) => {
            site.deliverer.remove(&realm);
            // Dropping a world may remove thousands of files, which takes seconds.
            tokio::task::spawn_blocking(move || drop(realm));
            Ok(json!({ "deleted": id }))
        }
        None => Err(unknown_sandbox(id)),
    }
}

/// The sandbox with this id, without renewing its lease.
fn find(site: &Site, id: &str) -> Result<Arc<Realm>, Refusal> {
    site.delete_expired_sandboxes();
    site.sandboxes.peek(id).ok_or_else(|| unknown_sandbox(id))
}

fn unknown_sandbox(id: &str) -> Refusal {
    Refusal::unknown(format!("there is no sandbox `{id}`"))
}

/// Describes a sandbox without renewing its lease. Shape: the response to its creation, with `settings`, `clock`,
/// `lease_ends_in_seconds`, and `calls`, the number of recorded calls.
fn sandbox(site: &Site, id: &str) -> Result<Value, Refusal> {
    let realm = find(site, id)?;
    let mut shown = realm.describe();
    for (name, action) in
        [("settings", ControlAction::GetSettings), ("clock", ControlAction::GetClock)]
    {
        shown[name] = realm.service.control(clock::now(), action)?;
    }
    let left = realm.lease.end().map(|end| end.duration_since(clock::instant()).as_secs());
    shown["lease_ends_in_seconds"] = json!(left);
    shown["calls"] = json!(realm.service.world().journal.recorded());
    Ok(shown)
}

/// Judges the journal of a world by the rules of conduct.
async fn findings(site: &Site, realm: &Realm) -> Result<Value, Refusal> {
    let Some(judge) = site.options.judge.clone() else {
        return Err(Refusal::unknown("this mock has no rules of conduct"));
    };
    let journal = realm.journal();
    // Judging many calls takes long.
    let judged = tokio::task::spawn_blocking(move || judge(&journal)).await;
    judged.ok().flatten().ok_or_else(|| Refusal::conflict("the journal cannot be judged"))
}

fn received(realm: &Realm) -> Value {
    realm.mailbox.lock().view(&realm.settings.base_url)
}

/// Takes a call of another program into the mailbox of the world's own deliveries.
fn receive(call: &ControlCall<'_>) -> Result<Reply, Refusal> {
    if call.body.len() > RECEIVED_BYTES_MAX {
        let detail = format!("a receiver takes {RECEIVED_BYTES_MAX} bytes at most");
        return Err(Refusal::too_large(detail));
    }
    let headers = call.parts.headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str(), value))
    });
    let now = call.realm.service.now(clock::now());
    let query = call.parts.uri.query();
    let status = call.realm.mailbox.lock().take(now, query, headers, call.body.clone());
    Ok((Some(status), json!({})))
}

/// Waits until `count` calls match, and returns the newest ones.
async fn wait_for_calls(
    realm: &Realm,
    filter: ExchangeFilter,
    count: usize,
    timeout: Duration,
) -> Result<Value, Refusal> {
    let action = ControlAction::ListExchanges { filter: filter.clone(), limit: count };
    let mut listed_at = None;
    let has_new_calls = || {
        let recorded = realm.service.world().journal.recorded();
        listed_at.replace(recorded) != Some(recorded)
    };
    wait_for(realm, &action, "exchanges", count, timeout, has_new_calls).await?.map_err(|listed| {
        // The 408 has the number of matching calls, and the nearest miss.
        let (found, seconds) = (&listed["count"], timeout.as_secs());
        let detail = format!("{found} of {count} calls that match came within {seconds} s");
        let nearest = control::nearest_exchange(&realm.service.world(), &filter);
        let members = vec![("count", found.clone()), ("nearest_miss", nearest)];
        Refusal { members, ..Refusal::timeout(detail) }
    })
}

/// Waits until a delivery matches, and returns the matching ones.
async fn wait_for_delivery(
    realm: &Realm,
    filter: DeliveryFilter,
    timeout: Duration,
) -> Result<Value, Refusal> {
    let action = ControlAction::ListDeliveries { filter };
    wait_for(realm, &action, "deliveries", 1, timeout, || true).await?.map_err(|_| {
        let seconds = timeout.as_secs();
        let detail = format!("no delivery that matches was there within {seconds} s");
        let all = ControlAction::ListDeliveries { filter: DeliveryFilter::default() };
        let mut all = realm.service.control(clock::now(), all).unwrap_or_default();
        let members = vec![("deliveries", all["deliveries"].take())];
        Refusal { members, ..Refusal::timeout(detail) }
    })
}

/// Repeats an action that lists, until the member `rows` of its response has `count` members. The inner error is the
/// response after `timeout`. Before that it lists only if `has_news`, because a list makes the calls of clients wait.
async fn wait_for(
    realm: &Realm,
    action: &ControlAction,
    rows: &str,
    count: usize,
    timeout: Duration,
    mut has_news: impl FnMut() -> bool,
) -> Result<Result<Value, Value>, Refusal> {
    let end = clock::instant() + timeout;
    loop {
        let is_over = clock::instant() >= end;
        if has_news() || is_over {
            let listed = realm.service.control(clock::now(), action.clone())?;
            if listed[rows].as_array().is_some_and(|rows| rows.len() >= count) {
                return Ok(Ok(listed));
            }
            if is_over {
                return Ok(Err(listed));
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

/// The response about settled deliveries: 202 if attempts are still in flight.
fn settled_reply(outcome: SettleOutcome) -> Reply {
    let attempts = outcome.attempts.into_iter().map(|(delivery, result)| match result {
        AttemptResult::Status(status) => json!({"delivery": delivery, "status": status}),
        AttemptResult::NoResponse(why) => json!({"delivery": delivery, "error": why}),
    });
    let (attempts, in_flight) = (attempts.collect::<Vec<_>>(), outcome.in_flight);
    let mut value = json!({ "attempts": attempts, "in_flight": in_flight.len() });
    if in_flight.is_empty() {
        return (None, value);
    }
    value["in_flight_deliveries"] = json!(in_flight);
    (Some(StatusCode::ACCEPTED), value)
}
