//! One HTTP call as values: the input of the core.
//!
//! The shell reads sockets and parses multipart bodies. The rules are in `operation`.

use std::net::IpAddr;

use bytes::Bytes;
use http::{HeaderMap, Method};
use jiff::Timestamp;
use moot_fixtures::contract::{Operation, Scopes};
use url::Url;

use crate::value::message::content::Content;
use crate::value::message::response::Response;
use crate::value::message::wire::WireCall;

/// The head of a call, without its body.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// As sent.
    pub method: &'a Method,
    /// Path below the base address, as sent (not decoded), with its leading `/`.
    pub path: &'a str,
    /// The text after `?`, as sent.
    pub query: Option<&'a str>,
    /// As sent; names lower case.
    pub headers: &'a HeaderMap,
    /// The address of the peer. The rate limit counts by it (§8).
    pub client: IpAddr,
    /// Its place on a connection; `None` without a socket.
    pub wire: Option<&'a WireCall>,
}

/// The decision of the core on a head, before the body is read.
#[derive(Debug)]
pub enum Admission {
    /// The call with this number is answered with this. The shell drains the body without storing it.
    Refused(Response, u64),
    /// The shell reads the body as `reading` says, and then asks for the response.
    Admitted(AdmittedCall),
}

/// An admitted call: its number, its route and its caller.
#[derive(Debug, Clone)]
pub struct AdmittedCall {
    /// Number of the call in its world, from 1; `request_id` and new ids derive from it.
    pub serial: u64,
    /// The world's time of the admission.
    pub at: Timestamp,
    /// The route.
    pub operation: Operation,
    /// The decoded `{id}` of the path, if the route has one.
    pub id: Option<String>,
    /// The owner of the token; `None` if the operation needs no token.
    pub principal: Option<Principal>,
    /// How to read the body.
    pub reading: Reading,
}

/// The authenticated caller (§5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    /// Index of the OAuth application in the world.
    pub application: u32,
    /// Index of its company (§5.6).
    pub company: u32,
    /// The scopes of the token.
    pub scopes: Scopes,
}

/// How to read a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The body is drained.
    Drain,
    /// Into memory. A body beyond `bytes_max` is [`BodyFault::TooLarge`].
    Whole {
        /// Bytes.
        bytes_max: u64,
    },
    /// `multipart/form-data` (RFC 7578), streamed.
    Multipart(MultipartLimits),
}

/// Limits of a multipart body. Beyond a limit the body is [`BodyFault::TooLarge`], but a part beyond
/// `part_bytes_max` is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultipartLimits {
    /// Parts.
    pub parts_max: usize,
    /// Bytes of a part without file name.
    pub text_bytes_max: u64,
    /// Bytes of one file. A larger file is cut and marked by [`Part::is_cut`].
    pub part_bytes_max: u64,
    /// Bytes of the whole body.
    pub body_bytes_max: u64,
}

/// A call with its body.
#[derive(Debug)]
pub struct Call<'a> {
    /// The head, the same as at admission.
    pub head: Head<'a>,
    /// The result of the admission.
    pub admitted: &'a AdmittedCall,
    /// The body.
    pub body: Body,
    /// The result of fetching the document of [`crate::World::document_to_fetch`]; `None` if nothing was fetched.
    pub fetched: Option<Result<FetchedDocument, FetchFault>>,
}

/// A document to fetch before a call is answered (§4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// A public https address. The connection uses this parsed form.
    pub url: Url,
    /// A larger document is [`FetchFault::TooLarge`].
    pub bytes_max: u64,
}

/// A document that was fetched.
#[derive(Debug, Clone)]
pub struct FetchedDocument {
    /// Its bytes.
    pub content: Content,
    /// The header `Content-Type` of the server.
    pub content_type: Option<String>,
}

/// The reason that a document could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchFault {
    /// More than [`Fetch::bytes_max`].
    TooLarge,
    /// Another reason, as the end of a sentence: "`url` can't be fetched: …".
    Failed(String),
}

impl FetchFault {
    /// [`Self::Failed`].
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }
}

/// A body that was read.
#[derive(Debug, Clone)]
pub enum Body {
    /// No body was sent, or it was drained.
    Empty,
    /// A body that was read into memory.
    Whole(Bytes),
    /// The parts in the order sent.
    Multipart(Vec<Part>),
    /// It could not be read.
    Broken(BodyFault),
}

/// The reason that a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFault {
    /// Beyond a limit.
    TooLarge,
    /// No `multipart/form-data` content type, or one without a usable boundary.
    NoBoundary,
    /// The operation does not accept the content type.
    WrongMediaType,
    /// Broken multipart, with the mistake.
    Malformed(&'static str),
    /// The connection ended or stalled before the end of the body.
    Truncated,
}

/// One part of a multipart body: a text field or a file.
#[derive(Debug, Clone)]
pub struct Part {
    /// The `name` parameter of its disposition.
    pub name: String,
    /// Its `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// The `filename` parameter of its disposition. `None` for a text field.
    pub file_name: Option<String>,
    /// Its bytes. Those of a text field are in memory.
    pub content: Content,
    /// Whether it is a file of which more than [`MultipartLimits::part_bytes_max`] was sent.
    pub is_cut: bool,
}

impl Part {
    pub(crate) fn is_larger_than(&self, bytes: u64) -> bool {
        self.is_cut || self.content.length > bytes
    }
}
