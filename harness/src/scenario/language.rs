//! How a scenario file is read, and the JSON Schema of the language, from one description.
//!
//! A type of the [`model`](super::model) names its keys once, in [`keyed!`](keys) or
//! [`one_key!`](keys). Reading, the hints of error messages and the JSON Schema follow from that. All
//! mistakes of form are reported at once, each with its line and column; serde stops at the first.

pub(super) mod fields;
pub(super) mod form;
pub(super) mod keys;
pub(super) mod measures;
pub(super) mod reader;
