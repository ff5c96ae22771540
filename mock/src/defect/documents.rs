//! Defects of repository documents (§2.2, §4.9): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{
    self, CreateRepositoryDocument, GetRepositoryDocument, ListRepositoryDocuments,
};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const DOCUMENTS: &[Operation] = &[ListRepositoryDocuments, GetRepositoryDocument];
const DOCUMENT_SHAPES: &[&str] =
    &["list-repository-documents.shape", "get-repository-document.shape"];

pub(super) const ROWS: &[Defect] = &[
    row(
        "document.id-number",
        "2.2",
        &["repository-document.id-is-string"],
        "The id of a repository document is a number.",
        success(DOCUMENTS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.returns-the-asked",
        "list-repository-documents.agrees-with-get",
        "create-repository-document.then-listed",
        "create-repository-document.then-readable",
        "pagination.no-item-twice",
        "pagination.page-selects",
    ]),
    row(
        "document.type-short",
        "2.2",
        &["repository-document.type"],
        "The type of a repository document is `document`.",
        success(DOCUMENTS, "/data/*/type", Edit::Text("document")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.returns-the-asked",
        "list-repository-documents.items-are-documents",
    ]),
    row(
        "document.name-missing",
        "2.2",
        &["repository-document.name-is-string"],
        "A repository document has no name.",
        success(DOCUMENTS, "/data/*/attributes/name", Edit::Drop),
    )
    .also(DOCUMENT_SHAPES),
    row(
        "document.custom-fields-text",
        "2.2",
        &["repository-document.custom-fields-is-object"],
        "The custom fields of a document are the text that was uploaded.",
        success(DOCUMENTS, "/data/*/attributes/custom_fields", Edit::AsText),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "repository-document.custom-fields-empty",
        "create-repository-document.metadata-becomes-custom-fields",
        "create-repository-document.metadata-keeps-json-types",
    ]),
    row(
        "document.created-at-date",
        "2.2",
        &["repository-document.created-at"],
        "The creation time of a document is a date without time.",
        success(DOCUMENTS, "/data/*/attributes/created_at", Edit::Cut(10)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "create-repository-document.then-readable",
    ]),
    row(
        "document.agreement-url-path",
        "2.2",
        &["repository-document.agreement-url"],
        "The agreement address of a document is a path.",
        success(DOCUMENTS, "/data/*/attributes/agreement_url", Edit::Text("/agreements/1")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.agreement-url-returns-the-bytes",
        "get-repository-document.agreement-url-returns-the-fetched",
    ]),
    row(
        "document.relation-left-out",
        "2.2",
        &["repository-document.relation-null-or-object"],
        "A document has no member for its legal request.",
        success(DOCUMENTS, "/data/*/relationships/legal_request", Edit::Drop),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "repository-document.relation-null-when-untied",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "document.relation-id-number",
        "2.2",
        &["repository-document.relation-id-is-string"],
        "The legal request of a document is named by a number.",
        success(DOCUMENTS, "/data/*/relationships/legal_request/data/id", Edit::Number(17)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "document.relation-type-short",
        "2.2",
        &["repository-document.relation-type"],
        "The legal request of a document has the type `request`.",
        success(DOCUMENTS, "/data/*/relationships/legal_request/data/type", Edit::Text("request")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "create-document.success-text",
        "4.9",
        &["create-repository-document.success-is-boolean"],
        "The success of an upload is a text.",
        success(&[CreateRepositoryDocument], "/success", Edit::AsText),
    )
    .also(&["create-repository-document.shape", "create-repository-document.success-says-true"]),
];
