//! Rows by id, and ids for new rows.
//!
//! Seed rows are found by their own table of ids, later ones by the bijection of this run's seed.

use std::sync::Arc;

use super::World;
use crate::value::identifier::{IdKind, Identifiers, document_id_of};
use crate::value::limits::ROWS_MAX;
use crate::value::short_id::ShortId;
use crate::world::state::resource::{LegalRequest, RepositoryDocument, Webhook};
use crate::world::state::seed_data::Ids;
use crate::world::state::table::RowTable;

impl World {
    /// The legal request of an id.
    pub(crate) fn legal_request(&self, id: &str) -> Option<&Arc<LegalRequest>> {
        let ids = &self.seed_data().rows.legal_request_ids;
        let row = self.row(id, ids, &self.state().legal_requests)?;
        self.state().legal_requests.get(row)
    }

    /// The repository document of an id.
    pub(crate) fn document(&self, id: &str) -> Option<&Arc<RepositoryDocument>> {
        let ids = &self.seed_data().rows.document_ids;
        let row = self.row(id, ids, &self.state().documents)?;
        self.state().documents.get(row)
    }

    /// The webhook of an id, with its row.
    pub(crate) fn webhook(&self, id: &str) -> Option<(u32, &Arc<Webhook>)> {
        let ids = &self.seed_data().rows.webhook_ids;
        let row = self.row(id, ids, &self.state().webhooks)?;
        Some((row, self.state().webhooks.get(row)?))
    }

    /// The document whose download has this id.
    pub(crate) fn downloaded(&self, download_id: &str) -> Option<&Arc<RepositoryDocument>> {
        let document = self.document(document_id_of(download_id)?)?;
        (self.download_id(&document.id) == download_id).then_some(document)
    }

    /// Row and id for a new legal request; `None` if the world is full.
    pub(crate) fn fresh_legal_request(&self) -> Option<(u32, String)> {
        self.fresh(&self.seed_data().rows.legal_request_ids, &self.state().legal_requests)
    }

    /// Row and id for a new document; `None` if the world is full.
    pub(crate) fn fresh_document(&self) -> Option<(u32, String)> {
        self.fresh(&self.seed_data().rows.document_ids, &self.state().documents)
    }

    /// Row and id for a new webhook; `None` if the world is full.
    pub(crate) fn fresh_webhook(&self) -> Option<(u32, String)> {
        self.fresh(&self.seed_data().rows.webhook_ids, &self.state().webhooks)
    }

    /// The id that a row of this kind gets.
    pub(crate) fn id_of_row(&self, kind: IdKind, row: u32) -> String {
        self.identifiers.id(kind, u64::from(row))
    }

    /// The id of an entry in the log of the request of a row.
    pub(crate) fn activity_id(&self, row: u32, entry: u64) -> ShortId {
        let is_seeded = row < self.state().legal_requests.base_length();
        self.identifiers_of(is_seeded).activity_id(row, entry)
    }

    /// The unguessable id of a document's download.
    pub(crate) fn download_id(&self, document_id: &str) -> String {
        let seed_data = self.seed_data();
        let is_seeded = seed_data.rows.document_ids.row(document_id).is_some();
        self.identifiers_of(is_seeded).download_id(document_id)
    }

    fn identifiers_of(&self, is_seeded: bool) -> &Identifiers {
        if is_seeded { &self.seed_data().identifiers } else { &self.identifiers }
    }

    fn row<R>(&self, id: &str, seeded: &Ids, table: &RowTable<R>) -> Option<u32> {
        if let Some(row) = seeded.row(id) {
            return Some(row);
        }
        let row = u32::try_from(self.identifiers.number(seeded.kind, id)?).ok()?;
        // A seed row has its own id and no other.
        (row >= table.base_length()).then_some(row)
    }

    /// A row whose id is not a seed row's: then its number is passed over.
    fn fresh<R>(&self, seeded: &Ids, table: &RowTable<R>) -> Option<(u32, String)> {
        (table.next_row()..ROWS_MAX)
            .map(|row| (row, self.identifiers.id(seeded.kind, u64::from(row))))
            .find(|(_, id)| seeded.row(id).is_none())
    }
}
