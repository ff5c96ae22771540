//! The effects of faults.

use http::StatusCode;
use http::header::HeaderValue;
use moot_fixtures::journal::FaultKind;
use serde_json::Value;

/// An effect of a fault.
#[derive(Debug, Clone)]
pub enum FaultEffect {
    /// The call is not processed, and the response is this failure.
    Status(FailedStatus),
    /// The call is not processed, and the client is sent elsewhere.
    Redirect {
        /// 3xx.
        status: StatusCode,
        /// `Location`.
        location: HeaderValue,
    },
    /// The call is not processed, and the connection is closed without a response.
    Close,
    /// The call is not processed, and the response is not HTTP.
    Garbage,
    /// The call is not processed. Nothing is sent, and after this real time the connection is closed.
    Stall {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// The call is processed, and the response is delayed in real time.
    Delay {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// The call is processed, and sending the body takes this long in real time.
    SlowBody {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// The call is processed, and the connection is closed in the middle of the body.
    Truncate,
    /// The call is not processed, and the connection is reset without a response.
    ResetBefore,
    /// The call is processed, and the connection is reset in the middle of the body.
    ResetDuring,
    /// The call is processed, and the JSON of the response is cut. `Content-Length` fits the rest.
    MalformedJson,
    /// The call is processed, and the response has another `Content-Type`.
    WrongContentType {
        /// The media type.
        content_type: HeaderValue,
    },
    /// The call is processed, and the response is a page of HTML, as a gateway sends one. Its status stays.
    HtmlPage,
    /// The call is processed, and a member of the response is missing.
    MissingMember {
        /// JSON Pointer to the member.
        pointer: String,
    },
    /// The call is processed, and the response has an additional member.
    ExtraMember {
        /// JSON Pointer to the member.
        pointer: String,
        /// Its value.
        value: Value,
    },
    /// The call is processed and its changes are stored, but the response is lost: the connection is
    /// reset, or the response is a failure.
    CommitThenFail(Option<FailedStatus>),
}

/// A failure in place of the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedStatus {
    /// 4xx or 5xx.
    pub status: StatusCode,
    /// `type` of the problem.
    pub problem: String,
    /// `Retry-After`.
    pub retry_after_seconds: Option<u64>,
    /// `Retry-After` is a date: the next whole second after [`Self::retry_after_seconds`].
    pub is_retry_after_date: bool,
}

impl FaultEffect {
    /// Its kind, without its values.
    pub const fn kind(&self) -> FaultKind {
        match self {
            Self::Status(_) => FaultKind::Status,
            Self::Redirect { .. } => FaultKind::Redirect,
            Self::Close => FaultKind::Close,
            Self::Garbage => FaultKind::Garbage,
            Self::Stall { .. } => FaultKind::Stall,
            Self::Delay { .. } => FaultKind::Delay,
            Self::SlowBody { .. } => FaultKind::SlowBody,
            Self::Truncate => FaultKind::Truncate,
            Self::ResetBefore => FaultKind::ResetBefore,
            Self::ResetDuring => FaultKind::ResetDuring,
            Self::MalformedJson => FaultKind::MalformedJson,
            Self::WrongContentType { .. } => FaultKind::WrongContentType,
            Self::HtmlPage => FaultKind::HtmlPage,
            Self::MissingMember { .. } => FaultKind::MissingMember,
            Self::ExtraMember { .. } => FaultKind::ExtraMember,
            Self::CommitThenFail(_) => FaultKind::CommitThenFail,
        }
    }

    /// Whether the call is not processed.
    pub(crate) const fn is_before(&self) -> bool {
        matches!(
            self,
            Self::Status(_)
                | Self::Redirect { .. }
                | Self::ResetBefore
                | Self::Close
                | Self::Garbage
                | Self::Stall { .. }
        )
    }
}
