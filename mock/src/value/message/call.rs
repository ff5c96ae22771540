//! One HTTP call as values: what a shell hands to the core.
//!
//! Reading a socket and parsing multipart bodies is the shell's task. Rules are in `operation`.

use std::net::IpAddr;

use bytes::Bytes;
use http::{HeaderMap, Method};
use jiff::Timestamp;
use moot_fixtures::contract::{Operation, Scopes};
use url::Url;

use crate::value::message::content::Content;
use crate::value::message::response::Response;
use crate::value::message::wire::WireCall;

/// The head of a call: all that is known before its body is read.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// As sent.
    pub method: &'a Method,
    /// Path below the base address, as sent (not decoded), with its leading `/`.
    pub path: &'a str,
    /// What follows `?`, as sent.
    pub query: Option<&'a str>,
    /// As sent; names lower case.
    pub headers: &'a HeaderMap,
    /// The address of the peer (§8: the rate is counted by it).
    pub client: IpAddr,
    /// How it came over a connection; `None` if no socket was involved.
    pub wire: Option<&'a WireCall>,
}

/// What the core says of a head before a body is read.
#[derive(Debug)]
pub enum Admission {
    /// Answered already; the shell drains the body and never stores it.
    Refused(Response),
    /// Go on: read the body as `reading` says, then ask for the answer.
    Admitted(Admitted),
}

/// An admitted call: its number, its route and its caller.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// Number of the call in its world, from 1; `request_id` and new ids derive from it.
    pub serial: u64,
    /// The world's time when it was admitted.
    pub at: Timestamp,
    /// The route.
    pub operation: Operation,
    /// The decoded `{id}` of the path, where the route has one.
    pub id: Option<String>,
    /// Whose token it carries; `None` where the operation takes none.
    pub principal: Option<Principal>,
    /// How the shell reads the body.
    pub reading: Reading,
}

/// The authenticated caller (§5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    /// Index of the OAuth application in the world.
    pub application: u32,
    /// Index of its company (§5.6).
    pub company: u32,
    /// What the token may do.
    pub scopes: Scopes,
}

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Not at all: it is drained.
    Drain,
    /// Whole, into memory; beyond `bytes_max` it is [`BodyFault::TooLarge`].
    Whole {
        /// Bytes.
        bytes_max: u64,
    },
    /// As `multipart/form-data` (RFC 7578), streamed.
    Multipart(MultipartLimits),
}

/// Bounds of a multipart body; beyond them it is [`BodyFault::TooLarge`], but for
/// `part_bytes_max`, where the part is cut and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultipartLimits {
    /// Parts.
    pub parts_max: usize,
    /// Bytes of a part without file name.
    pub text_bytes_max: u64,
    /// Bytes of one file: of a larger one only the length up to here is kept, see
    /// [`Part::is_cut`].
    pub part_bytes_max: u64,
    /// Bytes of the whole body.
    pub body_bytes_max: u64,
}

/// A call with its body, as the core answers it.
#[derive(Debug)]
pub struct Call<'a> {
    /// The head, the same as at admission.
    pub head: Head<'a>,
    /// What admission said.
    pub admitted: &'a Admitted,
    /// The body.
    pub body: Body,
    /// What became of fetching what [`crate::World::needs`]; `None` where nothing was asked for.
    pub fetched: Option<Result<Fetched, FetchFault>>,
}

/// A document that an answer needs first (§4.9); only a shell that fetches asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// A public https address, parsed: the connection is made from this, not from its text.
    pub url: Url,
    /// A larger one is [`FetchFault::TooLarge`].
    pub bytes_max: u64,
}

/// A document that was fetched.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Its bytes, or where they are.
    pub content: Content,
    /// Its `Content-Type`, as told.
    pub content_type: Option<String>,
}

/// Why a document could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchFault {
    /// More than [`Fetch::bytes_max`].
    TooLarge,
    /// Anything else, in words that go on from "the address can't be fetched:".
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
    /// None was sent, or none is wanted.
    Empty,
    /// Read whole.
    Whole(Bytes),
    /// The parts in the order sent.
    Multipart(Vec<Part>),
    /// It could not be read.
    Broken(BodyFault),
}

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFault {
    /// Beyond a limit.
    TooLarge,
    /// No `multipart/form-data` content type, or one without a usable boundary.
    NoBoundary,
    /// The content type is none that the operation takes.
    WrongMediaType,
    /// Broken multipart: what is wrong with it is the text.
    Malformed(&'static str),
    /// The connection ended, or stalled, before the body did.
    Truncated,
}

/// One part of a multipart body.
#[derive(Debug, Clone)]
pub struct Part {
    /// The `name` parameter of its disposition.
    pub name: String,
    /// The `filename` parameter; its presence makes the part a file.
    pub file_name: Option<String>,
    /// Its `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// Its bytes, or where they are.
    pub content: Content,
    /// Whether more than [`MultipartLimits::part_bytes_max`] was sent.
    pub is_cut: bool,
}
