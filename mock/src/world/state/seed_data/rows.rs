//! Legal requests, repository documents and webhooks of a seed world.

mod documents;
mod legal_requests;
mod webhooks;

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

use super::parties::Parties;
use crate::value::identifier::{IdKind, Identifiers};
use crate::value::settings::SettingsError;
use crate::world::state::index::Index;
use crate::world::state::resource::{LegalRequest, RepositoryDocument, Webhook};
use crate::world::state::table::RowTable;

/// The rows by kind.
#[derive(Debug)]
pub(crate) struct SeedRows {
    pub(crate) legal_requests: RowTable<LegalRequest>,
    pub(crate) documents: RowTable<RepositoryDocument>,
    pub(crate) webhooks: RowTable<Webhook>,
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

    Ok(SeedRows {
        legal_requests: table(
            &source,
            IdKind::LegalRequest,
            "requests",
            legal_requests,
            |record| (&record.id, record.company, Some(record.status as usize)),
        )?,
        documents: table(&source, IdKind::RepositoryDocument, "documents", documents, |record| {
            (&record.id, record.company, None)
        })?,
        webhooks: table(&source, IdKind::Webhook, "webhooks", webhooks, |record| {
            (&record.id, record.company, None)
        })?,
    })
}

/// The table of these rows. `facts` are the id of a row, its company and the place of its status.
///
/// # Errors
/// [`SettingsError::SeedWorld`]: two rows have the same id. `plural` is their kind in words.
fn table<R>(
    source: &SeedSource<'_>,
    kind: IdKind,
    plural: &str,
    rows: Vec<Arc<R>>,
    facts: impl Fn(&R) -> (&String, u32, Option<usize>),
) -> Result<RowTable<R>, SettingsError> {
    let (mut ids, mut index) = (BTreeMap::new(), Index::new(source.world.companies.len()));
    for (number, row) in (0..).zip(&rows) {
        let (id, company, status) = facts(row);
        if ids.insert(id.clone(), number).is_some() {
            return Err(SettingsError::SeedWorld(format!("two {plural} `{id}`")));
        }
        index.insert(company, number, status);
    }
    Ok(RowTable::new(kind, rows, ids, index))
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
