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

/// Time since the machine started, by a clock that goes on while the machine is suspended.
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
