//! Runs scenarios against a target.
//!
//! From top to bottom: [`run()`] selects and opens the target, [`Runner`] holds it, `concurrent` runs scenarios
//! at the same time, `scenario` runs one, `step` its steps, `request`, `burst`, `receive`, `admin` and `operator` one step,
//! `send` one request. Each file imports only files further down. Nothing here knows HTTP or a file format, and
//! nothing here judges: that is [`crate::verdict::check`].

mod admin;
mod burst;
mod changes;
mod concurrent;
mod context;
pub mod environment;
pub mod estimate;
pub mod interruption;
mod judge;
mod keep;
mod movement;
mod observe;
mod operator;
mod options;
pub mod order;
mod pages;
pub mod part;
pub mod part_files;
mod prepare;
mod receive;
mod recorded;
mod request;
mod rows;
mod scenario;
mod scenario_walk;
mod send;
mod session;
mod settle;
mod shape;
pub mod shard;
mod snapshot;
mod snapshots_seen;
mod step;
mod stop;
mod token_budget;
mod token_refused;
mod turn;
mod unchanged;
mod unwalked;
mod views;
mod walk;

pub use interruption::Interruption;
pub use keep::Kept;
pub use options::RunOptions;
pub(crate) use pages::PAGES_MAX;
pub use recorded::recording_index;
pub use session::Runner;
pub use settle::LIST_LAG;
pub(crate) use snapshot::slug;
pub use snapshots_seen::SnapshotMode;
pub use walk::{run, run_part, run_until};
