//! The kinds of faults.

use http::StatusCode;
use http::header::HeaderValue;
use serde_json::Value;

/// The effect of a fault. The control plane uses the same names.
#[derive(Debug, Clone, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// The call is not processed, and this failure is answered.
    Status(FailedStatus),
    /// The call is not processed, and the client is sent elsewhere.
    Redirect {
        /// 3xx.
        status: StatusCode,
        /// `Location`.
        location: HeaderValue,
    },
    /// The call is not processed, and the connection is closed without an answer.
    Close,
    /// The call is not processed, and the answer is not HTTP.
    Garbage,
    /// The call is not processed. Nothing is sent, and after this real time the connection is closed.
    Stall {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// The call is processed, and the answer is delayed in real time.
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
    /// The call is not processed, and the connection is reset without an answer.
    ResetBefore,
    /// The call is processed, and the connection is reset in the middle of the body.
    ResetDuring,
    /// The call is processed, and the JSON of the answer is cut. `Content-Length` fits the rest.
    MalformedJson,
    /// The call is processed, and the answer has another `Content-Type`.
    WrongContentType {
        /// The media type.
        content_type: HeaderValue,
    },
    /// The call is processed, and the answer is a page of HTML, as a gateway sends one. Its status stays.
    HtmlPage,
    /// The call is processed, and a member of the answer is missing.
    MissingMember {
        /// JSON Pointer to the member.
        pointer: String,
    },
    /// The call is processed, and the answer has an additional member.
    ExtraMember {
        /// JSON Pointer to the member.
        pointer: String,
        /// Its value.
        value: Value,
    },
    /// The call is processed and its changes are stored, but the answer is lost: the connection is
    /// reset, or a failure is answered.
    CommitThenFail(Option<FailedStatus>),
}

/// A failure as the answer.
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

impl FaultKind {
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
