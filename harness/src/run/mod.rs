//! Running: what is planned, how a scenario and a step are walked, and the result as inert data.

pub mod event;
pub mod result;

pub use event::Event;
