//! Scenario files: their typed model, how they are read, and names in them.
//!
//! The language is closed: no expressions, no conditions, no arithmetic. Nothing here sends
//! anything. The way of a file: [`load`] finds it, `node` reads its YAML as a tree of values with
//! places, `read` makes the [`model`] of it, [`validate`]
//! holds the model against the contract. Whatever is wrong is a [`Diagnostic`]. [`schema`] publishes
//! the same language as JSON Schema.

pub mod declared;
pub mod diagnostic;
pub mod load;
pub mod model;
pub mod names;
mod node;
pub mod plan;
mod read;
pub mod schema;
pub mod text;
pub mod validate;

pub use diagnostic::Diagnostic;
