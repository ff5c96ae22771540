//! The ways in which an answer goes wrong.

use http::StatusCode;
use http::header::HeaderValue;
use serde_json::Value;

/// What a fault does. Its name is that of the control plane.
#[derive(Debug, Clone, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// Nothing is done; this is answered.
    Status(FailedStatus),
    /// All is done, and answered so much later, in real time.
    Delay {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// All is done; the body takes so long, in real time.
    SlowBody {
        /// Milliseconds.
        milliseconds: u64,
    },
    /// All is done; the connection is closed in the middle of the body.
    Truncate,
    /// Nothing is done; the connection is reset instead of an answer.
    ResetBefore,
    /// All is done; the connection is reset in the middle of the body.
    ResetDuring,
    /// All is done; the JSON of the answer breaks off, its length is that of what is left.
    MalformedJson,
    /// All is done; the answer has another `Content-Type`.
    WrongContentType {
        /// The type.
        content_type: HeaderValue,
    },
    /// All is done; the answer lacks a member.
    MissingMember {
        /// JSON pointer of it.
        pointer: String,
    },
    /// All is done; the answer has a member that nobody knows.
    ExtraMember {
        /// JSON pointer of it.
        pointer: String,
        /// Its value.
        value: Value,
    },
    /// All is done and kept, and the answer is lost: the connection is reset, or a failure answered.
    CommitThenFail(Option<FailedStatus>),
}

/// A failure that is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedStatus {
    /// 4xx or 5xx.
    pub status: StatusCode,
    /// `type` of the problem.
    pub problem: String,
    /// `Retry-After`.
    pub retry_after_seconds: Option<u64>,
}

impl FaultKind {
    /// Whether the call is not even looked at.
    pub(crate) const fn is_before(&self) -> bool {
        matches!(self, Self::Status(_) | Self::ResetBefore)
    }
}
