//! The system's time: the only place of this crate that asks for it.
//!
//! The core takes time as an argument; what a world makes of it is [`crate::value::clock`].

use std::sync::LazyLock;

use jiff::Timestamp;
use tokio::time::Instant;

/// The system's time.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Microseconds since this process first asked, at least 1, by a clock that never goes back.
pub(crate) fn elapsed_us() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// A reading that never goes back, for bounding how long something takes.
pub(crate) fn instant() -> Instant {
    Instant::now()
}
