//! The system's time. No other file of this crate reads it.
//!
//! The core takes the time as an argument. [`crate::value::clock`] computes a world's time from it.

use std::sync::LazyLock;

use jiff::Timestamp;
use tokio::time::Instant;

/// The time of the system's clock, which can be set.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Microseconds since the first call in this process, at least 1. The clock is monotonic.
pub(crate) fn elapsed_us() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// A reading of the monotonic clock, for timeouts.
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// Time since the machine started. The clock also runs while the machine is suspended.
#[cfg(feature = "postgres")]
pub(crate) fn since_boot() -> std::time::Duration {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        // Both are positive: the clock starts at 0.
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or_default();
        std::time::Duration::new(seconds, nanoseconds)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        std::time::Duration::from_micros(elapsed_us())
    }
}
