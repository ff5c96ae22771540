//! Reads scenario files and makes the JSON Schema of the language, from one description.
//!
//! A type of the [`model`](super::model) names its keys once, in [`keyed!`](keys) or
//! [`one_key!`](keys). The reader, the hints of error messages and the JSON Schema come from there.
//!
//! Serde and schemars are not enough: all mistakes of a file are reported at once, each with its line,
//! column and nearest key. Serde stops at the first mistake. A validator of a JSON Schema finds them
//! all, but gives no useful message if a step fits none of the alternatives of a `oneOf`.

pub(super) mod form;
pub(super) mod keys;
pub(super) mod measures;
pub(super) mod reader;
pub(super) mod text_forms;
