//! Checks: pure functions of the contract, an expectation and an exchange.
//!
//! Nothing here sends, waits or prints, and nothing asks the mock what is right. An explicit check
//! is an [`expectation`] of a scenario: places and matchers. An [`implicit`] check runs on every
//! exchange. Both return a [`Judgement`]. [`verdict_of`] turns it into a verdict by the level of the
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
mod same_time;
pub mod schema;
mod sentence;
mod shown;
mod sound_json;
mod wording;

pub use document::Document;
pub use judgement::{Judgement, verdict_of};
pub use mismatch::{AnswerPart, JsonFault, Mismatch, MismatchKind};
pub use place::PlaceValue;
pub(crate) use shown::json_kind;
pub use shown::shortened;
