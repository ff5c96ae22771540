//! Running: what is planned, how a scenario and a step are walked, and the result as inert data.
//!
//! [`plan`] selects, [`run()`] opens the target and walks scenarios side by side, `scenario` and
//! `step` walk one, [`outcome`] merges. Nothing here knows HTTP or a file format, and nothing here
//! judges: that is [`crate::check`].

mod admin;
mod burst;
pub mod estimate;
pub mod event;
pub mod interruption;
mod judge;
mod keep;
mod movement;
mod observe;
pub mod order;
mod pages;
mod prepare;
mod receive;
pub(crate) mod request;
mod rows;
mod scenario;
mod session;
mod shape;
mod snapshot;
mod step;
mod stop;
mod turn;
mod unchanged;
mod unwalked;
mod walk;

pub use event::Event;
pub use interruption::Interruption;
pub use keep::Kept;
pub(crate) use pages::PAGES_MAX;
pub use session::Runner;
pub use snapshot::SnapshotMode;
pub(crate) use snapshot::slug;
pub use walk::{RunOptions, run, run_until};
