//! Checks: pure functions of the contract, a claim and an exchange. Each answers one question.
//!
//! Nothing here sends, waits or prints, and nothing asks the mock what is right. An explicit check
//! is an [`expectation`] of a scenario: a [`place`] and a [`matcher`]. An [`implicit`] one runs on
//! every exchange. Both end in a [`Judgement`]; the level of the requirement makes a verdict of it.

mod document;
mod equal;
pub mod expectation;
mod format;
pub mod implicit;
mod judgement;
mod known_body;
pub mod matcher;
mod members;
pub mod place;
pub mod schema;
mod shown;
mod wording;

pub use document::Document;
pub use judgement::{Judgement, verdict_of};
pub use known_body::KnownBody;
pub use place::Found;
