//! Exploring: runs random sequences of calls on a target, and judges them by the contract.
//!
//! [`explore()`] draws cases with proptest (`draw`), writes each as a scenario (`case`) and runs it like any other
//! scenario ([`crate::run`]): within the consents and limits of the target, with the same checks. A case that fails is
//! shrunk and saved. The mock in this process runs the same cases. If the target answers differently without breaking
//! a requirement, this is a difference and never a failure.

mod acts;
pub mod case;
pub mod differences;
mod draw;
mod expected_failures;
mod exploration;
mod inputs;
pub mod json;
mod search;
mod shrink;
pub mod text;
pub mod violation;

pub use exploration::Exploration;
pub use search::{ExploreOptions, explore};
