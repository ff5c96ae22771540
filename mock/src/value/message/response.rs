//! One HTTP response as a value: the output of the core.

use bytes::Bytes;
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use moot_fixtures::contract::PAGE_MIN;
use moot_fixtures::journal::RuleGroup;
use serde::Serialize;

use crate::value::message::content::Content;
use crate::value::message::rule::Rule;

/// A response. The shell only adds the headers of its connection (`content-length`, `connection`).
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// In the order sent, with `date`.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: ResponseBody,
    /// The reason of an error. It is for the journal and is not sent.
    pub refused: Option<Box<RefusalReason>>,
    /// The transport faults of this response, in their order.
    pub transport: Vec<TransportFault>,
    /// The page of a list. It is for the journal and is not sent.
    pub page: Option<Pagination>,
}

/// One page of a list, and its JSON (§2.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pagination {
    /// The requested page.
    #[serde(rename = "current_page")]
    pub current: u64,
    /// Members of one page.
    #[serde(rename = "per_page")]
    pub size: u32,
    /// Pages in all.
    #[serde(rename = "total_pages")]
    pub pages: u64,
    /// Members in all.
    #[serde(rename = "total_count")]
    pub members: u64,
}

impl Pagination {
    /// Members before this page.
    pub(crate) const fn skipped(&self) -> u64 {
        (self.current - PAGE_MIN).saturating_mul(self.size as u64)
    }
}

/// A fault while a response is sent. The shell performs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportFault {
    /// The response is delayed.
    Delay {
        /// Milliseconds of real time.
        milliseconds: u64,
    },
    /// The body is sent slowly.
    SlowBody {
        /// Milliseconds of real time.
        milliseconds: u64,
    },
    /// The connection is closed in the middle of the body.
    Truncate,
    /// The connection is reset without a response.
    ResetBefore,
    /// The connection is reset in the middle of the body.
    ResetDuring,
    /// The connection is closed without a response.
    Close,
    /// Bytes that are not HTTP are sent instead of the response, and the connection is closed.
    Garbage,
}

/// The reason that a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalReason {
    /// The group of rules with the broken rule.
    pub rule_group: RuleGroup,
    /// The broken rule of the operation, if it has an id.
    pub rule: Option<Rule>,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: String,
    /// The mistake and the remedy.
    pub detail: String,
}

/// The body of a response.
#[derive(Debug, Clone)]
pub enum ResponseBody {
    /// Bytes, or no body if empty.
    Bytes(Bytes),
    /// A stored document. The shell streams it.
    Content(Content),
}
