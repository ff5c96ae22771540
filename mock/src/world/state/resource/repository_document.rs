//! A repository document (§2.2) and the answer to its upload (§4.9).

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, TimestampForm};
use serde::{Deserialize, Serialize};

use crate::value::message::content::Content;
use crate::value::message::json::ResourceJson;
use crate::value::sent_json::SentJson;
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
    /// An object.
    pub(crate) custom_fields: SentJson,
    /// The legal request whose signed document this is.
    pub(crate) legal_request_id: Option<String>,
    /// The part of its download address that can't be guessed.
    pub(crate) download_id: String,
}

/// The JSON of a document (§2.2).
#[derive(Debug, Serialize)]
pub(crate) struct RepositoryDocumentJson<'a> {
    #[serde(flatten)]
    resource: ResourceJson<'a, RepositoryDocumentAttributes<'a>>,
    relationships: Relationships<'a>,
}

#[derive(Debug, Serialize)]
struct RepositoryDocumentAttributes<'a> {
    name: &'a str,
    custom_fields: &'a SentJson,
    created_at: String,
    agreement_url: String,
}

#[derive(Debug, Serialize)]
struct Relationships<'a> {
    legal_request: Relationship<'a>,
}

#[derive(Debug, Serialize)]
struct Relationship<'a> {
    data: Option<Reference<'a>>,
}

#[derive(Debug, Serialize)]
struct Reference<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    resource_type: &'static str,
}

/// The JSON of the answer to an upload.
#[derive(Debug, Serialize)]
pub(crate) struct UploadJson<'a> {
    success: bool,
    message: &'static str,
    data: UploadedDocument<'a>,
}

#[derive(Debug, Serialize)]
struct UploadedDocument<'a> {
    id: &'a str,
    name: &'a str,
    created_at: String,
}

impl RepositoryDocument {
    /// Its JSON; `base_url` is the base address of the world.
    pub(crate) fn json(&self, form: TimestampForm, base_url: &str) -> RepositoryDocumentJson<'_> {
        let path = Operation::DownloadAgreement.path().replace("{id}", &self.download_id);
        let legal_request = self.legal_request_id.as_deref();
        RepositoryDocumentJson {
            resource: ResourceJson {
                id: &self.id,
                resource_type: "repository_document",
                attributes: RepositoryDocumentAttributes {
                    name: &self.name,
                    custom_fields: &self.custom_fields,
                    created_at: timestamp::text(form, self.created_at),
                    agreement_url: format!("{base_url}{path}"),
                },
            },
            relationships: Relationships {
                legal_request: Relationship {
                    data: legal_request.map(|id| Reference { id, resource_type: "legal_request" }),
                },
            },
        }
    }

    /// The JSON of the answer to its upload (§4.9).
    pub(crate) fn upload_json(&self, form: TimestampForm) -> UploadJson<'_> {
        UploadJson {
            success: true,
            message: "Repository document created",
            data: UploadedDocument {
                id: &self.id,
                name: &self.name,
                created_at: timestamp::text(form, self.created_at),
            },
        }
    }
}
