//! Answers of deployments to open questions: kept in a file that a mock can load, compared, pinned.
//!
//! [`Observed`] is what a run saw, settled to one answer a question where its observations tell one;
//! [`diff`] compares two; [`Pins`] are those that a target file holds its deployment to. Whether an
//! answer is allowed is the business of [`moot_fixtures::answers`].

mod diff;
mod observed;
mod pins;
mod schema;
mod silent;

pub use diff::{Difference, diff};
pub use observed::{Evidence, Observed, Sample};
pub use pins::Pins;
pub use schema::schema;
pub use silent::{NOT_TOLD, why_not_imitated};
