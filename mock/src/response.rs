//! One HTTP answer as a value: what the core hands back to a shell.

use bytes::Bytes;
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};

use crate::call::Content;

/// An answer. The shell adds only what its connection needs (`content-length`, `connection`).
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// In the order sent; `date` among them, since the core tells the time.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: ResponseBody,
}

/// The body of an answer.
#[derive(Debug, Clone)]
pub enum ResponseBody {
    /// These bytes; may be empty.
    Bytes(Bytes),
    /// A stored document, streamed by the shell.
    Content(Content),
}
