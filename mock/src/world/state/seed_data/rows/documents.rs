//! Seed documents by company and age: uploads, and the signed documents of archived requests.

use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::LegalRequestStatus;
use moot_fixtures::documents;
use moot_fixtures::world::{SeedCompany, SeedDocument};
use serde_json::{Map, Value};

use super::SeedSource;
use super::legal_requests::back;
use crate::value::identifier::IdKind;
use crate::value::message::content::Content;
use crate::value::settings::SettingsError;
use crate::world::state::resource::signed_document::signed_document;
use crate::world::state::resource::{LegalRequest, RepositoryDocument};
use crate::world::state::table;

/// Time between two uploads of a company.
const UPLOAD_PACE: SignedDuration = SignedDuration::from_hours(7);
/// The file of generated rows.
const GENERATED_FILE: &str = "notes.txt";

/// The origin of a document.
enum Origin {
    Upload(SeedDocument),
    /// The signed document of the legal request at this place.
    Archived(usize),
}

/// All documents. Sets [`LegalRequest::document`] of each archived request.
pub(super) fn read(
    source: &SeedSource<'_>,
    legal_requests: &mut [Arc<LegalRequest>],
) -> Result<Vec<Arc<RepositoryDocument>>, SettingsError> {
    let mut records = Vec::new();
    for (company, seed) in (0..).zip(&source.world.companies) {
        let mut origins = uploads(source, seed);
        origins.extend(archived(company, legal_requests));
        origins.sort_by_key(|(at, _)| *at);
        for (at, origin) in origins {
            let row = table::length(records.len());
            match origin {
                Origin::Upload(upload) => {
                    records.push(Arc::new(uploaded(source, company, row, &upload, at)?));
                }
                Origin::Archived(place) => {
                    let request = Arc::make_mut(&mut legal_requests[place]);
                    request.document = Some(row);
                    let id = id(source, row);
                    let download_id = source.identifiers.download_id(&id);
                    records.push(Arc::new(signed_document(request, download_id, id, at)));
                }
            }
        }
    }
    Ok(records)
}

fn uploads(source: &SeedSource<'_>, seed: &SeedCompany) -> Vec<(Timestamp, Origin)> {
    let generated = (1..=seed.generated_repository_documents).map(|number| SeedDocument {
        id: None,
        name: format!("Sample document {number:03}.txt"),
        file: GENERATED_FILE.to_owned(),
        custom_fields: Map::new(),
    });
    let uploads: Vec<SeedDocument> =
        seed.repository_documents.iter().cloned().chain(generated).collect();
    let count = table::length(uploads.len());
    let at = |age| back(source.seeded_at, UPLOAD_PACE, age);
    uploads
        .into_iter()
        .zip((1..=count).rev())
        .map(|(upload, age)| (at(age), Origin::Upload(upload)))
        .collect()
}

fn archived(
    company: u32,
    legal_requests: &[Arc<LegalRequest>],
) -> impl Iterator<Item = (Timestamp, Origin)> {
    legal_requests.iter().enumerate().filter_map(move |(place, request)| {
        let is_archived =
            request.company == company && request.status == LegalRequestStatus::Archived;
        let at = request.activity.last().map(|entry| entry.at)?;
        is_archived.then_some((at, Origin::Archived(place)))
    })
}

fn uploaded(
    source: &SeedSource<'_>,
    company: u32,
    row: u32,
    seed: &SeedDocument,
    created_at: Timestamp,
) -> Result<RepositoryDocument, SettingsError> {
    let document = documents::get(&seed.file)
        .ok_or_else(|| SettingsError::SeedWorld(format!("no document file `{}`", seed.file)))?;
    let id = seed.id.clone().unwrap_or_else(|| id(source, row));
    Ok(RepositoryDocument {
        download_id: source.identifiers.download_id(&id),
        id,
        company,
        name: seed.name.clone(),
        custom_fields: Value::Object(seed.custom_fields.clone()).into(),
        created_at,
        legal_request_id: None,
        content: Content::in_memory(Bytes::from_static(document.bytes)),
    })
}

fn id(source: &SeedSource<'_>, row: u32) -> String {
    source.identifiers.id(IdKind::RepositoryDocument, u64::from(row))
}
