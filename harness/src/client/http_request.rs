//! A request as it goes on the wire, made from a prepared one; and how its body is shown.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use url::Url;

use crate::client::request::{ClientBody, FormPart, FormPartContent};

/// Zero bytes are sent in pieces of this size.
const ZEROS_PIECE_BYTES: usize = 64 * 1024;
static ZEROS: [u8; ZEROS_PIECE_BYTES] = [0; ZEROS_PIECE_BYTES];

/// A request on its way.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    /// Upper case.
    pub(crate) method: String,
    /// The whole address.
    pub(crate) url: Url,
    /// In the order sent, `content-type` among them; `content-length` and `host` are the
    /// transport's.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: HttpBody,
}

/// A body on its way.
#[derive(Debug, Clone)]
pub(crate) enum HttpBody {
    /// None.
    Empty,
    /// These pieces, of known length.
    Pieces(Vec<BodyPiece>),
    /// These bytes after a false `content-length`; then the sending side closes.
    Lying {
        /// What is sent.
        bytes: Bytes,
        /// What is declared.
        declared_length: u64,
    },
}

/// A piece of a body.
#[derive(Debug, Clone)]
pub(crate) enum BodyPiece {
    /// These bytes.
    Bytes(Bytes),
    /// So many zero bytes.
    Zeros(u64),
}

/// A body with its media type.
pub(crate) struct EncodedBody {
    /// `Content-Type`.
    pub(crate) content_type: Option<String>,
    /// The body.
    pub(crate) body: HttpBody,
}

impl HttpBody {
    /// Bytes that are sent.
    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Pieces(pieces) => pieces.iter().map(BodyPiece::length).sum(),
            Self::Lying { bytes, .. } => bytes.len() as u64,
        }
    }

    /// What stands in `content-length`; `None` where there is no body.
    pub(crate) fn declared_length(&self) -> Option<u64> {
        match self {
            Self::Empty => None,
            Self::Pieces(_) => Some(self.length()),
            Self::Lying { declared_length, .. } => Some(*declared_length),
        }
    }

    /// The bytes as a stream.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
        let pieces = match self {
            Self::Empty => Vec::new(),
            Self::Pieces(pieces) => pieces,
            Self::Lying { bytes, .. } => vec![BodyPiece::Bytes(bytes)],
        };
        stream::iter(pieces.into_iter().flat_map(BodyPiece::into_chunks)).map(Ok)
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

/// Encodes a body; `boundary` separates the parts of a multipart one.
pub(crate) fn encode(body: &ClientBody, boundary: &str) -> EncodedBody {
    match body {
        ClientBody::Empty => EncodedBody { content_type: None, body: HttpBody::Empty },
        ClientBody::Bytes { content_type, bytes }
        | ClientBody::Raw { content_type, bytes, declared_length: None } => EncodedBody {
            content_type: content_type.clone(),
            body: HttpBody::Pieces(vec![BodyPiece::Bytes(bytes.clone())]),
        },
        ClientBody::Raw { content_type, bytes, declared_length: Some(declared_length) } => {
            EncodedBody {
                content_type: content_type.clone(),
                body: HttpBody::Lying { bytes: bytes.clone(), declared_length: *declared_length },
            }
        }
        ClientBody::Multipart(parts) => EncodedBody {
            content_type: Some(format!("multipart/form-data; boundary={boundary}")),
            body: HttpBody::Pieces(multipart(parts, boundary)),
        },
    }
}

fn multipart(parts: &[FormPart], boundary: &str) -> Vec<BodyPiece> {
    let mut pieces = Vec::with_capacity(parts.len() * 3 + 1);
    for part in parts {
        pieces.push(BodyPiece::Bytes(Bytes::from(part_head(part, boundary))));
        pieces.push(match &part.content {
            FormPartContent::Bytes(bytes) => BodyPiece::Bytes(bytes.clone()),
            FormPartContent::Zeros(length) => BodyPiece::Zeros(*length),
        });
        pieces.push(BodyPiece::Bytes(Bytes::from_static(b"\r\n")));
    }
    pieces.push(BodyPiece::Bytes(Bytes::from(format!("--{boundary}--\r\n"))));
    pieces
}

fn part_head(part: &FormPart, boundary: &str) -> String {
    let mut head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
        parameter(&part.name)
    );
    if let Some(file_name) = &part.file_name {
        head.push_str(&format!("; filename=\"{}\"", parameter(file_name)));
    }
    if let Some(content_type) = &part.content_type {
        head.push_str(&format!("\r\nContent-Type: {}", one_line(content_type)));
    }
    head.push_str("\r\n\r\n");
    head
}

/// A quoted parameter as browsers write it (WHATWG HTML, multipart/form-data encoding).
fn parameter(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

/// What is shown of a body: text as it is, files and other bytes as a note. Not yet masked.
pub(crate) fn shown(body: &ClientBody) -> String {
    match body {
        ClientBody::Empty => String::new(),
        ClientBody::Bytes { bytes, .. } | ClientBody::Raw { bytes, .. } => shown_bytes(bytes),
        ClientBody::Multipart(parts) => parts.iter().map(shown_part).collect(),
    }
}

fn shown_part(part: &FormPart) -> String {
    let content = match (&part.content, &part.file_name) {
        (FormPartContent::Bytes(bytes), None) => shown_bytes(bytes),
        (FormPartContent::Bytes(bytes), Some(name)) => format!("<{name}, {} bytes>", bytes.len()),
        (FormPartContent::Zeros(length), _) => format!("<{length} zero bytes>"),
    };
    format!("{}: {content}\n", part.name)
}

/// A body is shown up to so many bytes.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

fn shown_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= SHOWN_BYTES_MAX => text.to_owned(),
        Ok(text) => {
            let mut end = SHOWN_BYTES_MAX;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            format!("{}… <{} bytes in all>", &text[..end], text.len())
        }
        Err(_) => format!("<{} bytes>", bytes.len()),
    }
}
