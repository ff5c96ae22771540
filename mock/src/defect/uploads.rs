//! Defects of uploading, listing and reading documents (§4.9 to §4.11).

use bytes::Bytes;
use moot_fixtures::contract::Operation;

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Seam, success, upload_forgets};
use crate::message::call::Body;
use crate::message::content::Content;
use crate::message::response::ResponseBody;
use crate::world::Outcome;

const UPLOAD: Operation = Operation::CreateRepositoryDocument;
const LIST: Operation = Operation::ListRepositoryDocuments;
const GET: Operation = Operation::GetRepositoryDocument;

pub(super) const ROWS: &[Defect] = &[
    row(
        "upload.message-missing",
        "4.9",
        &["create-repository-document.message-is-text"],
        "The answer to an upload has no message.",
        success(&[UPLOAD], "/message", Edit::Null),
    )
    .also(&["create-repository-document.shape"]),
    row(
        "upload.success-false",
        "4.9",
        &["create-repository-document.success-says-true"],
        "An accepted upload says that it had no success.",
        success(&[UPLOAD], "/success", Edit::Flag(false)),
    ),
    row(
        "upload.bare",
        "4.9",
        &["create-repository-document.shape"],
        "The answer to an upload is the document without `data`.",
        success(&[UPLOAD], "", Edit::Unwrap("data")),
    )
    .also(&[
        "create-repository-document.id-is-text",
        "create-repository-document.name-is-text",
        "create-repository-document.success-is-boolean",
        "create-repository-document.success-says-true",
        "create-repository-document.message-is-text",
        "create-repository-document.created-at-is-timestamp",
        "create-repository-document.name-is-file-name",
    ]),
    row(
        "upload.id-number",
        "4.9",
        &["create-repository-document.id-is-text"],
        "The answer to an upload names the document by a number.",
        success(&[UPLOAD], "/data/id", Edit::Number(17)),
    )
    .also(&["create-repository-document.shape", "create-repository-document.then-readable"]),
    row(
        "upload.name-empty",
        "4.9",
        &["create-repository-document.name-is-text"],
        "The answer to an upload has an empty name.",
        success(&[UPLOAD], "/data/name", Edit::Text("")),
    )
    .also(&["create-repository-document.shape", "create-repository-document.name-is-file-name"]),
    row(
        "upload.name-without-extension",
        "4.9",
        &["create-repository-document.name-is-file-name"],
        "An uploaded document is named by the first letters of its file name.",
        success(&[UPLOAD], "/data/name", Edit::Cut(4)),
    )
    .also(&["create-repository-document.then-readable"]),
    row(
        "upload.created-at-number",
        "4.9",
        &["create-repository-document.created-at-is-timestamp"],
        "The answer to an upload has its time in Unix seconds.",
        success(&[UPLOAD], "/data/created_at", Edit::Number(1_767_225_600)),
    )
    .also(&["create-repository-document.shape", "create-repository-document.then-readable"]),
    row(
        "upload.not-stored",
        "4.9",
        &["create-repository-document.then-readable", "create-repository-document.then-listed"],
        "An uploaded document is forgotten at once.",
        Seam::Answer(|asked, outcome| match asked.is(UPLOAD) {
            true => Outcome { changes: Vec::new(), ..outcome },
            false => outcome,
        }),
    )
    .also(&["service.repository-holds-uploads"]),
    row(
        "upload.file-refused",
        "4.9",
        &["create-repository-document.file-accepted"],
        "A file is refused as an unsupported one.",
        Seam::Strict { on: UPLOAD, when: |asked| asked.sends("file") },
    ),
    row(
        "upload.url-refused",
        "4.9",
        &["create-repository-document.url-accepted"],
        "A public https address is refused.",
        Seam::Strict { on: UPLOAD, when: |asked| asked.sends("url") },
    ),
    row(
        "upload.nothing-taken",
        "4.9",
        &["create-repository-document.file-or-url-required"],
        "An upload with neither file nor url creates a document.",
        upload_forgets("A file or URL is required"),
    )
    .also(&["create-repository-document.neither-detail-says-so", "errors.parameter-missing"]),
    row(
        "upload.nothing-is-422",
        "4.9",
        &["create-repository-document.file-or-url-required"],
        "An upload with neither file nor url is refused with 422.",
        Seam::Answer(|asked, outcome| {
            if outcome.says("A file or URL is required") {
                super::forge::refused(asked)
            } else {
                outcome
            }
        }),
    )
    .also(&["create-repository-document.neither-detail-says-so", "errors.parameter-missing"]),
    row(
        "upload.nothing-detail",
        "7",
        &["create-repository-document.neither-detail-says-so"],
        "The detail of an upload with neither file nor url says only that it is bad.",
        Seam::Answer(|_, mut outcome| {
            if outcome.says("A file or URL is required") {
                edit::rewrite(&mut outcome.response, |body| {
                    edit::edit(body, "/detail", Edit::Text("The call is bad."));
                });
            }
            outcome
        }),
    ),
    row(
        "upload.both-taken",
        "4.9",
        &["create-repository-document.not-both"],
        "An upload with both file and url creates a document.",
        upload_forgets("Send `file` or `url`, not both"),
    ),
    row(
        "upload.both-late",
        "4.9",
        &["create-repository-document.not-both"],
        "An upload with both file and url is refused after it was stored.",
        Seam::Late { on: UPLOAD, detail: "Send `file` or `url`, not both" },
    ),
    row(
        "upload.http-taken",
        "4.9",
        &["create-repository-document.https-only"],
        "A document is fetched over plain http.",
        upload_forgets("`url` is not https"),
    ),
    row(
        "upload.relative-taken",
        "4.9",
        &["create-repository-document.https-only"],
        "An address that is not absolute is taken.",
        upload_forgets("`url` is no absolute address"),
    ),
    row(
        "upload.private-address-taken",
        "4.9",
        &["create-repository-document.private-addresses-blocked"],
        "A document is fetched from an internal address.",
        upload_forgets("`url` is an internal, private"),
    ),
    row(
        "upload.metadata-lost",
        "4.9",
        &["create-repository-document.metadata-becomes-custom-fields"],
        "The metadata of an upload is lost.",
        Seam::Answer(|asked, outcome| match asked.is(UPLOAD) && outcome.is_taken() {
            true => asked.with_parts(|parts| parts.retain(|part| part.name != "metadata")),
            false => outcome,
        }),
    )
    .also(&["create-repository-document.metadata-keeps-json-types"]),
    row(
        "upload.metadata-flattened",
        "4.9",
        &["create-repository-document.metadata-keeps-json-types"],
        "The values of metadata become texts.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(LIST | GET)) {
                edit::rewrite(response, |body| {
                    edit::each_custom_field(body, |value| edit::apply(value, Edit::AsText));
                });
            }
        }),
    )
    .also(&["create-repository-document.metadata-becomes-custom-fields"]),
    row(
        "upload.metadata-anything",
        "4.9",
        &["create-repository-document.metadata-must-be-an-object"],
        "Metadata that is no JSON object is taken.",
        upload_forgets("`metadata` must be a JSON object"),
    ),
    row(
        "upload.type-checked-late",
        "4.9",
        &["create-repository-document.unsupported-type-422"],
        "A file of an unsupported type is refused after it was stored.",
        Seam::Late { on: UPLOAD, detail: "The file type is not supported" },
    )
    .also(&["errors.repository-document-creation-error"]),
    row(
        "documents.list-bare",
        "4.10",
        &["list-repository-documents.shape"],
        "The list of documents has no pagination.",
        success(&[LIST], "/pagination", Edit::Drop),
    )
    .also(&[
        "pagination.current-page-is-integer",
        "pagination.per-page-is-integer",
        "pagination.total-pages-is-integer",
        "pagination.total-count-is-integer",
        "pagination.current-page",
        "pagination.page-default-1",
        "pagination.per-page-25",
        "pagination.empty-list",
    ]),
    row(
        "documents.list-as-object",
        "4.10",
        &["list-repository-documents.data-is-list"],
        "The documents of a page are an object with `items`.",
        Seam::Reply(|said, response| {
            if said.operation == Some(LIST) {
                edit::rewrite(response, |body| {
                    if let Some(data) = body.get_mut("data") {
                        *data = serde_json::json!({ "items": data.take() });
                    }
                });
            }
        }),
    )
    .also(&[
        "list-repository-documents.shape",
        "list-repository-documents.items-are-documents",
        "repository-document.id-is-string",
        "create-repository-document.then-listed",
        "pagination.empty-list",
    ]),
    row(
        "documents.other-members",
        "4.10",
        &["list-repository-documents.items-are-documents"],
        "The list of documents holds legal requests.",
        success(&[LIST], "/data/*/type", Edit::Text("legal_request")),
    )
    .also(&["list-repository-documents.shape", "repository-document.type"]),
    row(
        "documents.list-forbidden",
        "4.10",
        &["list-repository-documents.status-200"],
        "The list of documents answers 206.",
        Seam::Reply(|said, response| {
            if said.operation == Some(LIST) && response.status.is_success() {
                response.status = http::StatusCode::PARTIAL_CONTENT;
            }
        }),
    )
    .also(&["http.declared-status", "service.manages-four-kinds"]),
    row(
        "documents.list-differs",
        "4.10",
        &["list-repository-documents.agrees-with-get"],
        "The list shows other names of documents than get.",
        success(&[LIST], "/data/*/attributes/name", Edit::Cut(3)),
    )
    .also(&["create-repository-document.then-listed"]),
    row(
        "documents.get-bare",
        "4.11",
        &["get-repository-document.shape"],
        "A document is read without `data`.",
        success(&[GET], "", Edit::Unwrap("data")),
    )
    .also(&[
        "get-repository-document.returns-the-asked",
        "create-repository-document.then-readable",
        "list-repository-documents.agrees-with-get",
        "repository-document.id-is-string",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "documents.get-another",
        "4.11",
        &["get-repository-document.returns-the-asked"],
        "Reading a document answers with another one.",
        success(&[GET], "/data/id", Edit::Text("anotherDocument")),
    )
    .also(&[
        "create-repository-document.then-readable",
        "list-repository-documents.agrees-with-get",
    ]),
    row(
        "documents.unknown-is-null",
        "4.11",
        &["get-repository-document.unknown-404"],
        "An unknown document is null, with 200.",
        Seam::Answer(|asked, outcome| asked.null_where_unknown(GET, outcome)),
    )
    .also(&["isolation.get-repository-document", "isolation.create-repository-document"]),
    row(
        "documents.tied-to-nothing",
        "2.2",
        &["get-repository-document.relation-names-the-request"],
        "A document that results from a request is tied to none.",
        success(&[LIST, GET], "/data/*/relationships/legal_request/data", Edit::Null),
    )
    .also(&["states.archived-document-in-repository", "service.repository-holds-results"]),
    row(
        "documents.always-tied",
        "2.2",
        &["repository-document.relation-null-when-untied", "service.repository-holds-uploads"],
        "A document that was uploaded independently is tied to a request.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(LIST | GET)) {
                let tied = serde_json::json!({ "id": "someRequest", "type": "legal_request" });
                edit::rewrite(response, |body| edit::each_untied(body, &tied));
            }
        }),
    ),
    row(
        "documents.custom-fields-left-null",
        "2.2",
        &["repository-document.custom-fields-empty"],
        "Custom fields of a document without metadata are an empty list.",
        Seam::Reply(|said, response| {
            if matches!(said.operation, Some(LIST | GET)) {
                edit::rewrite(response, edit::empty_fields_as_lists);
            }
        }),
    )
    .also(&[
        "repository-document.custom-fields-is-object",
        "list-repository-documents.shape",
        "get-repository-document.shape",
    ]),
    row(
        "documents.download-other-bytes",
        "2.2",
        &["get-repository-document.agreement-url-returns-the-bytes"],
        "The download of a document returns other bytes than were uploaded.",
        Seam::Answer(|asked, mut outcome| {
            if asked.is(Operation::DownloadAgreement) && outcome.is_taken() {
                let bytes = Bytes::from_static(b"%PDF-1.4 re-encoded");
                outcome.response.body = ResponseBody::Content(Content::in_memory(bytes));
            }
            outcome
        }),
    )
    .also(&["get-repository-document.agreement-url-returns-the-fetched"]),
    row(
        "documents.upload-empty-body",
        "7",
        &["errors.malformed-400"],
        "A multipart body that breaks off is taken as far as it came.",
        Seam::Answer(|asked, outcome| match &asked.call.body {
            Body::Broken(_) if asked.is(UPLOAD) => super::forge::taken(asked, outcome),
            Body::Broken(_) | Body::Empty | Body::Whole(_) | Body::Multipart(_) => outcome,
        }),
    )
    .also(&["http.wrong-media-type"]),
];
