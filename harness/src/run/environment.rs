//! Environments: opened targets. A target is the mock in this process, a moot mock over HTTP, a deployment or a
//! recording.
//!
//! `opening` opens a target, and detects the needs that it meets. Each scenario gets a [`Session`]. Nothing here judges
//! a response. Start reading at [`Environment`].

mod access_token;
mod advice;
pub(crate) mod choice;
pub(crate) mod deployment;
pub(crate) mod discovery;
pub(crate) mod first_contact;
pub(crate) mod in_process;
mod leftovers;
pub(crate) mod mock;
pub(crate) mod needs;
pub(crate) mod opened_target;
pub(crate) mod opening;
pub(crate) mod preview;
pub(crate) mod replay_destination;
pub(crate) mod root_names;
pub(crate) mod session;
pub(crate) mod shard;
pub(crate) mod target_fit;
mod text_hash;

pub use access_token::access_token;
pub use choice::{OpenError, ResponseOverlay, TargetChoice, TargetOptions};
pub use leftovers::{Leftovers, StayReason, delete_leftovers, ledger_content};
pub(crate) use needs::application_of;
pub use opened_target::Environment;
pub use preview::TargetPreview;
pub use session::Session;
pub use shard::{SAME_MACHINE_SHARD, Shard};
pub(crate) use text_hash::text_hash;
