//! Drills: the command of a client runs once for each situation, and each run is judged by the journal of the mock.
//!
//! [`table`] has the situations, [`recording`] the data of a run. [`judge`] judges a run, [`certificate`] grades the
//! client. Nothing here starts a mock or a process: `command::drill` does.

pub mod certificate;
pub mod html;
pub mod judge;
pub mod parts;
pub mod recording;
pub mod table;
pub mod text;
pub mod waiver;
