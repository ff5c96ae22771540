//! Defects of legal requests (§2.1): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{
    self, CreateLegalRequest, GetLegalRequest, ListLegalRequests,
};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const REQUESTS: &[Operation] = &[ListLegalRequests, GetLegalRequest];
const REQUEST_SHAPES: &[&str] = &["list-legal-requests.shape", "get-legal-request.shape"];

pub(super) const ROWS: &[Defect] = &[
    row(
        "legal-request.id-number",
        "2.1",
        &["legal-request.id-is-string"],
        "The id of a legal request is a number.",
        success(REQUESTS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "get-legal-request.returns-the-asked",
        "list-legal-requests.agrees-with-get",
        "create-legal-request.then-listed",
        "pagination.no-item-twice",
        "pagination.page-selects",
        "pagination.total-count-agrees",
    ]),
    row(
        "legal-request.id-empty",
        "2.1",
        &["legal-request.id-is-string"],
        "The id of a legal request that is read is empty.",
        success(&[GetLegalRequest], "/data/id", Edit::Text("")),
    )
    .also(&["get-legal-request.shape", "get-legal-request.returns-the-asked"]),
    row(
        "legal-request.type-plural",
        "2.1",
        &["legal-request.type"],
        "The type of a legal request is `legal_requests`.",
        success(REQUESTS, "/data/*/type", Edit::Text("legal_requests")),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "list-legal-requests.members-are-requests",
    ]),
    row(
        "legal-request.name-missing",
        "2.1",
        &["legal-request.name-is-string"],
        "A legal request has no name.",
        success(REQUESTS, "/data/*/attributes/name", Edit::Drop),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.name-null",
        "2.1",
        &["legal-request.name-is-string"],
        "The name of a legal request is null.",
        success(REQUESTS, "/data/*/attributes/name", Edit::Null),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.description-missing-on-list",
        "2.1",
        &["legal-request.description-present-on-list"],
        "Legal requests in a list have no description.",
        success(&[ListLegalRequests], "/data/*/attributes/description", Edit::Drop),
    )
    .also(&["list-legal-requests.shape", "list-legal-requests.agrees-with-get"]),
    row(
        "legal-request.description-missing-on-get",
        "2.1",
        &["legal-request.description-present-on-get"],
        "A legal request that is read has no description.",
        success(&[GetLegalRequest], "/data/attributes/description", Edit::Drop),
    )
    .also(&["get-legal-request.shape", "list-legal-requests.agrees-with-get"]),
    row(
        "legal-request.description-object",
        "2.1",
        &["legal-request.description-is-string-or-null"],
        "The description of a legal request is a list.",
        success(REQUESTS, "/data/*/attributes/description", Edit::NoList),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.status-number",
        "2.1",
        &["legal-request.status-is-string"],
        "The status of a legal request is its number.",
        success(REQUESTS, "/data/*/attributes/status", Edit::Number(0)),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "states.only-the-twelve",
        "states.each-is-shown-by-get",
        "list-legal-requests.filter-does-not-leak",
    ]),
    row(
        "create-legal-request.id-number",
        "2.1",
        &["create-legal-request.id-is-string"],
        "The create response names the request by a number.",
        success(&[CreateLegalRequest], "/data/id", Edit::Number(17)),
    )
    .also(&["create-legal-request.shape", "create-legal-request.then-readable"]),
    row(
        "create-legal-request.type-missing",
        "2.1",
        &["create-legal-request.type"],
        "The create response has no type.",
        success(&[CreateLegalRequest], "/data/type", Edit::Drop),
    )
    .also(&["create-legal-request.shape"]),
    row(
        "create-legal-request.name-null",
        "2.1",
        &["create-legal-request.name-is-string"],
        "The name in the create response is null.",
        success(&[CreateLegalRequest], "/data/attributes/name", Edit::Null),
    )
    .also(&["create-legal-request.shape", "create-legal-request.then-readable"]),
    row(
        "create-legal-request.description-there",
        "2.1",
        &["create-legal-request.no-description"],
        "The create response has a description.",
        success(&[CreateLegalRequest], "/data/attributes", Edit::Put("description", "New")),
    )
    .also(&["create-legal-request.shape", "create-legal-request.only-name-and-status"]),
    row(
        "create-legal-request.attribute-leaked",
        "2.1",
        &["create-legal-request.only-name-and-status"],
        "The create response shows the requester among the attributes.",
        success(&[CreateLegalRequest], "/data/attributes", Edit::Put("requester", "somebody")),
    )
    .also(&["create-legal-request.shape"]),
];
