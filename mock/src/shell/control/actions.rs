//! What each route does: asks the core, or the site.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::exchanges;
use super::fault::ArmFault;
use super::openapi;
use super::requests::{self, Move};
use super::routes::{Action, ROUTES};
use crate::control::Ask;
use crate::service::AttemptResult;
use crate::shell::answer::Problem;
use crate::shell::clock;
use crate::shell::delivery::Settled;
use crate::shell::receiver::Arrival;
use crate::shell::receiver::RECEIVED_BYTES_MAX;
use crate::shell::sandbox::Realm;
use crate::shell::sandbox::SandboxError;
use crate::shell::site::Site;

/// A call of the control plane.
pub(super) struct Asked {
    pub(super) site: Site,
    pub(super) realm: Realm,
    /// `{id}` of the path; empty where the route has none.
    pub(super) id: String,
    pub(super) query: Option<String>,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// An answer: status and JSON.
pub(super) type Reply = (StatusCode, Value);

/// Does what a route promises.
///
/// # Errors
/// The problem to answer; then nothing changed.
pub(super) async fn act(action: Action, asked: Asked) -> Result<Reply, Problem> {
    let body = &asked.body;
    let ask = match action {
        Action::Index => return Ok(ok(index(&asked.realm))),
        Action::Health => return Ok(ok(health(&asked))),
        Action::OpenApi => return Ok(ok(openapi::document(&asked.realm))),
        Action::ListSandboxes => return Ok(ok(list_sandboxes(&asked.site))),
        Action::CreateSandbox => return create_sandbox(&asked),
        Action::DeleteSandbox => return delete_sandbox(&asked),
        Action::MoveClock => return move_clock(&asked).await,
        Action::Reset => return reset(&asked).await,
        Action::SettleDeliveries => return settle(&asked).await,
        Action::WaitForExchange => return wait(&asked).await,
        Action::ListReceived => return Ok(ok(received(&asked.realm))),
        Action::Receive => return receive(&asked),
        Action::PlanReceiver => {
            let statuses = requests::read::<requests::PlanReceiver>(body)?.chosen()?;
            asked.realm.mailbox().plan(statuses);
            return Ok(ok(received(&asked.realm)));
        }
        Action::ClearReceived => {
            asked.realm.mailbox().clear();
            return Ok(ok(received(&asked.realm)));
        }
        Action::World => Ask::World,
        Action::GetClock => Ask::ClockGet,
        Action::GetLegalRequest => Ask::LegalRequest { id: asked.id },
        Action::SetStatus => requests::read::<requests::SetStatus>(body)?.ask(asked.id),
        Action::AddComment => {
            let requests::AddComment { comment } = requests::read(body)?;
            Ask::Comment { id: asked.id, text: comment }
        }
        Action::MintToken => requests::read::<requests::MintToken>(body)?.ask(),
        Action::ExpireToken => {
            let requests::TheToken { token } = requests::read(body)?;
            Ask::ExpireToken { token }
        }
        Action::RevokeToken => {
            let requests::TheToken { token } = requests::read(body)?;
            Ask::RevokeToken { token }
        }
        Action::GetRateLimit => Ask::RateLimitGet,
        Action::SetRateLimit => requests::read::<requests::SetRateLimit>(body)?.ask()?,
        Action::ListDeliveries => Ask::Deliveries,
        Action::GetDeliveryPolicy => Ask::DeliveryPolicyGet,
        Action::SetDeliveryPolicy => requests::read::<requests::SetDeliveryPolicy>(body)?.ask(),
        Action::Redeliver => Ask::Redeliver { id: delivery(&asked.id)? },
        Action::ListFaults => Ask::Faults,
        Action::ArmFault => {
            let ask = requests::read::<ArmFault>(body)?.ask()?;
            let armed = asked.realm.service().control(clock::now(), ask)?;
            return Ok((StatusCode::CREATED, armed));
        }
        Action::DisarmFaults => Ask::DisarmFaults,
        Action::DisarmFault => Ask::DisarmFault { id: fault(&asked.id)? },
        Action::GetDrills => Ask::DrillsGet,
        Action::SetDrills => Ask::DrillsSet(requests::read(body)?),
        Action::ListExchanges => {
            let (filter, limit) = exchanges::read_query(asked.query.as_deref(), true)?;
            Ask::Exchanges { filter, limit }
        }
        Action::ExportExchanges => {
            let (filter, _) = exchanges::read_query(asked.query.as_deref(), false)?;
            Ask::Archive { filter }
        }
        Action::ClearExchanges => Ask::ClearExchanges,
        Action::PutAddress => requests::read::<requests::PutAddress>(body)?.ask()?,
    };
    Ok(ok(asked.realm.service().control(clock::now(), ask)?))
}

fn ok(value: Value) -> Reply {
    (StatusCode::OK, value)
}

fn delivery(id: &str) -> Result<u64, Problem> {
    id.parse().map_err(|_| Problem::not_found(format!("a delivery's id is a number, not `{id}`")))
}

fn fault(id: &str) -> Result<u64, Problem> {
    id.parse().map_err(|_| Problem::not_found(format!("a fault's id is a number, not `{id}`")))
}

fn index(realm: &Realm) -> Value {
    let rows = ROUTES.iter().filter(|route| !route.is_at_root_only || realm.sandbox().is_none());
    let routes: Vec<Value> = rows
        .map(|route| {
            let path = format!("/__admin{}", route.path);
            json!({"method": route.method.as_str(), "path": path, "does": route.title})
        })
        .collect();
    json!({
        "moot": true,
        "version": env!("CARGO_PKG_VERSION"),
        "base_url": realm.settings().base_url,
        "routes": routes,
    })
}

/// Uploads by address may be tried on any mock: one that fetches leaves the names alone that are
/// reserved for examples.
fn health(asked: &Asked) -> Value {
    let realm = &asked.realm;
    let sandboxes = realm.sandbox().is_none().then(|| asked.site.sandboxes().count());
    json!({
        "moot": true,
        "version": env!("CARGO_PKG_VERSION"),
        "consent": ["write", "delete", "load", "fetch"],
        "base_url": realm.settings().base_url,
        "sandbox": realm.sandbox(),
        "sandboxes": sandboxes,
        "fetches": asked.site.fetcher().is_some(),
    })
}

fn list_sandboxes(site: &Site) -> Value {
    site.collect();
    let all: Vec<Value> =
        site.sandboxes().all().iter().map(|realm| realm.addresses().into()).collect();
    json!({ "sandboxes": all })
}

fn create_sandbox(asked: &Asked) -> Result<Reply, Problem> {
    let now = clock::now();
    let plan = requests::read::<requests::CreateSandbox>(&asked.body)?.plan(now)?;
    let site = &asked.site;
    site.collect();
    let realm = site.sandboxes().create(site.main(), plan, now).map_err(|error| match error {
        SandboxError::TooMany => Problem::conflict(error.to_string()),
        SandboxError::Settings(_) => Problem::invalid_value(error.to_string()),
        SandboxError::NotKept(_) => Problem::not_kept(error.to_string()),
    })?;
    site.deliverer().add(&realm);
    Ok((StatusCode::CREATED, realm.describe()))
}

fn delete_sandbox(asked: &Asked) -> Result<Reply, Problem> {
    let removed = asked.site.sandboxes().remove(&asked.id);
    match removed.map_err(|error| Problem::not_kept(SandboxError::from(error).to_string()))? {
        Some(realm) => {
            asked.site.deliverer().remove(&realm);
            Ok(ok(json!({ "deleted": asked.id })))
        }
        None => Err(Problem::not_found(format!("there is no sandbox `{}`", asked.id))),
    }
}

async fn reset(asked: &Asked) -> Result<Reply, Problem> {
    let requests::Nothing {} = requests::read(&asked.body)?;
    let answer = asked.realm.service().control(clock::now(), Ask::Reset)?;
    asked.site.deliverer().cut_all(&asked.realm).await;
    asked.realm.mailbox().clear();
    Ok(ok(answer))
}

fn received(realm: &Realm) -> Value {
    realm.mailbox().view(&realm.settings().base_url)
}

/// What any other sends here is kept beside the world's own deliveries.
fn receive(asked: &Asked) -> Result<Reply, Problem> {
    if asked.body.len() > RECEIVED_BYTES_MAX {
        let detail = format!("a receiver takes {RECEIVED_BYTES_MAX} bytes at most");
        return Err(Problem::too_large(detail));
    }
    let headers = asked.headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str(), value))
    });
    let arrival = Arrival::new(asked.query.as_deref(), headers, asked.body.clone());
    let now = asked.realm.service().now(clock::now());
    Ok((asked.realm.mailbox().take(now, arrival), json!({})))
}

async fn settle(asked: &Asked) -> Result<Reply, Problem> {
    let requests::Nothing {} = requests::read(&asked.body)?;
    let deliverer = asked.site.deliverer();
    let begun = deliverer.begin(&asked.realm).await;
    let settled = deliverer.settle(&asked.realm, begun).await;
    let attempts: Vec<Value> = attempts(&settled);
    Ok(ok(json!({ "attempts": attempts, "in_flight": settled.in_flight })))
}

/// The newest call that matches, once there is one.
async fn wait(asked: &Asked) -> Result<Reply, Problem> {
    let (filter, timeout) = requests::read::<exchanges::Wait>(&asked.body)?.chosen()?;
    let realm = &asked.realm;
    let found = async {
        loop {
            // Before the look, so that no call comes between the two.
            let mut called = std::pin::pin!(realm.called().notified());
            called.as_mut().enable();
            let ask = Ask::Exchanges { filter: filter.clone(), limit: 1 };
            let found = realm.service().control(clock::now(), ask)?;
            if found["exchanges"].as_array().is_some_and(|found| !found.is_empty()) {
                return Ok(found);
            }
            called.await;
        }
    };
    match tokio::time::timeout(timeout, found).await {
        Ok(found) => found.map(ok),
        Err(_) => {
            let detail = format!("no call that matches came within {} s", timeout.as_secs());
            Err(Problem::timeout(detail))
        }
    }
}

async fn move_clock(asked: &Asked) -> Result<Reply, Problem> {
    let chosen = requests::read::<requests::MoveClock>(&asked.body)?.chosen()?;
    let ask = match chosen {
        Move::Advance(seconds) => Ask::ClockAdvance { seconds },
        Move::To(time) => Ask::ClockSet(time),
        Move::Next => Ask::ClockNext,
    };
    let deliverer = asked.site.deliverer();
    let begun = deliverer.begin(&asked.realm).await;
    let mut answer = asked.realm.service().control(clock::now(), ask)?;
    let settled = deliverer.settle(&asked.realm, begun).await;
    answer["attempts"] = attempts(&settled).into();
    answer["in_flight"] = settled.in_flight.into();
    Ok(ok(answer))
}

fn attempts(settled: &Settled) -> Vec<Value> {
    let shown = |(delivery, result): &(u64, AttemptResult)| match result {
        AttemptResult::Status(status) => json!({"delivery": delivery, "status": status}),
        AttemptResult::NoAnswer(why) => json!({"delivery": delivery, "error": why}),
    };
    settled.attempts.iter().map(shown).collect()
}
