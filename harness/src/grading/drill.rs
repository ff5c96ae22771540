//! Drills: a client's command runs once per situation, and each run is judged by what the mock saw.
//!
//! [`table`] has the situations, [`recording`] what came of a run, [`judge`] judges it, [`certificate`] grades the
//! client. Nothing here starts a mock or a process: that is `command::drill`.

pub mod certificate;
pub mod html;
pub mod judge;
pub mod parts;
pub mod recording;
pub mod table;
pub mod text;
pub mod waiver;
