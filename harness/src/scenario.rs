//! Scenario files: their typed model, how they are read, and names in them.
//!
//! The scenario language is closed: no expressions, no conditions, no arithmetic. Nothing here sends
//! anything. [`load`] finds a file. `read` makes the [`model`] of it, with `language`, which describes
//! every key once. [`validate`] checks the model against the contract. Every mistake is a
//! [`Diagnostic`]. [`schema`] publishes the same language as JSON Schema.

pub mod declared;
pub mod diagnostic;
mod language;
pub mod load;
pub mod model;
pub mod names;
pub(crate) mod near_miss;
pub mod plan;
mod read;
pub mod schema;
pub mod text;
pub mod validate;
pub(crate) mod yaml_file;

pub use diagnostic::Diagnostic;
