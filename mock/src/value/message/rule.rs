//! The rules of single operations that a call can break, as values for code. The `detail` of a problem
//! describes them for people.

use serde::Deserialize;

use crate::value::address::AddressFault;

/// A broken rule of an operation (§4). In the files of defects it is `workflow_exists` or `{required: [workflow_id]}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// These fields are required. They were missing or empty.
    Required(Vec<String>),
    /// The value of this field must be well formed and allowed.
    Field(String),
    /// The schema of the workflow must list every field.
    FieldListed,
    /// A required variable must not be missing or empty.
    VariableRequired,
    /// The value of a variable must have the right type and be allowed.
    VariableValue,
    /// The workflow must exist in the caller's company.
    WorkflowExists,
    /// The workflow must be published.
    WorkflowPublished,
    /// The requester must be a user of the caller's company.
    RequesterIsUser,
    /// The type of the document must be accepted.
    DocumentType,
    /// The document must not be too large.
    DocumentSize,
    /// A support document must not be too large.
    SupportDocumentSize,
    /// An upload must have a file or an address.
    UploadSource,
    /// An upload must not have both a file and an address.
    OneUploadSource,
    /// The address of an upload must be a public https address.
    UploadAddress(AddressFault),
    /// The mock must be able to fetch the address of an upload.
    UploadFetched,
}

impl Rule {
    /// Whether this rule of a defect is the broken one. `required: []` stands for any missing fields.
    pub(crate) fn covers(&self, broken: &Self) -> bool {
        match (self, broken) {
            (Self::Required(names), Self::Required(_)) if names.is_empty() => true,
            (rule, broken) => rule == broken,
        }
    }
}
