//! The control plane of one world: an action in, JSON out, with its changes applied.
//!
//! [`ControlAction`] defines every action. The shell carries them over HTTP.

mod action;
mod advice;
mod archive;
mod clock;
mod exchanges;
mod fault_request;
mod faults;
mod filter;
mod legal_request;
mod outbox;
mod overview;
mod rate_limit;
mod refusal;
mod restart;
mod text;
mod tokens;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

pub use action::{AddressContent, ClockMove, ControlAction, Exhaust};
pub use filter::{ExchangeFilter, StatusFilter};
pub use refusal::Refusal;
#[cfg(feature = "server")]
pub(crate) use text::optional_text;

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
    action: &ControlAction,
) -> Option<Result<Value, Refusal>> {
    let now = world.now(system_now);
    Some(match action {
        ControlAction::World => Ok(overview::world(world, now)),
        ControlAction::GetClock => Ok(clock::view(world, system_now, &[])),
        ControlAction::GetLegalRequest { id } => legal_request::view(world, id),
        ControlAction::GetRateLimit => Ok(rate_limit::view(world, now)),
        ControlAction::ListDeliveries => Ok(outbox::view(world)),
        ControlAction::GetDeliveryPolicy => Ok(json!(world.state().delivery_policy)),
        ControlAction::ListFaults => Ok(faults::view(world)),
        ControlAction::GetDrills => Ok(json!(world.drilled().get())),
        ControlAction::ListExchanges { filter, limit } => {
            Ok(exchanges::view(world, filter, *limit))
        }
        ControlAction::ExportExchanges { filter } => Ok(archive::archive(world, filter)),
        ControlAction::Reset
        | ControlAction::Restart
        | ControlAction::MoveClock(_)
        | ControlAction::SetStatus { .. }
        | ControlAction::AddComment { .. }
        | ControlAction::MintToken { .. }
        | ControlAction::ExpireToken { .. }
        | ControlAction::RevokeToken { .. }
        | ControlAction::SetRateLimit { .. }
        | ControlAction::SetDeliveryPolicy(_)
        | ControlAction::Redeliver { .. }
        | ControlAction::ArmFault(_)
        | ControlAction::DisarmFaults
        | ControlAction::DisarmFault { .. }
        | ControlAction::SetDrills(_)
        | ControlAction::ClearExchanges
        | ControlAction::PutAddress(_) => return None,
    })
}

/// What was submitted for the legal request that the answer shows, where it shows one.
pub(crate) fn shown(world: &World, action: &ControlAction) -> Option<Arc<Submission>> {
    let (ControlAction::GetLegalRequest { id }
    | ControlAction::SetStatus { id, .. }
    | ControlAction::AddComment { id, .. }) = action
    else {
        return None;
    };
    Some(world.legal_request(id)?.submission.clone())
}

/// Does what is asked of a world, while the system's time is `system_now`.
///
/// # Errors
/// [`Refusal`] where it can't be done; then nothing changed.
pub fn perform(
    world: &mut World,
    system_now: Timestamp,
    action: ControlAction,
) -> Result<Value, Refusal> {
    let now = world.now(system_now);
    match action {
        ControlAction::Reset => reset(world, system_now).map(|(overview, _)| overview),
        ControlAction::Restart => Ok(restart::restart(world, system_now)),
        ControlAction::MoveClock(ClockMove::Advance(seconds)) => {
            clock::advance(world, system_now, seconds)
        }
        ControlAction::MoveClock(ClockMove::To(at)) => clock::set(world, system_now, at),
        ControlAction::MoveClock(ClockMove::Next) => Ok(clock::next(world, system_now)),
        ControlAction::SetStatus { id, status, comment, force } => {
            let ordered = legal_request::Ordered { status, comment, force };
            legal_request::set_status(world, now, &id, ordered)
        }
        ControlAction::AddComment { id, comment } => {
            legal_request::comment(world, now, &id, comment)
        }
        ControlAction::MintToken { client_id, scopes, age_seconds } => {
            tokens::mint(world, now, &client_id, scopes, age_seconds)
        }
        ControlAction::ExpireToken { token } => {
            tokens::mark(world, &token, |serial| Change::ExpireToken { serial })
        }
        ControlAction::RevokeToken { token } => {
            tokens::mark(world, &token, |serial| Change::RevokeToken { serial })
        }
        ControlAction::SetRateLimit { mode, reset, exhaust } => {
            Ok(rate_limit::set(world, now, mode, reset, exhaust))
        }
        ControlAction::SetDeliveryPolicy(update) => outbox::set_policy(world, update),
        ControlAction::Redeliver { id } => outbox::redeliver(world, now, id),
        ControlAction::ArmFault(fault) => faults::arm(world, fault),
        ControlAction::DisarmFaults => {
            world.faults().clear();
            Ok(faults::view(world))
        }
        ControlAction::DisarmFault { id } => faults::disarm(world, id),
        ControlAction::SetDrills(drills) => {
            world.drilled().set(drills);
            Ok(json!(drills))
        }
        ControlAction::ClearExchanges => {
            world.journal().clear();
            Ok(json!({ "exchanges": [] }))
        }
        ControlAction::PutAddress(address) => put_address(world, address),
        other => look(world, system_now, &other).unwrap_or_else(|| {
            let detail = "the mock does not implement this action, which is a bug of the mock";
            Err(Refusal::conflict(detail.to_owned()))
        }),
    }
}

/// The whole journal, as [`ControlAction::ListExchanges`] shows it, with how many calls it has forgotten.
#[cfg(feature = "server")]
pub(crate) fn journal(world: &World) -> Value {
    let mut journal = exchanges::view(world, &ExchangeFilter::default(), usize::MAX);
    journal["forgotten"] = json!(world.journal().forgotten());
    journal
}

/// Takes a world back to its start. Gives the world as it was too: dropping it removes files, which takes
/// long, so the caller does that where it delays nobody.
pub(crate) fn reset(
    world: &mut World,
    system_now: Timestamp,
) -> Result<(Value, Box<World>), Refusal> {
    let first = world.at_first(system_now).map_err(|error| Refusal::conflict(error.to_string()))?;
    let former = std::mem::replace(world, first);
    Ok((overview::world(world, world.now(system_now)), Box::new(former)))
}

fn put_address(world: &mut World, address: AddressContent) -> Result<Value, Refusal> {
    let AddressContent { url, bytes, content_type } = address;
    let content = Content::in_memory(bytes);
    let url = Url::parse(&url)
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
