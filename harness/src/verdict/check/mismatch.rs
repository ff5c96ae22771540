//! The difference between a response and the expectation of a check, as data.

use serde::{Deserialize, Serialize};

/// The difference between a response and the expectation of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    pub kind: MismatchKind,
    pub part: ResponsePart,
    /// One sentence for people, lower case, no full stop. Not masked.
    pub message: String,
    /// Short, for people.
    pub expected: String,
    /// Short, for people. Not masked.
    pub actual: String,
    /// JSON Pointer into the body, if the mismatch is at one place.
    pub pointer: Option<String>,
    /// Whether an open question allows it, so that the verdict is a warning at most.
    pub is_tolerable: bool,
}

/// The part of a response that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponsePart {
    /// The HTTP status.
    Status,
    /// The header of this name, lower case.
    Header(String),
    /// The body, or a member of it.
    Body,
}

/// The reason why a body is not valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonFault {
    /// It is empty.
    Empty,
    /// It is not UTF-8.
    Encoding,
    /// It breaks the grammar of JSON.
    Syntax,
    /// It ends inside the JSON text.
    Short,
    /// There are bytes after the JSON text.
    TrailingBytes,
    /// An object has a member twice.
    DuplicateMember,
}

/// The kind of difference. It has no value of the response: mismatches of the same kind at the same
/// place are one finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    /// The value is absent and must be present.
    Absent,
    /// The value is present and must be absent.
    Present,
    /// The value has another JSON type.
    Type,
    /// The value is not the expected one.
    Value,
    /// The value is not one of the allowed values.
    NotAllowed,
    /// `not` or `none` forbids the value.
    Forbidden,
    /// The regular expression has no match in the value.
    Pattern,
    /// The value does not contain the expected part.
    Part,
    /// The value is below the minimum.
    TooSmall,
    /// The value is above the maximum.
    TooLarge,
    /// The value is too far from the expected number.
    TooFar,
    /// The value has another length.
    Length,
    /// The value does not have the expected format, such as `date-time`.
    Format,
    /// Two members of a list are equal, or an entry is repeated.
    Duplicate,
    /// No two members of a list are equal.
    NoDuplicate,
    /// No member of a list satisfies the matcher.
    NoMember,
    /// A list does not have the expected members.
    Members,
    /// The media type is not the expected one.
    MediaType,
    /// The status is a server error.
    ServerError,
    /// The body is not valid JSON.
    Json { fault: JsonFault },
    /// The body breaks its JSON Schema.
    Schema {
        /// The broken keyword of JSON Schema: `required`.
        keyword: String,
        /// The members that are missing or not allowed.
        members: Vec<String>,
    },
}

impl MismatchKind {
    /// Whether the message of a scenario's check has the expected value.
    pub fn says_expected(&self) -> bool {
        match self {
            Self::Type
            | Self::Value
            | Self::NotAllowed
            | Self::Forbidden
            | Self::Pattern
            | Self::Part
            | Self::TooSmall
            | Self::TooLarge
            | Self::TooFar
            | Self::Length
            | Self::Format
            | Self::NoMember => true,
            Self::Absent
            | Self::Present
            | Self::Duplicate
            | Self::NoDuplicate
            | Self::Members
            | Self::MediaType
            | Self::ServerError
            | Self::Json { .. }
            | Self::Schema { .. } => false,
        }
    }
}
