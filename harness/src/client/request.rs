//! A request that a scenario wants to send: names filled in, not yet encoded, checked or masked.

use bytes::Bytes;
use moot_fixtures::contract::Operation;

/// A request ready to be sent.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// Upper case.
    pub method: String,
    /// Path below the base address with its leading `/`, and its query. An absolute address is
    /// used as it is. Another host gets only GET requests without a token.
    pub path: String,
    /// The operation of the contract, if the scenario names it; else it is found by method and path.
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
        /// A `Content-Length` that differs from the length of the bytes; the sending side closes
        /// after them.
        declared_length: Option<u64>,
    },
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
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
    pub content: BodyPiece,
}

/// A piece of a body: the bytes of a part, or what stands between parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyPiece {
    /// These bytes.
    Bytes(Bytes),
    /// This number of zero bytes, generated while sending.
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

    /// Whether fewer bytes are sent than are declared.
    pub fn breaks_off(&self) -> bool {
        match self {
            Self::Bytes { bytes, declared_length: Some(declared), .. } => {
                *declared > bytes.len() as u64
            }
            Self::Bytes { declared_length: None, .. } | Self::Empty | Self::Multipart(_) => false,
        }
    }

    /// The body as reports show it: text as it is, files and other bytes as a note. Not yet masked.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Bytes { bytes, .. } => shown_bytes(bytes),
            Self::Multipart(parts) => parts.iter().map(FormPart::shown).collect(),
        }
    }
}

/// A longer text is cut where it is shown.
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
    /// A part that is a text field.
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
