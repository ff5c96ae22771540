//! Answers of deployments to open questions: files that a mock can load, comparison, and pins.
//!
//! [`AnswersEvidence`] has the observations of a run, and the answer to each question that they show. [`diff`] compares
//! two sets of answers. [`Pins`] are the answers that a target file requires. [`moot_fixtures::answers`] decides
//! whether an answer is allowed.

mod diff;
mod evidence;
mod pins;
mod schema;
mod undecidable;

pub use diff::{Difference, diff};
pub use evidence::{AnswersEvidence, Evidence, Sample};
pub use pins::Pins;
pub use schema::schema;
pub use undecidable::{UNDECIDABLE, why_not_imitated};
