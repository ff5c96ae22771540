//! Recordings: the exchanges of a run as files. They can be judged again without a network.
//!
//! [`Recorder`] collects a record for each session of a run, and writes them. It replaces secrets by placeholders of
//! the same length. [`Replay`] reads such a folder. A replayed session sends no request.
//!
//! A folder has an `index.json` ([`RecordingIndex`]) and a HAR 1.2 file for each session. Start reading at
//! `session_record`.

pub(crate) mod folder;
pub(crate) mod har;
pub(crate) mod index;
pub(crate) mod mode;
pub(crate) mod recorder;
pub(crate) mod replay;
pub(crate) mod session_record;

pub use folder::FolderLock;
pub use index::{IndexTarget, RecordingIndex};
pub use recorder::Recorder;
pub use replay::Replay;
