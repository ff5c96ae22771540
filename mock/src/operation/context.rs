//! What every operation is given, and which operation a call is.

use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use moot_fixtures::contract::{Answers, BodyKind, Operation};

use super as operation;
use crate::call::{Call, Fetch, MultipartLimits, Principal, Reading};
use crate::limits::{
    CREATE_BODY_BYTES_MAX, FORM_BYTES_MAX, JSON_BYTES_MAX, MULTIPART_OVERHEAD_BYTES_MAX, PARTS_MAX,
    TEXT_FIELD_BYTES_MAX,
};
use crate::problem::Problem;
use crate::reply::Reply;
use crate::response::Response;
use crate::world::{Outcome, World};

/// A call, the world it meets, and the time.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) now: Timestamp,
    pub(crate) call: &'a Call<'a>,
    pub(crate) reply: Reply<'a>,
}

impl<'a> Context<'a> {
    /// The answers of the world.
    pub(crate) fn answers(&self) -> &'a Answers {
        self.world.answers()
    }

    /// The caller.
    ///
    /// # Errors
    /// 401, where a call was not admitted by this world.
    pub(crate) fn principal(&self) -> Result<&'a Principal, Problem> {
        self.call.admitted.principal.as_ref().ok_or_else(Problem::token_missing)
    }

    /// The id of the path; empty where the route has none.
    pub(crate) fn id(&self) -> &'a str {
        self.call.admitted.id.as_deref().unwrap_or("")
    }

    /// The media type of the body, as sent.
    pub(crate) fn content_type(&self) -> Option<&'a str> {
        self.call.head.headers.get(CONTENT_TYPE)?.to_str().ok()
    }

    /// Whether the body claims to be of this type.
    pub(crate) fn has_content_type(&self, wanted: &str) -> bool {
        let essence = |text: &'a str| text.split(';').next().unwrap_or_default().trim();
        self.content_type().is_some_and(|text| essence(text).eq_ignore_ascii_case(wanted))
    }

    /// A record of `company` that the caller may see.
    ///
    /// # Errors
    /// 404 where there is none; by answer `other_company` where it is another company's.
    pub(crate) fn visible<R>(
        &self,
        record: Option<R>,
        company: impl Fn(&R) -> u32,
        what: &str,
        not_found: impl Fn() -> Problem,
    ) -> Result<R, Problem> {
        let record = record.ok_or_else(&not_found)?;
        if company(&record) == self.principal()?.company {
            return Ok(record);
        }
        match self.answers().other_company {
            403 => Err(Problem::other_company(what)),
            _ => Err(not_found()),
        }
    }
}

impl Outcome {
    /// An answer that changes nothing.
    pub(crate) const fn unchanged(response: Response) -> Self {
        Self { response, changes: Vec::new(), effects: Vec::new() }
    }
}

/// Answers a call.
pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    match context.call.admitted.operation {
        Operation::CreateAccessToken => operation::create_access_token::answer(context),
        Operation::RevokeToken => operation::revoke_token::answer(context),
        Operation::ListWorkflows => operation::list_workflows::answer(context),
        Operation::GetWorkflow => operation::get_workflow::answer(context),
        Operation::GetWorkflowSchema => operation::get_workflow_schema::answer(context),
        Operation::CreateLegalRequest => operation::create_legal_request::answer(context),
        Operation::ListLegalRequests => operation::list_legal_requests::answer(context),
        Operation::GetLegalRequest => operation::get_legal_request::answer(context),
        Operation::GetLegalRequestActivity => {
            operation::get_legal_request_activity::answer(context)
        }
        Operation::CreateRepositoryDocument => {
            operation::create_repository_document::answer(context)
        }
        Operation::ListRepositoryDocuments => operation::list_repository_documents::answer(context),
        Operation::GetRepositoryDocument => operation::get_repository_document::answer(context),
        Operation::DownloadAgreement => operation::download_agreement::answer(context),
        Operation::ListWebhooks => operation::list_webhooks::answer(context),
        Operation::DeleteWebhook => operation::delete_webhook::answer(context),
        Operation::CreateWebhook => operation::create_webhook::answer(context),
    }
}

/// What has to be fetched before a call is answered.
pub(crate) fn needs(context: &Context<'_>) -> Option<Fetch> {
    match context.call.admitted.operation {
        Operation::CreateRepositoryDocument => {
            operation::create_repository_document::needs(context)
        }
        _ => None,
    }
}

/// How the body of an operation is read.
pub(crate) fn reading(operation: Operation, answers: &Answers) -> Reading {
    match operation.body() {
        BodyKind::None => Reading::Drain,
        BodyKind::Form => Reading::Whole { bytes_max: FORM_BYTES_MAX },
        BodyKind::Json => Reading::Whole { bytes_max: JSON_BYTES_MAX },
        BodyKind::Multipart => {
            let document_max = answers.upload_size_max;
            let (part_bytes_max, body_bytes_max) = match operation {
                Operation::CreateLegalRequest => {
                    let support_max = answers.support_document_size.bytes_max;
                    (document_max.max(support_max), CREATE_BODY_BYTES_MAX)
                }
                // One byte more than fits shows that a document is too large; the rest is overhead.
                _ => {
                    let beside = document_max.saturating_add(MULTIPART_OVERHEAD_BYTES_MAX);
                    (document_max, beside.saturating_add(document_max))
                }
            };
            Reading::Multipart(MultipartLimits {
                parts_max: PARTS_MAX,
                text_bytes_max: TEXT_FIELD_BYTES_MAX,
                part_bytes_max,
                body_bytes_max,
            })
        }
    }
}
