//! `POST /v1/repository_documents` (§4.9): a document as a file, or by address.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::{Answers, UrlDocumentName};
use serde_json::{Map, Value};
use url::Url;

use super::Context;
use crate::address;
use crate::call::Content;
use crate::changes::Change;
use crate::document_type;
use crate::fields::{Fields, SentFile};
use crate::pdf;
use crate::problem::Problem;
use crate::resource::RepositoryDocument;
use crate::resource::repository_document::Draft;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let fields = Fields::of(&context.call.body, context.content_type(), answers)?;
    let (file, url) = (fields.file("file")?, fields.text("url")?);
    let metadata = fields.text("metadata")?;
    if file.is_none() && url.is_none() {
        return Err(Problem::parameter_missing("A file or URL is required."));
    }
    if file.is_some() && url.is_some() {
        let detail = "Send `file` or `url`, not both.";
        return Err(Problem::parameter_missing(detail).answered(answers.file_and_url));
    }
    let custom_fields = custom_fields(answers, metadata)?;
    let (name, content) = match (file, url) {
        (Some(file), _) => sent(answers, file)?,
        (None, url) => fetched(context, url.unwrap_or_default())?,
    };

    let (row, id) = context.world.fresh_document().ok_or_else(|| {
        Problem::document_creation("This repository is full: the mock keeps 1,000,000 documents.")
    })?;
    let draft = Draft {
        download_id: context.world.download_id(&id),
        id,
        company,
        name,
        custom_fields: &custom_fields,
        created_at: context.now,
        legal_request_id: None,
        content,
    };
    let record = Arc::new(RepositoryDocument::new(answers.timestamps, draft));
    let body = record.uploaded_body(answers.timestamps);
    Ok(Outcome {
        response: context.reply.json(answers.upload_success_status, body),
        changes: vec![Change::PutRepositoryDocument { row, record }],
        effects: Vec::new(),
    })
}

fn custom_fields(answers: &Answers, metadata: Option<&str>) -> Result<Map<String, Value>, Problem> {
    let Some(metadata) = metadata else { return Ok(Map::new()) };
    serde_json::from_str(metadata).map_err(|_| {
        Problem::document_creation("`metadata` must be a JSON object.")
            .answered(answers.request_field_invalid)
    })
}

fn sent(answers: &Answers, file: SentFile<'_>) -> Result<(String, Content), Problem> {
    check_type(answers, document_type::extension(file.name).as_deref())?;
    if file.is_cut || file.content.length > answers.upload_size_max {
        return Err(Problem::document_too_large(answers));
    }
    Ok((file.name.to_owned(), file.content.clone()))
}

/// Nothing is fetched: the document is what was registered for the address, else a placeholder.
fn fetched(context: &Context<'_>, text: &str) -> Result<(String, Content), Problem> {
    let answers = context.answers();
    let url = address::public_https(text).map_err(|what| {
        let detail = format!("`url` {what}; it must be a public https address.");
        Problem::document_creation(detail).answered(answers.url_refused)
    })?;
    let registered = context.world.state().addresses.get(url.as_str());
    let last_segment = address::last_segment(&url);
    // An address need not show the type; then whoever registered it may have told.
    match last_segment.as_deref().and_then(document_type::extension) {
        Some(extension) => check_type(answers, Some(&extension))?,
        None => {
            if let Some(media_type) = registered.and_then(|known| known.content_type.as_deref()) {
                check_type(answers, document_type::extension_of(media_type))?;
            }
        }
    }
    let host = || url.host_str().unwrap_or("document").to_owned();
    let name = match answers.url_document_name {
        UrlDocumentName::LastSegment => last_segment.unwrap_or_else(host),
        UrlDocumentName::Host => host(),
    };
    match registered.map(|registered| &registered.content) {
        Some(content) if content.length > answers.upload_size_max => {
            Err(Problem::document_too_large(answers))
        }
        Some(content) => Ok((name, content.clone())),
        None => Ok((name, placeholder(&url))),
    }
}

fn placeholder(url: &Url) -> Content {
    let lines = ["This stands for the document at".to_owned(), url.to_string()];
    Content::in_memory(Bytes::from(pdf::document(&lines)))
}

fn check_type(answers: &Answers, extension: Option<&str>) -> Result<(), Problem> {
    let is_accepted = extension
        .is_some_and(|extension| answers.upload_types.iter().any(|known| known == extension));
    if is_accepted {
        return Ok(());
    }
    let accepted = answers.upload_types.join(", ");
    Err(Problem::document_creation(format!("The file type is not supported; use {accepted}.")))
}
