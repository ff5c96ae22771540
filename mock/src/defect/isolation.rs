//! Defects of the wall between companies (§5.6).

use std::sync::Arc;

use moot_fixtures::contract::Operation;

use super::Defect;
use super::asked::Asked;
use super::row::row;
use super::seam::{Seam, create_forgets};
use crate::resource::{RepositoryDocument, Webhook};
use crate::state::change::Change;
use crate::world::deliver;
use crate::world::transition::EXECUTION_COMPLETE;
use crate::world::{Outcome, World};

/// A read of one resource that finds it in any company.
macro_rules! leaks {
    ($id:literal, $section:literal, $breaks:literal, $what:literal, $operation:ident) => {
        row(
            $id,
            $section,
            &[$breaks],
            $what,
            Seam::Answer(|asked, outcome| anywhere(asked, outcome, Operation::$operation)),
        )
        .also(&["service.scoped-to-company"])
    };
}

/// A list that is that of the first company, whoever asks.
macro_rules! lists {
    ($id:literal, $section:literal, $breaks:literal, $what:literal, $operation:ident) => {
        row(
            $id,
            $section,
            &[$breaks],
            $what,
            Seam::Answer(|asked, outcome| match asked.is(Operation::$operation) {
                true => asked.by_company(FIRST),
                false => outcome,
            }),
        )
        .also(&["service.scoped-to-company"])
    };
}

const FIRST: u32 = 0;

pub(super) const ROWS: &[Defect] = &[
    lists!(
        "isolation.workflows-listed",
        "5",
        "isolation.list-workflows",
        "The list of workflows is that of another company.",
        ListWorkflows
    ),
    leaks!(
        "isolation.workflow-read",
        "5",
        "isolation.get-workflow",
        "A workflow of another company can be read.",
        GetWorkflow
    ),
    leaks!(
        "isolation.schema-read",
        "5",
        "isolation.get-workflow-schema",
        "The schema of another company's workflow can be read.",
        GetWorkflowSchema
    ),
    row(
        "isolation.workflow-used",
        "5",
        &["isolation.create-legal-request"],
        "A request is created against a workflow of another company.",
        create_forgets("there is no workflow"),
    )
    .also(&["create-legal-request.workflow-must-exist"]),
    lists!(
        "isolation.requests-listed",
        "5",
        "isolation.list-legal-requests",
        "The list of requests is that of another company.",
        ListLegalRequests
    ),
    leaks!(
        "isolation.request-read",
        "5",
        "isolation.get-legal-request",
        "A request of another company can be read.",
        GetLegalRequest
    ),
    leaks!(
        "isolation.activity-read",
        "5",
        "isolation.get-legal-request-activity",
        "The activity of another company's request can be read.",
        GetLegalRequestActivity
    ),
    row(
        "isolation.upload-shared",
        "5",
        &["isolation.create-repository-document"],
        "An uploaded document is stored for every company.",
        Seam::Apply(|world, changes| with_copies(world, changes, document_of)),
    )
    .also(&["isolation.list-repository-documents"]),
    lists!(
        "isolation.documents-listed",
        "5",
        "isolation.list-repository-documents",
        "The list of documents is that of another company.",
        ListRepositoryDocuments
    ),
    leaks!(
        "isolation.document-read",
        "5",
        "isolation.get-repository-document",
        "A document of another company can be read.",
        GetRepositoryDocument
    ),
    lists!(
        "isolation.webhooks-listed",
        "5",
        "isolation.list-webhooks",
        "The list of webhooks is that of another company.",
        ListWebhooks
    ),
    leaks!(
        "isolation.webhook-deleted",
        "5",
        "isolation.delete-webhook",
        "A webhook of another company can be deleted.",
        DeleteWebhook
    ),
    row(
        "isolation.webhook-shared",
        "5",
        &["isolation.create-webhook"],
        "A webhook is registered for every company.",
        Seam::Apply(|world, changes| with_copies(world, changes, webhook_of)),
    )
    .also(&["isolation.list-webhooks", "isolation.deliveries"]),
    row(
        "isolation.deliveries-to-all",
        "5",
        &["isolation.deliveries"],
        "The webhooks of every company are notified.",
        Seam::Apply(|world, changes| {
            let fully_executed = world.answers().fully_executed;
            let mut all = Vec::new();
            for change in changes {
                if let Change::PutLegalRequest { row, record } = &change {
                    let before = world.state().legal_requests.get(*row);
                    let moves = before.is_some_and(|before| before.status() != record.status());
                    if moves && record.status() == fully_executed {
                        all.extend(to_others(world, record));
                    }
                }
                all.push(change);
            }
            all
        }),
    ),
];

/// What the core says of the same call by each company, until one of them finds it.
fn anywhere(asked: &Asked<'_>, outcome: Outcome, operation: Operation) -> Outcome {
    if !asked.is(operation) || outcome.is_taken() {
        return outcome;
    }
    let companies = asked.world.seeded().companies().len() as u32;
    let mut others = (0..companies).map(|company| asked.by_company(company));
    others.find(Outcome::is_taken).unwrap_or(outcome)
}

/// Changes in which each new record has a twin in every other company's list, under the same row.
fn with_copies(
    world: &World,
    changes: Vec<Change>,
    copy: fn(&Change, u32) -> Option<(u32, Change)>,
) -> Vec<Change> {
    let companies = world.seeded().companies().len() as u32;
    let mut all = Vec::new();
    for change in changes {
        for company in 0..companies {
            all.extend(copy(&change, company).filter(|(own, _)| *own != company).map(|two| two.1));
        }
        all.push(change);
    }
    all
}

fn document_of(change: &Change, company: u32) -> Option<(u32, Change)> {
    let Change::PutRepositoryDocument { row, record } = change else { return None };
    let copy = RepositoryDocument { company, ..RepositoryDocument::clone(record) };
    let change = Change::PutRepositoryDocument { row: *row, record: Arc::new(copy) };
    Some((record.company, change))
}

fn webhook_of(change: &Change, company: u32) -> Option<(u32, Change)> {
    let Change::PutWebhook { row, record } = change else { return None };
    let copy = Webhook { company, ..Webhook::clone(record) };
    Some((record.company, Change::PutWebhook { row: *row, record: Arc::new(copy) }))
}

fn to_others(world: &World, record: &crate::resource::LegalRequest) -> Vec<Change> {
    let companies = world.seeded().companies().len() as u32;
    let own = deliver::queue(world, record.created_at, EXECUTION_COMPLETE, record).0.len();
    let mut id = world.state().next_delivery + own as u64;
    let mut changes = Vec::new();
    for company in (0..companies).filter(|company| *company != record.company) {
        let abroad = crate::resource::LegalRequest { company, ..record.clone() };
        for change in deliver::queue(world, record.created_at, EXECUTION_COMPLETE, &abroad).0 {
            if let Change::PutDelivery { record } = change {
                let delivery = crate::resource::Delivery { id, ..(*record).clone() };
                changes.push(Change::PutDelivery { record: Arc::new(delivery) });
                id += 1;
            }
        }
    }
    changes
}
