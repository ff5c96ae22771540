//! Defects of isolation (§5.6): records are shared with other companies, or hidden from applications of their own
//! company.

use std::sync::Arc;

use moot_fixtures::contract::{EXECUTION_COMPLETE, Operation, Scope};

use super::DefectCode::{self, Answer, Change as OnChange};
use super::histories::is_moved;
use crate::defect::call::{DefectCall, companies};
use crate::defect::record;
use crate::world::deliver;
use crate::world::state::change::Change;
use crate::world::state::resource::{Delivery, LegalRequest};
use crate::world::{Outcome, World};

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("isolation.upload-shared", OnChange(|world, changes| share(world, changes, document_owner))),
    ("isolation.webhook-shared", OnChange(|world, changes| share(world, changes, webhook_owner))),
    ("isolation.deliveries-to-all", OnChange(deliveries_to_all)),
    ("isolation.of-the-application", Answer(of_the_application)),
];

/// Hides requests and documents from applications that cannot write.
fn of_the_application(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let reads = [Operation::GetLegalRequest, Operation::GetRepositoryDocument];
    let principal = call.call.admitted.principal;
    let application = principal.and_then(|it| call.world.seed_data().application(it.application));
    let only_reads = application.is_some_and(|it| !it.scopes.contains(Scope::Write));
    call.hidden_if(call.is_any(&reads) && only_reads, outcome)
}

/// Adds a copy of each shared record for every other company, under the same row. `owner` is the company of a record
/// that is shared.
fn share(
    world: &World,
    changes: Vec<Change>,
    owner: impl Fn(&Change) -> Option<u32>,
) -> Vec<Change> {
    let copies = |change: &Change| -> Vec<Change> {
        let Some(owner) = owner(change) else { return Vec::new() };
        let others = companies(world).filter(|company| *company != owner);
        others.map(|company| record::of_company(change, |_| company)).collect()
    };
    changes.into_iter().flat_map(|change| copies(&change).into_iter().chain([change])).collect()
}

fn document_owner(change: &Change) -> Option<u32> {
    let Change::PutRepositoryDocument { record, .. } = change else { return None };
    Some(record.company)
}

fn webhook_owner(change: &Change) -> Option<u32> {
    let Change::PutWebhook { record, .. } = change else { return None };
    Some(record.company)
}

fn deliveries_to_all(world: &World, changes: Vec<Change>) -> Vec<Change> {
    let fully_executed = world.answers().fully_executed;
    let others = |change: &Change| -> Vec<Change> {
        match change {
            Change::PutLegalRequest { row, record }
                if record.status == fully_executed && is_moved(world, *row, record) =>
            {
                deliveries_to_others(world, record)
            }
            _ => Vec::new(),
        }
    };
    changes.into_iter().flat_map(|change| others(&change).into_iter().chain([change])).collect()
}

/// The deliveries of every other company's webhooks, numbered after the company's own deliveries.
fn deliveries_to_others(world: &World, record: &LegalRequest) -> Vec<Change> {
    let queued = |record: &LegalRequest| {
        deliver::queue(world, record.created_at, EXECUTION_COMPLETE, record).0
    };
    let first = world.state().next_delivery + queued(record).len() as u64;
    companies(world)
        .filter(|company| *company != record.company)
        .flat_map(|company| queued(&LegalRequest { company, ..record.clone() }))
        .filter_map(|change| match change {
            Change::PutDelivery { record } => Some(record),
            _ => None,
        })
        .zip(first..)
        .map(|(record, id)| Change::PutDelivery {
            record: Arc::new(Delivery { id, ..Delivery::clone(&record) }),
        })
        .collect()
}
