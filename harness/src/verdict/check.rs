//! Checks. A check is a pure function of the contract, an expectation and an exchange.
//!
//! A check sends nothing, never waits, and never asks the mock for the expected response. An explicit check
//! is an [`expectation`] of a scenario: places and matchers. An [`implicit`] check runs on every
//! exchange. Both return a [`Judgement`]. [`verdict_of`] makes a verdict of it by the level of the
//! requirement.

mod document;
mod duplicate_members;
mod equal;
pub mod expectation;
mod format;
pub mod implicit;
mod judgement;
pub mod matcher;
mod members;
mod mismatch;
pub mod place;
mod problem_body;
mod same_time;
pub mod schema;
mod sentence;

mod sound_json;
mod value_text;
mod wording;

pub use document::Document;
pub(crate) use equal::as_count;
pub use judgement::{Judgement, verdict_of};
pub use mismatch::{JsonFault, Mismatch, MismatchKind, ResponsePart};
pub use place::PlaceValue;
pub(crate) use value_text::json_kind;
pub use value_text::shortened;
