//! What is sent: line, token, headers and body of a request.

use moot_fixtures::contract::{Operation, Scopes};

use super::{Json, Text};

/// What a request is sent to.
#[derive(Debug, Clone)]
pub enum RequestLine {
    /// `METHOD /path`.
    Path {
        /// Upper case, or a name.
        method: Text,
        /// With its leading `/`; or it begins with a name, which may stand for an absolute address.
        path: Text,
    },
    /// An operation by name, or a name that stands for one; `id` fills `{id}`.
    Operation {
        /// The operation's text form, or a name.
        operation: Text,
        /// The operation, where it is not a name.
        known: Option<Operation>,
        /// Fills `{id}`.
        id: Option<Text>,
    },
}

/// The keys that make up a request; also those that a control replaces.
#[derive(Debug, Clone, Default)]
pub struct RequestShape {
    /// What it is sent to; in a control `None` keeps the step's own.
    pub line: Option<RequestLine>,
    /// Which token.
    pub token: Option<TokenChoice>,
    /// Which application: `main`, `reader`, `writer`, `other_company`.
    pub application: Option<Text>,
    /// Query fields; a list repeats the field.
    pub query: Vec<(Text, Json)>,
    /// Headers.
    pub headers: Vec<(Text, Json)>,
    /// The body.
    pub body: Option<RequestBody>,
}

/// Which token a request carries.
#[derive(Debug, Clone)]
pub enum TokenChoice {
    /// None.
    None,
    /// A shared one with these scopes: `read`, `write`, `read write`.
    Shared(Scopes),
    /// One that expired.
    Expired,
    /// One that was revoked.
    Revoked,
    /// This one.
    Given(Text),
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum RequestBody {
    /// `application/x-www-form-urlencoded`; a list repeats the field.
    Form(Vec<(Text, Json)>),
    /// `application/json`.
    Json(Json),
    /// `multipart/form-data`.
    Multipart(Multipart),
    /// Exact bytes.
    Raw(Raw),
}

/// `multipart`; in a control, what is given replaces, maps merge.
#[derive(Debug, Clone, Default)]
pub struct Multipart {
    /// A workflow schema from which valid values are derived.
    pub from_schema: Option<Json>,
    /// Field and text; a list repeats the field.
    pub set: Vec<(Text, Json)>,
    /// Fields left out; `None` in a control keeps the step's own.
    pub omit: Option<Vec<Text>>,
    /// Further parts, in order; `None` in a control keeps the step's own.
    pub parts: Option<Vec<PartSpec>>,
}

/// One part.
#[derive(Debug, Clone)]
pub struct PartSpec {
    /// Its name.
    pub name: Text,
    /// Its content.
    pub content: PartContent,
    /// Its file name; a file has its own where absent.
    pub file_name: Option<Text>,
    /// Its content type.
    pub content_type: Option<Text>,
}

/// The content of a part.
#[derive(Debug, Clone)]
pub enum PartContent {
    /// A text.
    Text(Text),
    /// A file of `fixtures/documents`.
    File(String),
    /// So many zero bytes, made while sending.
    Zeros(u64),
}

/// Exact bytes.
#[derive(Debug, Clone)]
pub struct Raw {
    /// `Content-Type`; none where absent.
    pub content_type: Option<Text>,
    /// The bytes.
    pub content: RawContent,
    /// Lies about the length, then closes.
    pub declared_length: Option<u64>,
}

/// The content of a raw body.
#[derive(Debug, Clone)]
pub enum RawContent {
    /// As written.
    Text(Text),
    /// Joined by CR LF, and one at the end.
    CrlfLines(Vec<Text>),
    /// Decoded.
    Base64(Vec<u8>),
}
