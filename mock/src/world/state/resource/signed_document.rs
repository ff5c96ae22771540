//! The signed document of a legal request.

use bytes::Bytes;
use jiff::Timestamp;

use crate::value::message::content::Content;
use crate::value::pdf;
use crate::value::sent_json::SentJson;
use crate::world::state::resource::legal_request::FileRole;
use crate::world::state::resource::{LegalRequest, RepositoryDocument};

/// The repository document of an archived request.
pub(crate) fn signed_document(
    request: &LegalRequest,
    download_id: String,
    id: String,
    created_at: Timestamp,
) -> RepositoryDocument {
    let (name, content) = agreement(request);
    RepositoryDocument {
        id,
        company: request.company,
        name,
        created_at,
        content,
        custom_fields: SentJson::default(),
        legal_request_id: Some(request.id.clone()),
        download_id,
    }
}

/// The name and the content of a signed document: the third-party file, or an agreement that lists parties and
/// variables.
fn agreement(record: &LegalRequest) -> (String, Content) {
    let mut files = record.submission.files.iter();
    if let Some(file) = files.find(|file| file.role == FileRole::Document) {
        return (file.name.clone(), file.content.clone());
    }
    let mut lines = vec![record.name.clone(), String::new(), "Parties".to_owned()];
    lines.extend(record.submission.texts.iter().map(|(name, value)| format!("{name}: {value}")));
    lines.extend(record.submission.signers.iter().map(|email| format!("internal signer: {email}")));
    lines.extend([String::new(), "Variables".to_owned()]);
    let variables = record.submission.variables.iter();
    lines.extend(variables.map(|(name, value)| match value.string() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {}", value.text()),
    }));
    let content = Content::in_memory(Bytes::from(pdf::document(&lines)));
    (format!("{}.pdf", record.name), content)
}
