//! One HTTP answer as a value: what the core hands back to a shell.

use bytes::Bytes;
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::Serialize;

use crate::value::message::content::Content;
use crate::value::message::rule::Rule;

/// An answer. The shell adds only what its connection needs (`content-length`, `connection`).
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// In the order sent; `date` among them, since the core tells the time.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: ResponseBody,
    /// Why it is an error; `None` where it is none. For the journal, not for the wire.
    pub refused: Option<Box<Refused>>,
    /// What a fault does to its way out, in this order.
    pub transport: Vec<TransportFault>,
    /// Which page of a list it is; `None` where it is not a list. For the journal, not for the wire.
    pub page: Option<Pagination>,
}

/// One page of a list, and its JSON (§2.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pagination {
    /// As asked.
    #[serde(rename = "current_page")]
    pub current: u64,
    /// Members a page.
    #[serde(rename = "per_page")]
    pub size: u32,
    /// Pages in all.
    #[serde(rename = "total_pages")]
    pub pages: u64,
    /// Members in all.
    #[serde(rename = "total_count")]
    pub members: u64,
}

/// What a fault does to an answer on its way out. The shell carries it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportFault {
    /// The answer comes so much later.
    Delay {
        /// Milliseconds of real time.
        milliseconds: u64,
    },
    /// The body takes so long.
    SlowBody {
        /// Milliseconds of real time.
        milliseconds: u64,
    },
    /// The connection is closed in the middle of the body.
    Truncate,
    /// The connection is reset, and nothing is answered.
    ResetBefore,
    /// The connection is reset in the middle of the body.
    ResetDuring,
    /// The connection is closed, and nothing is answered.
    Close,
    /// Bytes that are not HTTP are sent in place of the answer, and the connection is closed.
    Garbage,
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which group of rules refused it.
    pub stage: Stage,
    /// Which rule of the operation, if it has an id.
    pub rule: Option<Rule>,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: String,
    /// What is wrong, and what would have worked.
    pub detail: String,
}

/// The order in which rules are asked (open question `check_order`).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    strum::EnumIter,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    /// The rate limit (§8).
    Limit,
    /// Path and method.
    Route,
    /// The access token, or the client's credentials at the token endpoint (§5).
    Token,
    /// Its scope (§5.4).
    Scope,
    /// The body and the query.
    Body,
    /// Whether the named resource exists.
    Existence,
    /// The rules of the operation.
    Rule,
}

/// The body of an answer.
#[derive(Debug, Clone)]
pub enum ResponseBody {
    /// These bytes; may be empty.
    Bytes(Bytes),
    /// A stored document, streamed by the shell.
    Content(Content),
}
