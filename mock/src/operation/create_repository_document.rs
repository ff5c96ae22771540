//! `POST /v1/repository_documents` (§4.9): a document as a file, or by address.

mod by_address;

use std::sync::Arc;

use moot_fixtures::contract::Answers;
use url::Url;

use super::Context;
use crate::value::document_type;
use crate::value::message::call::Fetch;
use crate::value::message::content::Content;
use crate::value::message::fields::{MultipartFields, SentFile};
use crate::value::message::problem::Problem;
use crate::value::message::rule::Rule;
use crate::value::sent_json::SentJson;
use crate::world::Outcome;
use crate::world::state::change::Change;
use crate::world::state::resource::RepositoryDocument;

/// What a call uploads, as sent.
struct Upload<'a> {
    custom_fields: SentJson,
    source: UploadSource<'a>,
}

/// Exactly one of the two is given.
enum UploadSource<'a> {
    File(SentFile<'a>),
    Address(Url),
}

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let Upload { custom_fields, source } = read(context)?;
    let delay = match &source {
        UploadSource::File(_) => None,
        UploadSource::Address(url) => by_address::delay(context, url),
    };
    let (name, content) = match source {
        UploadSource::File(file) => sent(answers, file)?,
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
    let mut response = context.reply.json(answers.upload_success_status, &body);
    response.transport.extend(delay);
    Ok(Outcome {
        response,
        changes: vec![Change::PutRepositoryDocument { row, record: Arc::new(record) }],
        effects: Vec::new(),
    })
}

/// The document that has to be fetched first; `None` where the call is refused as it is, or its
/// document is known.
pub(crate) fn needs(context: &Context<'_>) -> Option<Fetch> {
    context.principal().ok()?;
    match read(context).ok()?.source {
        UploadSource::File(_) => None,
        UploadSource::Address(url) => by_address::needs(context, url),
    }
}

fn read<'a>(context: &Context<'a>) -> Result<Upload<'a>, Problem> {
    let answers = context.answers();
    let fields = MultipartFields::of(&context.call.body, context.content_type(), answers)?;
    let (file, url) = (fields.file("file")?, fields.text("url")?);
    let metadata = fields.text("metadata")?;
    match (file, url) {
        (None, None) => {
            let problem = Problem::parameter_missing("A file or URL is required.");
            Err(problem.breaking(Rule::UploadSource))
        }
        (Some(_), Some(_)) => {
            let detail = "Send `file` or `url`, not both.";
            let problem = Problem::parameter_missing(detail).breaking(Rule::OneUploadSource);
            Err(problem.answered(answers.file_and_url))
        }
        (Some(file), None) => {
            let custom_fields = custom_fields(answers, metadata)?;
            Ok(Upload { custom_fields, source: UploadSource::File(file) })
        }
        (None, Some(url)) => {
            let custom_fields = custom_fields(answers, metadata)?;
            Ok(Upload {
                custom_fields,
                source: UploadSource::Address(by_address::read(answers, url)?),
            })
        }
    }
}

fn custom_fields(answers: &Answers, metadata: Option<&str>) -> Result<SentJson, Problem> {
    let Some(metadata) = metadata else { return Ok(SentJson::default()) };
    SentJson::object(metadata).map_err(|_| {
        Problem::document_creation("`metadata` must be a JSON object.")
            .breaking(Rule::Field("metadata"))
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

fn check_type(answers: &Answers, extension: Option<&str>) -> Result<(), Problem> {
    let is_accepted = extension
        .is_some_and(|extension| answers.upload_types.iter().any(|known| known == extension));
    if is_accepted {
        return Ok(());
    }
    let accepted = answers.upload_types.join(", ");
    let detail = format!("The file type is not supported; use {accepted}.");
    Err(Problem::document_creation(detail).breaking(Rule::DocumentType))
}
