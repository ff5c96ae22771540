//! The rules of single operations that a call can break, as facts for code.
//!
//! The words about a broken rule are in the problem's `detail`. No code reads those.

use crate::value::address::AddressFault;

/// A broken rule of an operation (§4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Each of these fields is required and was missing or empty.
    Required(Vec<&'static str>),
    /// The value of this field is malformed or not one of those allowed.
    Field(&'static str),
    /// A field was sent that the schema of the workflow does not list.
    FieldListed,
    /// A variable that the workflow requires was missing or empty.
    VariableRequired,
    /// The value of a variable has another type, or is not one of those allowed.
    VariableValue,
    /// The workflow exists in the caller's company.
    WorkflowExists,
    /// The workflow is published.
    WorkflowPublished,
    /// The requester is a user of the caller's company.
    RequesterIsUser,
    /// The type of the document is accepted.
    DocumentType,
    /// The document is not too large.
    DocumentSize,
    /// A support document is not too large.
    SupportDocumentSize,
    /// An upload has a file or an address.
    UploadSource,
    /// An upload has only one of a file and an address.
    OneUploadSource,
    /// The address of an upload is a public https address.
    UploadAddress(AddressFault),
    /// The address of an upload can be fetched.
    UploadFetched,
}
