//! The rules of single operations that a call can break, as values for code. The `detail` of a problem
//! describes them for people.

use crate::value::address::AddressFault;

/// A broken rule of an operation (§4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// These fields are required. They were missing or empty.
    Required(Vec<&'static str>),
    /// The value of this field must be well formed and allowed.
    Field(&'static str),
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
