//! A request of a scenario with its names filled in. It is not yet encoded, checked or masked.

use bytes::Bytes;
use moot_fixtures::contract::Operation;

use crate::client::target_file::endpoint::Endpoints;
use crate::scenario::ScenarioName;

/// A request ready to be sent.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// Upper case.
    pub method: String,
    /// The path below the base address with its leading `/` and its query, or an absolute address. Another host
    /// only gets GET requests without a token.
    pub path: String,
    /// The operation, if the scenario names it. Otherwise method and path decide.
    pub operation: Option<Operation>,
    /// In the order sent. `content-type` and `content-length` come from the body.
    pub headers: Vec<(String, String)>,
    /// Whether it is sent with the token that it has, even if that is a shared token that was revoked.
    pub keeps_token: bool,
    /// The body.
    pub body: ClientBody,
    /// The application that sends it: `main`, `reader`, `writer`, `other_company`.
    pub application: String,
    /// Its scenario, for the ledger.
    pub tag_scenario: ScenarioName,
}

impl ClientRequest {
    /// A request of this operation that no scenario sends, without headers and without a body.
    pub(crate) fn of(endpoints: &Endpoints, operation: Operation, application: &str) -> Self {
        let endpoint = endpoints.get(operation);
        Self {
            method: endpoint.method.clone(),
            path: endpoint.path.clone(),
            operation: Some(operation),
            headers: Vec::new(),
            keeps_token: false,
            body: ClientBody::Empty,
            application: application.to_owned(),
            tag_scenario: ScenarioName::new("", ""),
        }
    }
}

/// The header with this access token.
pub(crate) fn bearer(token: &str) -> (String, String) {
    ("authorization".to_owned(), format!("Bearer {token}"))
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum ClientBody {
    /// No body.
    Empty,
    /// Bytes.
    Bytes {
        /// `Content-Type`.
        content_type: Option<String>,
        /// The bytes.
        bytes: Bytes,
        /// A false `Content-Length`. The sending side closes after the bytes.
        declared_length: Option<u64>,
    },
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPart {
    /// Its name in the form.
    pub name: String,
    /// Its file name. A part with one is a file.
    pub file_name: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// Its bytes.
    pub content: BodyPiece,
}

/// A piece of a body: the content of a part, or a separator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyPiece {
    /// Bytes.
    Bytes(Bytes),
    /// This number of zero bytes, which are generated during sending.
    Zeros(u64),
}

impl ClientBody {
    /// Bytes of this media type.
    pub fn bytes(content_type: &str, bytes: impl Into<Bytes>) -> Self {
        Self::Bytes {
            content_type: Some(content_type.to_owned()),
            bytes: bytes.into(),
            declared_length: None,
        }
    }

    /// The false `Content-Length`, if it has one.
    pub(crate) fn declared_length(&self) -> Option<u64> {
        match self {
            Self::Bytes { declared_length, .. } => *declared_length,
            Self::Empty | Self::Multipart(_) => None,
        }
    }

    /// Whether it declares more bytes than it sends.
    pub fn breaks_off(&self) -> bool {
        self.declared_length().is_some_and(|declared| declared > self.length())
    }

    /// The body as reports show it, not yet masked. Files and binary bodies are notes.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Bytes { bytes, .. } => shown_bytes(bytes),
            Self::Multipart(parts) => parts.iter().map(FormPart::shown).collect(),
        }
    }
}

/// Reports cut a longer text.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

fn shown_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= SHOWN_BYTES_MAX => text.to_owned(),
        Ok(text) => {
            let end = text.floor_char_boundary(SHOWN_BYTES_MAX);
            format!("{}… <{} bytes in all>", &text[..end], text.len())
        }
        Err(_) => format!("<{} bytes>", bytes.len()),
    }
}

impl FormPart {
    /// A text field.
    pub fn text(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file_name: None,
            content_type: None,
            content: BodyPiece::Bytes(Bytes::from(value.into())),
        }
    }

    fn shown(&self) -> String {
        let content = match (&self.content, &self.file_name) {
            (BodyPiece::Bytes(bytes), None) => shown_bytes(bytes),
            (BodyPiece::Bytes(bytes), Some(name)) => {
                format!("<{name}, {} bytes>", bytes.len())
            }
            (BodyPiece::Zeros(length), _) => format!("<{length} zero bytes>"),
        };
        format!("{}: {content}\n", self.name)
    }
}
