//! What the judge promises, by module.

mod scenario_broken;
mod scenario_examples;
