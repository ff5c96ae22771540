//! Scenario files: how they are read, and their typed model.
//!
//! The scenario language has no expressions, conditions or arithmetic. This module sends nothing. [`load`] finds the
//! files, `read` makes a [`model`] of each, and [`validate`] checks the model against the contract. `language`
//! describes every key once. Every mistake is a [`DataError`](moot_fixtures::DataError). [`schema`] publishes the
//! language as JSON Schema.

pub mod declared;
pub mod diagnostic;
mod language;
pub mod load;
pub mod model;
pub mod names;
pub(crate) mod near_miss;
pub mod plan;
mod read;
mod scenario_name;
pub mod schema;
mod step_name;
pub mod text;
pub mod validate;
pub(crate) mod yaml_file;

pub use scenario_name::ScenarioName;
pub use step_name::StepName;
