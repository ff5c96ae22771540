//! Legal requests, repository documents and webhooks of a seed world.

mod documents;
mod legal_requests;
mod webhooks;

use std::sync::Arc;

use moot_fixtures::contract::{Answers, LegalRequestStatus};
use moot_fixtures::world::SeedWorld;

use super::Ids;
use super::parties::Parties;
use crate::value::identifier::{IdKind, Identifiers};
use crate::value::settings::SettingsError;
use crate::world::state::index::Index;
use crate::world::state::resource::{LegalRequest, RepositoryDocument, Webhook};

/// The rows, their ids and their indexes.
#[derive(Debug)]
pub(crate) struct SeedRows {
    pub(crate) legal_requests: Arc<Vec<Arc<LegalRequest>>>,
    pub(crate) documents: Arc<Vec<Arc<RepositoryDocument>>>,
    pub(crate) webhooks: Arc<Vec<Arc<Webhook>>>,
    pub(crate) legal_request_ids: Ids,
    pub(crate) document_ids: Ids,
    pub(crate) webhook_ids: Ids,
    pub(crate) legal_request_index: Index,
    pub(crate) document_index: Index,
    pub(crate) webhook_index: Index,
}

/// The inputs of reading rows.
struct SeedSource<'a> {
    world: &'a SeedWorld,
    answers: &'a Answers,
    identifiers: &'a Identifiers,
    parties: &'a Parties,
    seeded_at: jiff::Timestamp,
}

/// Reads the rows.
pub(super) fn read(
    world: &SeedWorld,
    answers: &Answers,
    identifiers: &Identifiers,
    parties: &Parties,
) -> Result<SeedRows, SettingsError> {
    let source = SeedSource { world, answers, identifiers, parties, seeded_at: seeded_at(world)? };
    let mut legal_requests = legal_requests::read(&source)?;
    let documents = documents::read(&source, &mut legal_requests)?;
    let webhooks = webhooks::read(&source);

    let companies = world.companies.len();
    let mut legal_request_index = Index::new(companies, LegalRequestStatus::ALL.len());
    for (row, record) in (0..).zip(&legal_requests) {
        legal_request_index.insert(record.company, row, Some(record.status as usize));
    }
    let request_ids = legal_requests.iter().map(|record| &record.id);
    let document_ids = documents.iter().map(|record| &record.id);
    let webhook_ids = webhooks.iter().map(|record| &record.id);
    Ok(SeedRows {
        legal_request_ids: Ids::new(IdKind::LegalRequest, "requests", identifiers, request_ids)?,
        document_ids: Ids::new(IdKind::RepositoryDocument, "documents", identifiers, document_ids)?,
        webhook_ids: Ids::new(IdKind::Webhook, "webhooks", identifiers, webhook_ids)?,
        legal_request_index,
        document_index: index(companies, documents.iter().map(|record| record.company)),
        webhook_index: index(companies, webhooks.iter().map(|record| record.company)),
        legal_requests: Arc::new(legal_requests),
        documents: shared(documents),
        webhooks: shared(webhooks),
    })
}

/// The index of rows without a status, by the companies of the rows.
fn index(companies: usize, owners: impl Iterator<Item = u32>) -> Index {
    let mut index = Index::new(companies, 0);
    for (row, company) in (0..).zip(owners) {
        index.insert(company, row, None);
    }
    index
}

/// The time of a seed world.
fn seeded_at(world: &SeedWorld) -> Result<jiff::Timestamp, SettingsError> {
    world.seeded_at.parse().map_err(|_| {
        SettingsError::SeedWorld(format!(
            "`seeded_at` must be a time such as `{}`",
            jiff::Timestamp::UNIX_EPOCH
        ))
    })
}

/// Wraps rows for sharing.
fn shared<R>(rows: Vec<R>) -> Arc<Vec<Arc<R>>> {
    Arc::new(rows.into_iter().map(Arc::new).collect())
}
