//! A request as the runner hands it to a stage: rendered, but not yet sent, masked or consented to.

use bytes::Bytes;
use moot_fixtures::contract::Operation;

/// A request ready to be sent.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// Upper case.
    pub method: String,
    /// Path below the base address with its leading `/`, and its query. An absolute address is
    /// taken as it is; beyond the target's own host it is only read, and never with a token.
    pub path: String,
    /// The operation of the contract, where the runner knows it; else it is found by method and
    /// path.
    pub operation: Option<Operation>,
    /// In the order sent; `content-type` and `content-length` come from the body.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ClientBody,
    /// The application it is sent for: `main`, `reader`, `writer`, `other_company`.
    pub application: String,
    /// The scenario it belongs to, for the ledger.
    pub tag_scenario: String,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum ClientBody {
    /// None.
    Empty,
    /// These bytes.
    Bytes {
        /// `Content-Type`; none where absent.
        content_type: Option<String>,
        /// The bytes.
        bytes: Bytes,
    },
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
    /// Exact bytes, possibly with a lie about their length.
    Raw {
        /// `Content-Type`; none where absent.
        content_type: Option<String>,
        /// The bytes.
        bytes: Bytes,
        /// `Content-Length` as declared; after the bytes the sending side closes.
        declared_length: Option<u64>,
    },
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPart {
    /// Its name.
    pub name: String,
    /// Its file name; its presence makes the part a file.
    pub file_name: Option<String>,
    /// Its content type; none where absent.
    pub content_type: Option<String>,
    /// Its bytes.
    pub content: FormPartContent,
}

/// The bytes of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormPartContent {
    /// These.
    Bytes(Bytes),
    /// So many zero bytes, made while sending.
    Zeros(u64),
}

impl ClientBody {
    /// Whether fewer bytes are sent than are declared.
    pub fn breaks_off(&self) -> bool {
        match self {
            Self::Raw { bytes, declared_length: Some(declared), .. } => {
                *declared > bytes.len() as u64
            }
            Self::Raw { declared_length: None, .. }
            | Self::Empty
            | Self::Bytes { .. }
            | Self::Multipart(_) => false,
        }
    }
}

impl FormPart {
    /// A part that is a text field.
    pub fn text(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file_name: None,
            content_type: None,
            content: FormPartContent::Bytes(Bytes::from(value.into())),
        }
    }
}
