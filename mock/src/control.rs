//! What the control plane can ask of a world, and what a world answers.
//!
//! A question or an order in, JSON out, with the changes applied; no HTTP, which is the shell's.

mod advice;
mod archive;
mod ask;
mod clock;
mod exchanges;
mod faults;
mod legal_request;
mod outbox;
mod overview;
mod rate_limit;
mod tokens;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

pub use ask::{Ask, Exhaust, Refusal};

pub use crate::journal::{Filter, StatusFilter};

use crate::message::content::Content;
use crate::resource::legal_request::Submission;
use crate::state::change::Change;
use crate::value::limits::ADDRESSES_MAX;
use crate::world::World;

/// What is asked of a world without changing it, while the system's time is `system_now`; `None` where
/// it changes something, and is [`perform`]'s.
pub(crate) fn look(
    world: &World,
    system_now: Timestamp,
    ask: &Ask,
) -> Option<Result<Value, Refusal>> {
    let now = world.now(system_now);
    Some(match ask {
        Ask::World => Ok(overview::world(world, now)),
        Ask::ClockGet => Ok(clock::view(world, system_now, &[])),
        Ask::LegalRequest { id } => legal_request::view(world, id),
        Ask::RateLimitGet => Ok(rate_limit::view(world, now)),
        Ask::Deliveries => Ok(outbox::view(world)),
        Ask::DeliveryPolicyGet => Ok(json!(world.state().delivery_policy)),
        Ask::Faults => Ok(faults::view(world)),
        Ask::DrillsGet => Ok(json!(world.drilled().get())),
        Ask::Exchanges { filter, limit } => Ok(exchanges::view(world, filter, *limit)),
        Ask::Archive { filter } => Ok(archive::archive(world, filter)),
        Ask::Reset
        | Ask::ClockAdvance { .. }
        | Ask::ClockSet(_)
        | Ask::ClockNext
        | Ask::SetStatus { .. }
        | Ask::Comment { .. }
        | Ask::MintToken { .. }
        | Ask::ExpireToken { .. }
        | Ask::RevokeToken { .. }
        | Ask::RateLimitSet { .. }
        | Ask::DeliveryPolicySet(_)
        | Ask::Redeliver { .. }
        | Ask::ArmFault(_)
        | Ask::DisarmFaults
        | Ask::DisarmFault { .. }
        | Ask::DrillsSet(_)
        | Ask::ClearExchanges
        | Ask::PutAddress { .. } => return None,
    })
}

/// What was submitted for the legal request that the answer shows, where it shows one.
pub(crate) fn shown(world: &World, ask: &Ask) -> Option<Arc<Submission>> {
    let (Ask::LegalRequest { id } | Ask::SetStatus { id, .. } | Ask::Comment { id, .. }) = ask
    else {
        return None;
    };
    Some(world.legal_request(id)?.submission.clone())
}

/// Does what is asked of a world, while the system's time is `system_now`.
///
/// # Errors
/// [`Refusal`] where it can't be done; then nothing changed.
pub fn perform(world: &mut World, system_now: Timestamp, ask: Ask) -> Result<Value, Refusal> {
    let now = world.now(system_now);
    match ask {
        Ask::World
        | Ask::ClockGet
        | Ask::LegalRequest { .. }
        | Ask::RateLimitGet
        | Ask::Deliveries
        | Ask::DeliveryPolicyGet
        | Ask::Faults
        | Ask::DrillsGet
        | Ask::Exchanges { .. }
        | Ask::Archive { .. } => look(world, system_now, &ask).expect("these only look"),
        Ask::Reset => reset(world, system_now),
        Ask::ClockAdvance { seconds } => clock::advance(world, system_now, seconds),
        Ask::ClockSet(at) => clock::set(world, system_now, at),
        Ask::ClockNext => Ok(clock::next(world, system_now)),
        Ask::SetStatus { id, status, comment, force } => {
            let ordered = legal_request::Ordered { status, comment, force };
            legal_request::set_status(world, now, &id, ordered)
        }
        Ask::Comment { id, text } => legal_request::comment(world, now, &id, text),
        Ask::MintToken { client_id, scopes, age_seconds } => {
            tokens::mint(world, now, &client_id, scopes, age_seconds)
        }
        Ask::ExpireToken { token } => {
            tokens::mark(world, &token, |serial| Change::ExpireToken { serial })
        }
        Ask::RevokeToken { token } => {
            tokens::mark(world, &token, |serial| Change::RevokeToken { serial })
        }
        Ask::RateLimitSet { mode, reset, exhaust } => {
            Ok(rate_limit::set(world, now, mode, reset, exhaust))
        }
        Ask::DeliveryPolicySet(update) => outbox::set_policy(world, update),
        Ask::Redeliver { id } => outbox::redeliver(world, now, id),
        Ask::ArmFault(fault) => faults::arm(world, fault),
        Ask::DisarmFaults => {
            world.faults().clear();
            Ok(faults::view(world))
        }
        Ask::DisarmFault { id } => faults::disarm(world, id),
        Ask::DrillsSet(drills) => {
            world.drilled().set(drills);
            Ok(json!(drills))
        }
        Ask::ClearExchanges => {
            world.journal().clear();
            Ok(json!({ "exchanges": [] }))
        }
        Ask::PutAddress { url, bytes, content_type } => {
            put_address(world, &url, Content::in_memory(bytes), content_type)
        }
    }
}

/// The whole journal, as [`Ask::Exchanges`] shows it, with how many calls it has forgotten.
#[cfg(feature = "server")]
pub(crate) fn journal(world: &World) -> Value {
    let mut journal = exchanges::view(world, &Filter::default(), usize::MAX);
    journal["forgotten"] = json!(world.journal().forgotten());
    journal
}

fn reset(world: &mut World, system_now: Timestamp) -> Result<Value, Refusal> {
    *world = world.at_first(system_now).map_err(|error| Refusal::conflict(error.to_string()))?;
    Ok(overview::world(world, world.now(system_now)))
}

fn put_address(
    world: &mut World,
    url: &str,
    content: Content,
    content_type: Option<String>,
) -> Result<Value, Refusal> {
    let url = Url::parse(url)
        .ok()
        .filter(|url| url.scheme() == "https")
        .ok_or_else(|| Refusal::invalid("`url` must be an absolute https address".to_owned()))?;
    let addresses = &world.state().addresses;
    if addresses.len() >= ADDRESSES_MAX && !addresses.contains_key(url.as_str()) {
        let detail = format!("there are {ADDRESSES_MAX} addresses already; reset the world");
        return Err(Refusal::conflict(detail));
    }
    let answer = json!({ "url": url.as_str(), "length": content.length });
    world.apply(vec![Change::PutAddress { url: url.into(), content, content_type }]);
    Ok(answer)
}
