//! Arms faults. A fault that could never affect a call is refused.

use moot_fixtures::contract::TokenNeed;
use serde_json::{Value, json};

use super::{Refusal, parties};
use crate::value::limits::{FAULT_EFFECTS_MAX, FAULT_SEQUENCE_MAX, FAULTS_MAX};
use crate::value::message::call::Principal;
use crate::world::fault::{Fault, FaultEffect};
use crate::world::{World, authorise};

/// Every fault, oldest first. Shape: `{"faults": [{"id", "kind", "sequence", "operation",
/// "method", "path", "application", "client", "nth", "times", "matched", "hits", "spent"}]}`. `hits` is the
/// number of affected calls. `kind` is null if the fault has several effects; `sequence` lists them by
/// call.
pub(super) fn view(world: &World) -> Value {
    json!({ "faults": world.faults.json() })
}

/// Arms a fault. Shape: a member of `faults`.
pub(super) fn arm(world: &World, fault: Fault) -> Result<Value, Refusal> {
    check_count("nth", fault.nth)?;
    check_count("times", fault.times)?;
    check_sequence(&fault.sequence)?;
    let application = check_caller(world, &fault)?;
    let armed = world.faults.arm(fault, application);
    armed.ok_or_else(|| {
        let detail = format!("there are {FAULTS_MAX} faults already: DELETE /__admin/faults");
        Refusal::conflict(detail)
    })
}

/// Removes a fault. Shape: as [`view`].
pub(super) fn disarm(world: &World, id: u64) -> Result<Value, Refusal> {
    if world.faults.remove(id) {
        return Ok(view(world));
    }
    Err(Refusal::unknown(format!("there is no fault {id}: GET /__admin/faults lists them")))
}

fn check_count(name: &str, count: u64) -> Result<(), Refusal> {
    if count == 0 {
        let detail = format!("`{name}` counts from 1; a fault with 0 would affect no call");
        return Err(Refusal::invalid(detail));
    }
    Ok(())
}

fn check_sequence(sequence: &[Vec<FaultEffect>]) -> Result<(), Refusal> {
    if sequence.iter().all(Vec::is_empty) {
        return Err(Refusal::invalid("a fault needs an effect, such as `kind`"));
    }
    let calls = sequence.len();
    if calls > FAULT_SEQUENCE_MAX
        || sequence.iter().any(|effects| effects.len() > FAULT_EFFECTS_MAX)
    {
        return Err(Refusal::invalid(format!(
            "a sequence has {FAULT_SEQUENCE_MAX} calls at most, and a call {FAULT_EFFECTS_MAX} effects"
        )));
    }
    Ok(())
}

/// The index of the fault's application. Refuses an application whose calls are never admitted.
fn check_caller(world: &World, fault: &Fault) -> Result<Option<u32>, Refusal> {
    if let Some(operation) = fault.operation
        && !world.seed_data().router.has(operation)
    {
        let name = operation.as_str();
        return Err(Refusal::invalid(format!(
            "`{name}` is not an operation of this world: its answers leave it out"
        )));
    }
    let Some(client_id) = &fault.application else { return Ok(None) };
    let (index, application) = parties::application_of(world, client_id)?;
    let Some(operation) = fault.operation else { return Ok(Some(index)) };
    let (name, need) = (operation.as_str(), authorise::need(operation, world.answers()));
    if need == TokenNeed::None {
        return Err(Refusal::invalid(format!(
            "calls of `{name}` carry no token, so none is of `{client_id}`: leave `application` out"
        )));
    }
    let principal =
        Principal { application: index, company: application.company, scopes: application.scopes };
    authorise::authorise(need, &principal, world.answers()).map_err(|problem| {
        let detail = format!("`{client_id}` cannot call `{name}`: {}", problem.detail);
        Refusal::invalid(detail)
    })?;
    Ok(Some(index))
}
