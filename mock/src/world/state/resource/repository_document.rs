//! A repository document (§2.2) and the response to its upload (§4.9).

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, TimestampForm};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// The secret part of its download address.
    pub(crate) download_id: String,
}

/// The JSON of a document (§2.2).
#[derive(Debug, Serialize)]
pub(crate) struct RepositoryDocumentJson<'a> {
    #[serde(flatten)]
    resource: ResourceJson<'a, RepositoryDocumentAttributes<'a>>,
    relationships: Value,
}

#[derive(Debug, Serialize)]
struct RepositoryDocumentAttributes<'a> {
    name: &'a str,
    custom_fields: &'a SentJson,
    created_at: String,
    agreement_url: String,
}

impl RepositoryDocument {
    /// Its JSON; `base_url` is the base address of the world.
    pub(crate) fn json(&self, form: TimestampForm, base_url: &str) -> RepositoryDocumentJson<'_> {
        let path = Operation::DownloadAgreement.path().replace("{id}", &self.download_id);
        let legal_request = self.legal_request_id.as_ref();
        let reference = legal_request.map(|id| json!({ "id": id, "type": "legal_request" }));
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
            relationships: json!({ "legal_request": { "data": reference } }),
        }
    }

    /// The JSON of the response to its upload (§4.9).
    pub(crate) fn upload_json(&self, form: TimestampForm) -> Value {
        json!({
            "success": true,
            "message": "Repository document created",
            "data": {
                "id": self.id,
                "name": self.name,
                "created_at": timestamp::text(form, self.created_at),
            },
        })
    }
}
