//! The control plane of one world. It performs an action and returns JSON.
//!
//! [`ControlAction`] defines every action. The shell offers them over HTTP.

mod action;
mod addresses;
mod advice;
mod archive;
mod checkpoints;
mod clock;
#[cfg(feature = "server")]
mod events;
mod exchanges;
mod fault_request;
mod faults;
mod filter;
mod legal_request;
mod outbox;
mod overview;
mod parties;
mod rate_limit;
mod refusal;
mod repository_document;
mod settings;
mod text;
mod timers;
mod tokens;

use jiff::Timestamp;
#[cfg(feature = "server")]
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

pub use action::{ControlAction, LimitedClients};
pub use addresses::AddressContent;
pub(crate) use checkpoints::go_back;
pub use clock::ClockMove;
#[cfg(feature = "server")]
pub(crate) use events::{ControlEvent, EventKind, EventWatcher};
#[cfg(feature = "server")]
pub(crate) use exchanges::nearest as nearest_exchange;
#[cfg(feature = "server")]
pub(crate) use filter::is_path_pattern;
pub use filter::{DeliveryFilter, ExchangeFilter};
pub use parties::WorkflowUpdate;
pub use refusal::Refusal;
pub use settings::SettingsUpdate;
#[cfg(feature = "server")]
pub(crate) use settings::{optional_progression, rate_limit};
#[cfg(feature = "server")]
pub(crate) use text::optional_text;

use crate::world::World;
use crate::world::state::change::Change;

/// The member of the response with JSON that a client sent: its name and its exact text. A [`Value`] would
/// round large numbers.
#[cfg(feature = "server")]
pub(crate) fn sent_member(
    world: &World,
    action: &ControlAction,
) -> Option<(&'static str, Box<RawValue>)> {
    match action {
        ControlAction::GetRepositoryDocument { id } => {
            let fields = &world.document(id)?.custom_fields;
            Some(("custom_fields", to_raw_value(fields).ok()?))
        }
        ControlAction::GetLegalRequest { id }
        | ControlAction::SetStatus { id, .. }
        | ControlAction::SetProgression { id, .. }
        | ControlAction::AddComment { id, .. } => {
            let variables = &world.legal_request(id)?.submission.variables;
            Some(("variables", to_raw_value(variables).ok()?))
        }
        _ => None,
    }
}

/// Performs an action at the system's time `system_now`.
///
/// # Errors
/// [`Refusal`] if it can't be performed. Then nothing has changed.
pub fn perform(
    world: &mut World,
    system_now: Timestamp,
    action: ControlAction,
) -> Result<Value, Refusal> {
    let now = world.now(system_now);
    match action {
        ControlAction::World => Ok(overview::world(world, now)),
        ControlAction::ListCheckpoints => Ok(checkpoints::view(world)),
        ControlAction::GetClock => Ok(clock::view(world, system_now, &[])),
        ControlAction::ListAddresses => Ok(addresses::view(world)),
        ControlAction::GetSettings => Ok(settings::view(world)),
        ControlAction::GetParties => Ok(parties::view(world)),
        ControlAction::GetRepositoryDocument { id } => repository_document::view(world, &id),
        ControlAction::GetLegalRequest { id } => legal_request::view(world, &id),
        ControlAction::ListLegalRequests { status, limit } => {
            Ok(legal_request::list(world, status, limit))
        }
        ControlAction::GetExchange { id } => exchanges::details(world, id),
        ControlAction::ListTimers { limit } => Ok(timers::view(world, now, limit)),
        ControlAction::GetRateLimit => Ok(rate_limit::view(world, now)),
        ControlAction::ListDeliveries { filter } => Ok(outbox::view(world, &filter)),
        ControlAction::GetDeliveryPolicy => Ok(json!(world.state().delivery_policy)),
        ControlAction::ListFaults => Ok(faults::view(world)),
        ControlAction::GetDrills => Ok(json!(*world.drills.read())),
        ControlAction::ListExchanges { filter, limit } => {
            exchanges::check(world, &filter).map(|()| exchanges::view(world, &filter, limit))
        }
        ControlAction::CountExchanges { filter } => {
            exchanges::check(world, &filter).map(|()| exchanges::count(world, &filter))
        }
        ControlAction::ExportExchanges { filter } => {
            exchanges::check(world, &filter).map(|()| archive::archive(world, &filter))
        }
        ControlAction::Reset => go_back(world, system_now, None).map(|(overview, _)| overview),
        ControlAction::Restart => Ok(checkpoints::restart(world, system_now)),
        ControlAction::PutCheckpoint { name } => checkpoints::put(world, now, name),
        ControlAction::RestoreCheckpoint { id } => {
            go_back(world, system_now, Some(&id)).map(|(overview, _)| overview)
        }
        ControlAction::DeleteCheckpoint { id } => checkpoints::delete(world, id),
        ControlAction::MoveClock(clock_move) => clock::perform(world, system_now, clock_move),
        ControlAction::AddLegalRequest { company } => {
            legal_request::add(world, now, company.as_deref())
        }
        ControlAction::SetStatus { id, status, comment, force } => {
            legal_request::set_status(world, now, &id, status, comment, force)
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
            world.faults.clear();
            Ok(faults::view(world))
        }
        ControlAction::DisarmFault { id } => faults::disarm(world, id),
        ControlAction::SetDrills(drills) => {
            *world.drills.write() = drills;
            Ok(json!(drills))
        }
        ControlAction::ClearExchanges => {
            world.journal.clear();
            Ok(json!({ "count": 0, "exchanges": [] }))
        }
        ControlAction::PutAddress(address) => addresses::put(world, address),
        ControlAction::DeleteAddresses { url } => addresses::delete(world, url.as_deref()),
        ControlAction::SetSettings(update) => settings::set(world, update),
        ControlAction::SetProgression { id, progression } => {
            legal_request::set_progression(world, now, &id, progression)
        }
        ControlAction::AddUser { email, company } => {
            parties::add_user(world, email, company.as_deref())
        }
        ControlAction::RemoveUser { id } => parties::remove_user(world, &id),
        ControlAction::PutApplication { id, client_secret, scopes, company } => {
            parties::put_application(world, id, client_secret, scopes, company.as_deref())
        }
        ControlAction::RemoveApplication { id } => parties::remove_application(world, &id),
        ControlAction::PutWorkflow { id, update } => parties::put_workflow(world, id, update),
        ControlAction::RemoveWorkflow { id } => parties::remove_workflow(world, &id),
    }
}

/// The whole journal in the form of [`ControlAction::ListExchanges`], with the number of forgotten calls. The
/// deliveries of deleted webhooks come first.
#[cfg(feature = "server")]
pub(crate) fn journal(world: &World) -> Value {
    let mut journal = exchanges::with_response_bodies(world);
    journal["forgotten"] = json!(world.journal.forgotten());
    journal["answers"] = json!(world.answers());
    let removed = world.journal.removed_deliveries();
    let deliveries = removed.iter().chain(world.state().deliveries.values());
    journal["deliveries"] = deliveries.map(|delivery| delivery.json()).collect();
    journal
}
