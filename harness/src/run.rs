//! Runs scenarios against a target.
//!
//! From top to bottom: `runner` selects the scenarios and opens the target, `concurrent` runs scenarios at the same
//! time, `scenario` runs one, `step` its steps. `request`, `burst` and `receive` run one step. `prepare` makes a
//! request, and `send` sends it. `judge` makes the results of checks by [`crate::verdict::check`]. Each file imports
//! only files further down. Nothing here knows HTTP or a file format.

mod burst;
mod changes;
mod concurrent;
mod confirm;
mod context;
mod control;
mod endpoint;
pub mod environment;
pub mod estimate;
pub mod interruption;
mod judge;
mod list_page;
mod movement;
mod options;
mod order;
mod page_faults;
mod pages;
pub mod part;
pub mod part_files;
mod prepare;
mod read_only;
mod receive;
mod repeatable_row;
mod request;
mod rows;
mod runner;
mod scenario;
mod scenario_run;
mod send;
mod settle;
pub mod shard;
mod shared_tokens;
mod shorten;
mod snapshot;
mod snapshot_log;
mod step;
mod stop;
mod token_budget;
mod token_refused;
mod unchanged;
mod views;

pub use interruption::Interruption;
pub use options::RunOptions;
pub use runner::{Runner, recording_index, run, run_part, run_until};
pub use settle::LIST_LAG;
pub(crate) use snapshot::slug;
