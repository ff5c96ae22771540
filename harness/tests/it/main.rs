//! What the judge promises, by module.

mod scenario_examples;
