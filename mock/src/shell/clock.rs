//! The system's time: the only place of this crate that asks for it.
//!
//! The core takes time as an argument; what a world makes of it is [`crate::value::clock`].

use jiff::Timestamp;
use tokio::time::Instant;

/// The system's time.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// A reading that never goes back, for bounding how long something takes.
pub(crate) fn instant() -> Instant {
    Instant::now()
}
