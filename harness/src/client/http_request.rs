//! An HTTP request as a transport sends it, and the encoding of its body.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use serde_json::Value;
use url::Url;

use crate::client::request::{BodyPiece, ClientBody, FormPart};

/// Size of the pieces in which zero bytes are sent.
const ZEROS_PIECE_BYTES: usize = 64 * 1024;
static ZEROS: [u8; ZEROS_PIECE_BYTES] = [0; ZEROS_PIECE_BYTES];

/// The `User-Agent` of the harness.
pub(crate) const USER_AGENT: &str = concat!("moot/", env!("CARGO_PKG_VERSION"));

/// Separates the parts of a multipart body. No document contains it.
const BOUNDARY: &str = "moot-part-7hKq2Zr9Xw4Lc6Vt";

/// An HTTP request.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    /// Upper case.
    pub(crate) method: String,
    /// Absolute.
    pub(crate) url: Url,
    /// In the order sent. The transport adds `content-length` and `host`.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: ClientBody,
}

impl HttpRequest {
    /// The value of `content-length`. `None` for a body in chunks, and without a body for methods that need none
    /// (RFC 9110 §8.6).
    pub(crate) fn content_length(&self) -> Option<u64> {
        let is_chunked = self.headers.iter().any(|(name, _)| name == "transfer-encoding");
        let needs_body = ["POST", "PUT", "PATCH"].contains(&self.method.as_str());
        let length = self.body.content_length().or(needs_body.then_some(0));
        length.filter(|_| !is_chunked)
    }
}

impl ClientBody {
    /// A body of JSON.
    pub(crate) fn json(value: &Value) -> Self {
        Self::bytes("application/json", value.to_string())
    }

    /// The value of `content-type`.
    pub(crate) fn content_type(&self) -> Option<String> {
        match self {
            Self::Empty => None,
            Self::Bytes { content_type, .. } => content_type.clone(),
            Self::Multipart(_) => Some(format!("multipart/form-data; boundary={BOUNDARY}")),
        }
    }

    /// Whether there is no body. A body of zero bytes is a body.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// The value of `content-length`. `None` without a body.
    pub(crate) fn content_length(&self) -> Option<u64> {
        self.declared_length().or_else(|| (!self.is_empty()).then(|| self.length()))
    }

    /// The number of bytes that are sent.
    pub(crate) fn length(&self) -> u64 {
        self.pieces().iter().map(BodyPiece::length).sum()
    }

    /// The bytes in chunks.
    pub(crate) fn into_chunks(self) -> impl Iterator<Item = Bytes> + Send {
        self.pieces().into_iter().flat_map(BodyPiece::into_chunks)
    }

    /// The bytes as a stream.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
        stream::iter(self.into_chunks()).map(Ok)
    }

    fn pieces(&self) -> Vec<BodyPiece> {
        match self {
            Self::Empty => Vec::new(),
            Self::Bytes { bytes, .. } => vec![BodyPiece::Bytes(bytes.clone())],
            Self::Multipart(parts) => multipart(parts),
        }
    }
}

impl BodyPiece {
    fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Zeros(length) => *length,
        }
    }

    fn into_chunks(self) -> Box<dyn Iterator<Item = Bytes> + Send> {
        match self {
            Self::Bytes(bytes) => Box::new(std::iter::once(bytes)),
            Self::Zeros(length) => {
                let piece = ZEROS_PIECE_BYTES as u64;
                let whole = (0..length / piece).map(|_| Bytes::from_static(&ZEROS));
                // The rest is below the size of a piece, which is a usize.
                let rest = Bytes::from_static(&ZEROS[..(length % piece) as usize]);
                Box::new(whole.chain((!rest.is_empty()).then_some(rest)))
            }
        }
    }
}

fn multipart(parts: &[FormPart]) -> Vec<BodyPiece> {
    let mut pieces = Vec::with_capacity(parts.len() * 3 + 1);
    for part in parts {
        pieces.push(BodyPiece::Bytes(Bytes::from(part_head(part))));
        pieces.push(part.content.clone());
        pieces.push(BodyPiece::Bytes(Bytes::from_static(b"\r\n")));
    }
    pieces.push(BodyPiece::Bytes(Bytes::from(format!("--{BOUNDARY}--\r\n"))));
    pieces
}

fn part_head(part: &FormPart) -> String {
    let mut head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{}\"",
        parameter(&part.name)
    );
    if let Some(file_name) = &part.file_name {
        head.push_str(&format!("; filename=\"{}\"", parameter(file_name)));
    }
    if let Some(content_type) = &part.content_type {
        head.push_str(&format!("\r\nContent-Type: {}", content_type.replace(['\r', '\n'], " ")));
    }
    head.push_str("\r\n\r\n");
    head
}

/// A quoted parameter as browsers write it (WHATWG HTML, multipart/form-data encoding).
fn parameter(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
