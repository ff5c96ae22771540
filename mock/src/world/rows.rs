//! Rows by id, and ids for new rows.

use std::sync::Arc;

use super::World;
use crate::value::identifier::{IdKind, Identifiers, document_id_of};
use crate::value::limits::ROWS_MAX;
use crate::world::state::resource::{LegalRequest, RepositoryDocument, Webhook};
use crate::world::state::table::RowTable;

impl World {
    /// The legal request of an id.
    pub(crate) fn legal_request(&self, id: &str) -> Option<&Arc<LegalRequest>> {
        self.state().legal_requests.find(id).map(|(_, record)| record)
    }

    /// The repository document of an id.
    pub(crate) fn document(&self, id: &str) -> Option<&Arc<RepositoryDocument>> {
        self.state().documents.find(id).map(|(_, record)| record)
    }

    /// The webhook of an id, with its row.
    pub(crate) fn webhook(&self, id: &str) -> Option<(u32, &Arc<Webhook>)> {
        self.state().webhooks.find(id)
    }

    /// The document whose download has this id.
    pub(crate) fn downloaded(&self, download_id: &str) -> Option<&Arc<RepositoryDocument>> {
        let document = self.document(document_id_of(download_id)?)?;
        (self.download_id(&document.id) == download_id).then_some(document)
    }

    /// Row and id for a new legal request; `None` if the world is full.
    pub(crate) fn fresh_legal_request(&self) -> Option<(u32, String)> {
        self.fresh(&self.state().legal_requests)
    }

    /// Row and id for a new document; `None` if the world is full.
    pub(crate) fn fresh_document(&self) -> Option<(u32, String)> {
        self.fresh(&self.state().documents)
    }

    /// Row and id for a new webhook; `None` if the world is full.
    pub(crate) fn fresh_webhook(&self) -> Option<(u32, String)> {
        self.fresh(&self.state().webhooks)
    }

    /// The id that a row of this kind gets.
    pub(crate) fn id_of_row(&self, kind: IdKind, row: u32) -> String {
        self.identifiers.id(kind, u64::from(row))
    }

    /// The id of an entry in the log of the request of a row.
    pub(crate) fn activity_id(&self, row: u32, entry: u64) -> String {
        let is_seeded = row < self.state().legal_requests.base_length();
        self.identifiers_of(is_seeded).activity_id(row, entry)
    }

    /// The unguessable id of a document's download.
    pub(crate) fn download_id(&self, document_id: &str) -> String {
        let is_seeded = self.state().documents.is_seeded(document_id);
        self.identifiers_of(is_seeded).download_id(document_id)
    }

    fn identifiers_of(&self, is_seeded: bool) -> &Identifiers {
        if is_seeded { &self.seed_data().identifiers } else { &self.identifiers }
    }

    /// A row whose id is not a seed row's: then its number is passed over.
    fn fresh<R>(&self, table: &RowTable<R>) -> Option<(u32, String)> {
        (table.next_row()..ROWS_MAX)
            .map(|row| (row, self.id_of_row(table.kind, row)))
            .find(|(_, id)| !table.is_seeded(id))
    }
}
