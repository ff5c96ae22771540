//! Recordings: all that scenarios were told by a target, kept in a folder, and played back without a
//! network.
//!
//! [`Recorder`] gathers a `Tape` for each stage of a run and writes them, secrets
//! replaced by placeholders that keep who is who; [`Recording`] reads such a folder. A stage that
//! plays a tape never falls back to asking anybody. Nothing here judges.
//!
//! A folder holds `index.json` ([`Index`]: the plan, versions, the target) and a HAR 1.2 file for
//! each stage. Start reading at `tape`.

pub(super) mod folder;
pub(super) mod har;
pub(super) mod index;
pub(super) mod play;
pub(super) mod recorder;
pub(super) mod redact;
pub(super) mod tape;

pub use folder::RecordingError;
pub use index::{Index, IndexTape, IndexTarget};
pub use play::Recording;
pub use recorder::{Asked, Recorder};
