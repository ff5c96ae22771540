//! Exploring: sequences of operations and inputs, sound and not, drawn from the contract, against a
//! target and against the mock beside it.
//!
//! [`explore()`] draws cases (`draw`), writes each as a scenario (`case`), and has it walked as any
//! scenario is walked: by [`crate::run`], within the consents and limits of the target, judged by the
//! checks of the harness. What fails is made smaller and kept as a file. The mock in this process walks
//! the same; where it only answers otherwise, that is shown and judged by nobody.

mod access;
pub mod act;
mod addresses;
pub mod case;
mod creating;
pub mod differ;
mod draw;
mod explored;
mod hidden;
pub mod json;
mod known;
mod means;
mod odd;
mod requests;
mod search;
mod shrink;
mod steps;
pub mod text;
pub mod violation;
mod webhooks;
mod whole;
mod yaml;

pub use explored::{Explored, Warned};
pub use search::{ExploreOptions, explore};
