//! Mints, expires and revokes tokens.

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::Scopes;
use serde_json::{Value, json};

use super::{Refusal, parties};
use crate::value::token::Grant;
use crate::world::World;
use crate::world::state::change::Change;

/// Mints a token of this age. It does not revoke earlier tokens. Shape: the token response (§2.8).
pub(super) fn mint(
    world: &World,
    now: Timestamp,
    client_id: &str,
    scopes: Option<Scopes>,
    age_seconds: i64,
) -> Result<Value, Refusal> {
    let (index, application) = parties::application_of(world, client_id)?;
    let issued_at = now
        .checked_sub(SignedDuration::from_secs(age_seconds))
        .map_err(|_| Refusal::invalid("`age_seconds` leads beyond the end of time"))?;
    let first_valid = world.state().token_marks.first_valid(index);
    let grant = Grant {
        application: index,
        scopes: scopes.unwrap_or(application.scopes),
        issued_at: issued_at.as_second(),
        serial: world.next_serial().max(first_valid),
    };
    Ok(json!(grant.response(&world.sealer.seal(&grant))))
}

/// Expires or revokes a token. Shape: `{"client_id", "scope"}`.
pub(super) fn mark(
    world: &mut World,
    token: &str,
    change: impl Fn(u64) -> Change,
) -> Result<Value, Refusal> {
    let grant = world
        .sealer
        .open(token)
        .ok_or_else(|| Refusal::unknown("that is not a token of this world"))?;
    world.apply(world.state().token_marks.add(change(grant.serial)));
    let client_id =
        world.seed_data().application(grant.application).map(|application| &application.client_id);
    Ok(json!({ "client_id": client_id, "scope": grant.scopes.as_str() }))
}
