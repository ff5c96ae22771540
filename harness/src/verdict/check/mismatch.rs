//! How an answer differs from what a check expects, as data. Messages are for people only.

use serde::{Deserialize, Serialize};

/// How an answer differs from what a check expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// What is wrong.
    pub kind: MismatchKind,
    /// The part of the answer that is wrong.
    pub part: AnswerPart,
    /// One sentence for people, lower case, no full stop. Not masked.
    pub message: String,
    /// For people, short.
    pub expected: String,
    /// For people, short. Not masked.
    pub actual: String,
    /// JSON Pointer into the body, if the mismatch is at one place.
    pub pointer: Option<String>,
    /// Whether an open question allows it: the verdict is a warning at most.
    pub is_tolerable: bool,
}

/// The part of an answer that a mismatch is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// The HTTP status.
    Status,
    /// The header of this name, lower case.
    Header(String),
    /// The body, or a member of it.
    Body,
}

/// Why a body is not sound JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonFault {
    /// It is empty.
    Empty,
    /// It is not UTF-8.
    Encoding,
    /// It breaks the grammar of JSON.
    Syntax,
    /// It ends before its JSON does.
    Short,
    /// It goes on after its JSON.
    TrailingBytes,
    /// An object has a member twice.
    DuplicateMember,
}

/// What is wrong with a value. Holds no value of the answer: equal kinds at equal places are the same
/// fault, however many answers show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    /// It is absent and must be present.
    Absent,
    /// It is present and must be absent.
    Present,
    /// It has another JSON type.
    Type,
    /// It is another value than the expected one.
    Value,
    /// It is none of the allowed values.
    NotAllowed,
    /// It is what `not` or `none` forbids.
    Forbidden,
    /// The regular expression is not found in it.
    Pattern,
    /// It does not contain the expected part.
    Part,
    /// It is below the minimum.
    TooSmall,
    /// It is above the maximum.
    TooLarge,
    /// It is too far from the expected number.
    TooFar,
    /// It has another length.
    Length,
    /// It has another format, such as `date-time`.
    Format,
    /// Two members of a list are equal, or an entry is repeated.
    Duplicate,
    /// No two members of a list are equal.
    NoDuplicate,
    /// No member of a list satisfies the matcher.
    NoMember,
    /// A list has other members than the expected ones.
    Members,
    /// The media type is another one.
    MediaType,
    /// The status is a server error.
    ServerError,
    /// The body is not sound JSON.
    Json {
        /// In which way.
        fault: JsonFault,
    },
    /// The body breaks its JSON Schema.
    Schema {
        /// The keyword of JSON Schema that is broken: `required`.
        keyword: String,
        /// The members that `required` or `additionalProperties` complain about.
        members: Vec<String>,
    },
}
