//! What kind of mismatch a failed check found, and where.

/// What a failed check found: the kind of mismatch, and the part of the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Failure {
    /// The kind of mismatch.
    pub kind: FailureKind,
    /// The part of the answer.
    pub place: FailurePlace,
}

/// The kind of mismatch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FailureKind {
    /// The value differs, in no way that has a kind of its own.
    #[default]
    Differs,
    /// Something is missing.
    Absent,
    /// Something is there that must not be.
    Present,
    /// The value has another JSON type.
    OtherType,
    /// The value is none of those allowed.
    NotAllowed,
    /// The value does not match a pattern, a format or a part.
    NoMatch,
    /// The number is too small or too large, or too far away.
    OutOfRange,
    /// The text or list has another length.
    OtherLength,
    /// A list has the wrong members.
    OtherMembers,
    /// The body is not what it is sent as: no JSON, no UTF-8.
    Malformed,
    /// The body breaks its JSON Schema.
    Schema {
        /// The keyword of the schema, such as `required`.
        keyword: &'static str,
        /// The member that is missing or must not be there.
        member: Option<String>,
    },
    /// Another call shows another value.
    Disagrees,
}

/// The part of the answer that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FailurePlace {
    /// The body; a pointer may name the place in it.
    #[default]
    Body,
    /// The status.
    Status,
    /// A header, lower case.
    Header(String),
    /// Values that a JSONPath of the scenario selects, as written there.
    Path(String),
}
