//! Scenario files: their typed model, how they are read, and names in them.
//!
//! The language is closed: no expressions, no conditions, no arithmetic. Nothing here sends anything.

pub mod model;
