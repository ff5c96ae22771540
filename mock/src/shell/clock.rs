//! The system's time: the only place of this crate that asks for it.
//!
//! The core takes time as an argument. [`crate::value::clock`] computes the time of a world from it.

use std::sync::LazyLock;

use jiff::Timestamp;
use tokio::time::Instant;

/// The system's time.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Microseconds since the first call in this process, at least 1, by a monotonic clock.
pub(crate) fn elapsed_us() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Time by a monotonic clock, for timeouts.
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// Time since the machine started, including time in which it was suspended.
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
