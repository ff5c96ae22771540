//! A repository document (§2.2) and the answer to its upload (§4.9).

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, TimestampForm};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::content::Content;
use crate::message::rendered::{Rendered, json_bytes};
use crate::value::timestamp;

/// A repository document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RepositoryDocument {
    pub(crate) id: String,
    /// Index of its company.
    pub(crate) company: u32,
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
    pub(crate) content: Content,
    pub(crate) rendered: Rendered,
}

/// All that a document is made of.
pub(crate) struct Draft<'a> {
    pub(crate) id: String,
    pub(crate) company: u32,
    pub(crate) name: String,
    pub(crate) custom_fields: &'a Map<String, Value>,
    pub(crate) created_at: Timestamp,
    /// The request that it results from.
    pub(crate) legal_request_id: Option<&'a str>,
    pub(crate) content: Content,
    /// The unguessable id of its download.
    pub(crate) download_id: String,
}

/// JSON of a document. `agreement_url` stands after whatever callers supplied, see [`Rendered`].
#[derive(Serialize)]
struct View<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    resource_type: &'static str,
    attributes: Attributes<'a>,
    relationships: Relationships<'a>,
}

#[derive(Serialize)]
struct Attributes<'a> {
    name: &'a str,
    custom_fields: &'a Map<String, Value>,
    created_at: String,
    agreement_url: String,
}

#[derive(Serialize)]
struct Relationships<'a> {
    legal_request: Relationship<'a>,
}

#[derive(Serialize)]
struct Relationship<'a> {
    data: Option<Reference<'a>>,
}

#[derive(Serialize)]
struct Reference<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    resource_type: &'static str,
}

/// JSON of an upload's answer.
#[derive(Serialize)]
struct Uploaded<'a> {
    success: bool,
    message: &'static str,
    data: UploadedDocument<'a>,
}

#[derive(Serialize)]
struct UploadedDocument<'a> {
    id: &'a str,
    name: &'a str,
    created_at: String,
}

impl RepositoryDocument {
    /// Renders the document.
    pub(crate) fn new(form: TimestampForm, draft: Draft<'_>) -> Self {
        let view = View {
            id: &draft.id,
            resource_type: "repository_document",
            attributes: Attributes {
                name: &draft.name,
                custom_fields: draft.custom_fields,
                created_at: timestamp::text(form, draft.created_at),
                agreement_url: download_path(&draft.download_id),
            },
            relationships: Relationships {
                legal_request: Relationship {
                    data: draft
                        .legal_request_id
                        .map(|id| Reference { id, resource_type: "legal_request" }),
                },
            },
        };
        let rendered = Rendered::with_address(&view);
        let Draft { id, company, name, created_at, content, .. } = draft;
        Self { id, company, name, created_at, content, rendered }
    }

    /// The body that its upload answers.
    pub(crate) fn uploaded_body(&self, form: TimestampForm) -> Vec<u8> {
        json_bytes(&Uploaded {
            success: true,
            message: "Repository document created",
            data: UploadedDocument {
                id: &self.id,
                name: &self.name,
                created_at: timestamp::text(form, self.created_at),
            },
        })
    }
}

/// The path of a download below the base address, by the contract's table.
fn download_path(download_id: &str) -> String {
    Operation::DownloadAgreement.path().replace("{id}", download_id)
}
