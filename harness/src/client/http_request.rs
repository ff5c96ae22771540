//! An HTTP request ready for a transport: the encoded body of a [`ClientRequest`](super::ClientRequest).

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use url::Url;

use crate::client::request::{BodyPiece, ClientBody, FormPart};

/// Zero bytes are sent in pieces of this size.
const ZEROS_PIECE_BYTES: usize = 64 * 1024;
static ZEROS: [u8; ZEROS_PIECE_BYTES] = [0; ZEROS_PIECE_BYTES];

/// The `User-Agent` of the harness.
pub(crate) const USER_AGENT: &str = concat!("moot/", env!("CARGO_PKG_VERSION"));

/// Separates the parts of a multipart body; long and odd enough to occur in no document.
const BOUNDARY: &str = "moot-part-7hKq2Zr9Xw4Lc6Vt";

/// An HTTP request.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    /// Upper case.
    pub(crate) method: String,
    /// The whole address.
    pub(crate) url: Url,
    /// In the order sent. The transport adds `content-length` and `host`.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: HttpBody,
}

/// The body of an HTTP request. Without pieces there is no body, and no `content-length`.
#[derive(Debug, Clone, Default)]
pub(crate) struct HttpBody {
    pieces: Vec<BodyPiece>,
    /// A `content-length` that differs from what is sent; the sending side closes after the body.
    pub(crate) false_length: Option<u64>,
}

impl HttpRequest {
    /// The `content-length` to send; `None` without a body, and for one that is sent in chunks.
    pub(crate) fn content_length(&self) -> Option<u64> {
        let is_chunked = self.headers.iter().any(|(name, _)| name == "transfer-encoding");
        self.body.content_length().filter(|_| !is_chunked)
    }
}

impl HttpBody {
    /// Encodes a body. Returns its `content-type`, too.
    pub(crate) fn encode(body: &ClientBody) -> (Option<String>, Self) {
        match body {
            ClientBody::Empty => (None, Self::default()),
            ClientBody::Bytes { content_type, bytes, declared_length } => {
                let body = Self {
                    pieces: vec![BodyPiece::Bytes(bytes.clone())],
                    false_length: *declared_length,
                };
                (content_type.clone(), body)
            }
            ClientBody::Multipart(parts) => (
                Some(format!("multipart/form-data; boundary={BOUNDARY}")),
                Self { pieces: multipart(parts), false_length: None },
            ),
        }
    }

    /// A body of JSON.
    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self { pieces: vec![BodyPiece::Bytes(Bytes::from(value.to_string()))], false_length: None }
    }

    /// The number of bytes that are sent.
    pub(crate) fn length(&self) -> u64 {
        self.pieces.iter().map(BodyPiece::length).sum()
    }

    /// The value of `content-length`; `None` without a body.
    pub(crate) fn content_length(&self) -> Option<u64> {
        let length = (!self.pieces.is_empty()).then(|| self.length());
        self.false_length.or(length)
    }

    /// Whether there is a body.
    pub(crate) fn is_some(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// The bytes in chunks.
    pub(crate) fn into_chunks(self) -> impl Iterator<Item = Bytes> + Send {
        self.pieces.into_iter().flat_map(BodyPiece::into_chunks)
    }

    /// The bytes as a stream.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
        stream::iter(self.into_chunks()).map(Ok)
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
