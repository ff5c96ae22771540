//! What is expected: checks, claims, places and matchers.

use regex::Regex;

use super::{Json, Location, Text};

/// One check: a requirement and what must hold for it.
#[derive(Debug, Clone)]
pub struct Check {
    /// Id of a row of the register.
    pub requirement: String,
    /// What must hold.
    pub expectation: Expectation,
    /// Of the id.
    pub at: Location,
}

/// `observe: {question: place}`, or `{question: {member: place}}`.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Id of a question.
    pub question: String,
    /// Where its answer is.
    pub sight: Sight,
    /// Of the id.
    pub at: Location,
}

/// Where an answer, or what tells some of it, is seen.
#[derive(Debug, Clone)]
pub enum Sight {
    /// All of it at one place.
    Whole(Place),
    /// An object of what is at these places, each under its name; a place without a value is left out.
    Members(Vec<(Text, Place)>),
}

/// Place and matcher, all of which must hold.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// In the order written.
    pub claims: Vec<Claim>,
}

/// One place and what must hold there.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Where.
    pub place: Place,
    /// What.
    pub matcher: Matcher,
    /// Of the place.
    pub at: Location,
}

/// Where a value is.
#[derive(Debug, Clone)]
pub enum Place {
    /// The HTTP status.
    Status,
    /// The problem's `type`; implies the media type.
    Problem,
    /// Whether the body satisfies a schema.
    Schema,
    /// The whole body.
    Body,
    /// Method and path template of the operation that succeeded, as the target has them.
    Endpoint,
    /// A header by name, lower case.
    Header(String),
    /// A JSON Pointer (RFC 6901), with names in it.
    Pointer(Text),
    /// A JSONPath (RFC 9535), with names in it: a list of the values found.
    Path(Text),
}

/// What must hold of a value.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// A scalar: equality, in type too.
    Equal(Json),
    /// A list: one of these.
    OneOf(Vec<Json>),
    /// A map: all of these hold.
    All(Vec<Rule>),
}

/// One key of a matcher map.
#[derive(Debug, Clone)]
pub enum Rule {
    /// Is this JSON value.
    Equals(Json),
    /// Is a member of this list.
    OneOf(Json),
    /// Does not satisfy.
    Not(Box<Matcher>),
    /// Is of this type.
    Type(JsonType),
    /// Is there, or is not.
    Present(bool),
    /// A regular expression is found in it; `None` where the pattern holds names.
    Matches(Text, Option<Regex>),
    /// Contains this part or member.
    Contains(Json),
    /// Is not below.
    Min(Json),
    /// Is not above.
    Max(Json),
    /// Its length satisfies.
    Length(Box<Matcher>),
    /// Has this format.
    TextFormat(TextFormat),
    /// Is no further away than `by`.
    Near {
        /// From this.
        value: Json,
        /// So far.
        by: Json,
    },
    /// Has no two equal members, or has.
    Unique(bool),
    /// All members satisfy.
    Each(Box<Matcher>),
    /// At least one member satisfies.
    Any(Box<Matcher>),
    /// No member satisfies.
    NoneOf(Box<Matcher>),
    /// Has exactly these members, in any order.
    SameMembers(Json),
}

/// A JSON type; an integer is a number too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// A named format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// ISO 8601 date and time, UTC (question `timestamps`).
    DateTime,
    /// An e-mail address.
    Email,
    /// An absolute address.
    Uri,
    /// RFC 9110 §5.6.7.
    HttpDate,
}
