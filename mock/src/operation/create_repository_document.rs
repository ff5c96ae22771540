//! `POST /v1/repository_documents` (§4.9): stores a document that is sent as a file or by address.

mod by_address;

use std::sync::Arc;

use moot_fixtures::contract::Answers;
use url::Url;

use super::Context;
use crate::value::document_type;
use crate::value::message::call::Fetch;
use crate::value::message::content::Content;
use crate::value::message::fields::{FileField, MultipartFields};
use crate::value::message::problem::Problem;
use crate::value::message::rule::Rule;
use crate::value::sent_json::SentJson;
use crate::world::Outcome;
use crate::world::state::change::Change;
use crate::world::state::resource::RepositoryDocument;

/// The source of an upload. A call has exactly one.
enum UploadSource<'a> {
    File(FileField<'a>),
    Address(Url),
}

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let (custom_fields, source) = read(context)?;
    let delay = match &source {
        UploadSource::File(_) => None,
        UploadSource::Address(url) => by_address::delay(context, url),
    };
    let (name, content) = match source {
        UploadSource::File(file) => uploaded_file(answers, file)?,
        UploadSource::Address(url) => by_address::document(context, &url)?,
    };

    let (row, id) = context.world.fresh_document().ok_or_else(|| {
        Problem::document_creation("This repository is full: the mock keeps 1,000,000 documents.")
    })?;
    let record = RepositoryDocument {
        download_id: context.world.download_id(&id),
        id,
        company,
        name,
        custom_fields,
        created_at: context.now,
        legal_request_id: None,
        content,
    };
    let body = record.upload_json(answers.timestamps);
    let mut response = context.responder.json(answers.upload_success_status, &body);
    response.transport.extend(delay);
    let changes = vec![Change::PutRepositoryDocument { row, record: Arc::new(record) }];
    Ok(Outcome { changes, ..Outcome::unchanged(response) })
}

/// The document to fetch before the call is answered. `None` if the call will be refused, or if its
/// document is known.
pub(crate) fn document_to_fetch(context: &Context<'_>) -> Option<Fetch> {
    context.principal().ok()?;
    match read(context).ok()?.1 {
        UploadSource::File(_) => None,
        UploadSource::Address(url) => by_address::document_to_fetch(context, url),
    }
}

/// The custom fields and the source of an upload.
fn read<'a>(context: &Context<'a>) -> Result<(SentJson, UploadSource<'a>), Problem> {
    let answers = context.answers();
    let fields = MultipartFields::of(&context.call.body, answers)?;
    let (file, url) = (fields.file("file")?, fields.text("url")?);
    let metadata = fields.text("metadata")?;
    match (file, url) {
        (None, None) => {
            let detail = match fields.has("file") {
                true => "A file or URL is required: `file` is empty, or has no file name.",
                false => "A file or URL is required.",
            };
            Err(Problem::parameter_missing(detail).breaking(Rule::UploadSource))
        }
        (Some(_), Some(_)) => {
            let detail = "Send `file` or `url`, not both.";
            let problem = Problem::parameter_missing(detail).breaking(Rule::OneUploadSource);
            Err(problem.by_answer(answers.file_and_url))
        }
        (Some(file), None) => Ok((custom_fields(answers, metadata)?, UploadSource::File(file))),
        (None, Some(url)) => {
            let custom_fields = custom_fields(answers, metadata)?;
            Ok((custom_fields, UploadSource::Address(by_address::read(answers, url)?)))
        }
    }
}

fn custom_fields(answers: &Answers, metadata: Option<&str>) -> Result<SentJson, Problem> {
    SentJson::object(metadata.unwrap_or("{}")).map_err(|why| {
        Problem::document_creation(format!("`metadata` must be a JSON object: {why}."))
            .breaking(Rule::Field("metadata".to_owned()))
            .by_answer(answers.request_field_invalid)
    })
}

fn uploaded_file(
    answers: &Answers,
    (name, file): FileField<'_>,
) -> Result<(String, Content), Problem> {
    check_type(answers, document_type::extension(name).as_deref())?;
    if file.is_larger_than(answers.upload_size_max) {
        return Err(Problem::document_too_large(answers));
    }
    Ok((name.to_owned(), file.content.clone()))
}

fn check_type(answers: &Answers, extension: Option<&str>) -> Result<(), Problem> {
    if extension.is_some_and(|extension| answers.upload_types.iter().any(|it| it == extension)) {
        return Ok(());
    }
    let accepted = answers.upload_types.join(", ");
    let detail = format!("The file type is not supported; use {accepted}.");
    Err(Problem::document_creation(detail).breaking(Rule::DocumentType))
}
