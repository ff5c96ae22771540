//! Defects of creating a request (§4.5): checks that are forgotten, late, or too strict.

use http::StatusCode;
use moot_fixtures::contract::Operation;

use super::Defect;
use super::asked::Asked;
use super::edit::Edit;
use super::row::row;
use super::seam::{Seam, create_forgets, create_refuses, success};
use crate::message::call::Body;
use crate::world::Outcome;

const CREATE: Operation = Operation::CreateLegalRequest;

pub(super) const ROWS: &[Defect] = &[
    row(
        "create.status-200",
        "4.5",
        &["create-legal-request.status-201"],
        "Creating a request answers 200.",
        Seam::Reply(|said, response| {
            if said.operation == Some(CREATE) && response.status == StatusCode::CREATED {
                response.status = StatusCode::OK;
            }
        }),
    )
    .also(&["http.declared-status"]),
    row(
        "create.bare",
        "4.5",
        &["create-legal-request.shape"],
        "The create response is the request without `data`.",
        success(&[CREATE], "", Edit::Unwrap("data")),
    )
    .also(&[
        "create-legal-request.id-is-string",
        "create-legal-request.type",
        "create-legal-request.name-is-string",
        "create-legal-request.draft",
        "create-legal-request.only-name-and-status",
    ]),
    row(
        "create.initial-review",
        "3",
        &["create-legal-request.draft"],
        "The create response shows the status that the request has next.",
        success(&[CREATE], "/data/attributes/status", Edit::Text("initial_review")),
    )
    .also(&["create-legal-request.shape"]),
    row(
        "create.id-of-nothing",
        "4.5",
        &["create-legal-request.then-readable"],
        "The create response names another id than the request gets.",
        success(&[CREATE], "/data/id", Edit::Text("notTheIdOfIt")),
    )
    .also(&["create-legal-request.then-listed", "create-legal-request.then-logged"]),
    row(
        "create.not-stored",
        "4.5",
        &["create-legal-request.then-readable", "create-legal-request.then-listed"],
        "A request that was created is forgotten at once.",
        Seam::Answer(|asked, outcome| match asked.is(CREATE) {
            true => Outcome { changes: Vec::new(), ..outcome },
            false => outcome,
        }),
    )
    .also(&["create-legal-request.then-logged", "service.request-moves-through-statuses"]),
    row(
        "create.name-changes",
        "4.5",
        &["create-legal-request.then-readable"],
        "A request is named differently once it is read.",
        success(&[CREATE], "/data/attributes/name", Edit::Text("New request")),
    )
    .also(&["create-legal-request.then-listed"]),
    row(
        "create.takes-no-multipart",
        "4.5",
        &["create-legal-request.multipart"],
        "A multipart body is refused.",
        create_refuses(|asked| !asked.parts().is_empty()),
    )
    .also(&["create-legal-request.by-schema", "get-workflow-schema.suffices-for-creation"]),
    row(
        "create.workflow-id-not-required",
        "4.5",
        &["create-legal-request.workflow-id-required"],
        "A request without workflow is created.",
        create_forgets("`workflow_id` is required"),
    )
    .also(&[
        "create-legal-request.error-400",
        "errors.parameter-missing",
        "errors.malformed-400",
    ]),
    row(
        "create.workflow-unknown",
        "4.5",
        &["create-legal-request.workflow-must-exist"],
        "A request for a workflow that does not exist is created.",
        create_forgets("there is no workflow"),
    )
    .also(&["isolation.create-legal-request"]),
    row(
        "create.workflow-unpublished",
        "4.5",
        &["create-legal-request.workflow-must-be-published", "service.only-published-workflow"],
        "A request for an unpublished workflow is created.",
        create_forgets("is unpublished"),
    ),
    row(
        "create.requester-not-required",
        "4.5",
        &["create-legal-request.requester-required"],
        "A request without requester is created.",
        create_forgets("`requester_email` is required"),
    )
    .also(&["errors.parameter-missing"]),
    row(
        "create.requester-unknown",
        "4.5",
        &["create-legal-request.requester-is-a-user"],
        "A requester who is no user of the company is taken.",
        create_forgets("is no user of this company"),
    ),
    row(
        "create.required-fields-optional",
        "4.5",
        &["create-legal-request.required-field"],
        "A request without a required field is created.",
        create_forgets("required and must not be empty"),
    )
    .also(&[
        "create-legal-request.workflow-id-required",
        "create-legal-request.requester-required",
        "create-legal-request.file-required",
        "create-legal-request.signers-required",
        "create-legal-request.error-400",
        "errors.parameter-missing",
        "errors.malformed-400",
    ]),
    row(
        "create.counterparty-email-anything",
        "4.5",
        &["create-legal-request.counterparty-email"],
        "A counterparty e-mail that is none is taken.",
        create_forgets("`counterparty_email`: "),
    ),
    row(
        "create.counterparty-signer-email-anything",
        "4.5",
        &["create-legal-request.counterparty-signer-email"],
        "A counterparty signer e-mail that is none is taken.",
        create_forgets("`counterparty_signer_email`: "),
    ),
    row(
        "create.file-optional",
        "4.5",
        &["create-legal-request.file-required"],
        "A third-party workflow takes a request without file.",
        create_forgets("`file` is required"),
    )
    .also(&["create-legal-request.required-field"]),
    row(
        "create.file-refused",
        "4.5",
        &["create-legal-request.file-accepted", "service.accepts-third-party-document"],
        "A request with a third-party document is refused.",
        create_refuses(|asked| has(asked, "file")),
    )
    .also(&["create-legal-request.by-schema", "get-workflow-schema.suffices-for-creation"]),
    row(
        "create.generated-refused",
        "1",
        &["service.generates-agreement"],
        "A request for a workflow that generates its agreement is refused.",
        create_refuses(|asked| has(asked, "counterparty_email")),
    )
    .also(&[
        "create-legal-request.multipart",
        "create-legal-request.by-schema",
        "create-legal-request.status-201",
        "get-workflow-schema.suffices-for-creation",
    ]),
    row(
        "create.variables-no-json",
        "4.5",
        &["create-legal-request.variables-are-json"],
        "Variables that are no JSON are taken.",
        Seam::Answer(|asked, outcome| lax_variables(asked, outcome, false)),
    ),
    row(
        "create.variables-no-object",
        "4.5",
        &["create-legal-request.variables-are-an-object"],
        "Variables that are JSON but no object are taken.",
        Seam::Answer(|asked, outcome| lax_variables(asked, outcome, true)),
    ),
    row(
        "create.variables-optional",
        "4.5",
        &["create-legal-request.variables-required"],
        "A request without a required variable is created.",
        Seam::Answer(|asked, outcome| {
            let is_lacking = outcome.says("`variables`: `") && outcome.says("is required");
            let is_lacking = is_lacking && asked.is(CREATE);
            if is_lacking { super::forge::taken(asked, outcome) } else { outcome }
        }),
    ),
    row(
        "create.support-documents-once",
        "4.5",
        &["create-legal-request.support-documents-repeat"],
        "A second supporting file is refused.",
        create_refuses(|asked| count(asked, "support_documents[]") > 1),
    ),
    row(
        "create.support-documents-pdf-only",
        "4.5",
        &["create-legal-request.support-documents-any-format"],
        "Supporting files of other formats than PDF are refused.",
        create_refuses(|asked| {
            let is_pdf = |name: &str| name.ends_with(".pdf");
            asked.parts().iter().any(|part| {
                part.name == "support_documents[]" && !part.file_name.as_deref().is_some_and(is_pdf)
            })
        }),
    )
    .also(&["create-legal-request.support-documents-repeat", "limits.support-document-100-mb"]),
    row(
        "create.merge-refused",
        "4.5",
        &["create-legal-request.merge-true"],
        "Merging is refused where the schema offers it.",
        create_refuses(|asked| text(asked, "merge_documents_into_pdf") == Some(b"true")),
    ),
    row(
        "create.merge-strict",
        "4.5",
        &["create-legal-request.merge-other-is-false"],
        "A value of merging other than `true` is refused.",
        create_refuses(|asked| {
            text(asked, "merge_documents_into_pdf").is_some_and(|text| text != b"true")
        }),
    ),
    row(
        "create.signer-anybody",
        "4.5",
        &["create-legal-request.signer-is-an-option"],
        "An internal signer who is no option is taken.",
        create_forgets("`internal_signer_email`: "),
    ),
    row(
        "create.signer-always-required",
        "4.5",
        &["create-legal-request.single-signer-assigned"],
        "The only signer of a workflow has to be named.",
        create_refuses(|asked| {
            !has(asked, "internal_signer_email") && !has(asked, "internal_signer_emails[]")
        }),
    )
    .also(&["create-legal-request.by-schema", "get-workflow-schema.suffices-for-creation"]),
    row(
        "create.signers-once",
        "4.5",
        &["create-legal-request.several-signers"],
        "A second internal signer is refused.",
        create_refuses(|asked| count(asked, "internal_signer_emails[]") > 1),
    ),
    row(
        "create.signers-optional",
        "4.5",
        &["create-legal-request.signers-required"],
        "A request without the signers that its schema requires is created.",
        create_forgets("`internal_signer_emails[]` is required"),
    )
    .also(&["create-legal-request.required-field"]),
    row(
        "create.signers-anybody",
        "2.4",
        &["create-legal-request.signers-are-options"],
        "Internal signers who are no options are taken.",
        create_forgets("`internal_signer_emails[]`: "),
    ),
    row(
        "create.late-check",
        "4.5",
        &["create-legal-request.refused-changes-nothing"],
        "A request of an unknown requester is refused after it was stored.",
        Seam::Late { on: CREATE, detail: "is no user of this company" },
    )
    .also(&["create-legal-request.requester-is-a-user"]),
    row(
        "create.late-required-field",
        "4.5",
        &["create-legal-request.refused-changes-nothing"],
        "A request without a required field is refused after it was stored.",
        Seam::Late { on: CREATE, detail: "required and must not be empty" },
    )
    .also(&["create-legal-request.required-field", "errors.malformed-400"]),
];

fn lax_variables(asked: &Asked<'_>, outcome: Outcome, is_json: bool) -> Outcome {
    let sent = text(asked, "variables").unwrap_or_default();
    let is_meant = serde_json::from_slice::<serde_json::Value>(sent).is_ok() == is_json;
    if asked.is(CREATE) && is_meant && outcome.says("`variables` must be a JSON object") {
        super::forge::taken(asked, outcome)
    } else {
        outcome
    }
}

fn has(asked: &Asked<'_>, name: &str) -> bool {
    count(asked, name) > 0
}

fn count(asked: &Asked<'_>, name: &str) -> usize {
    asked.parts().iter().filter(|part| part.name == name).count()
}

fn text<'a>(asked: &Asked<'a>, name: &str) -> Option<&'a [u8]> {
    let Body::Multipart(parts) = &asked.call.body else { return None };
    let part = parts.iter().find(|part| part.name == name)?;
    match &part.content.place {
        crate::message::content::ContentPlace::Memory(bytes) => Some(bytes),
        crate::message::content::ContentPlace::File { .. }
        | crate::message::content::ContentPlace::Apart => None,
    }
}
