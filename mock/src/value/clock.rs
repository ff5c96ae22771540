//! The clock of a world: the system's with an offset, or one that stands still.
//!
//! The system's time comes in as an argument; nothing here asks for it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::value::settings::ClockSetting;

/// A world's clock. It only goes forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The system's time and so much more.
    Real {
        /// What was added by moving the clock.
        offset: SignedDuration,
    },
    /// Stands at this time.
    Frozen {
        /// The time.
        at: Timestamp,
    },
}

impl Clock {
    /// The clock that a setting asks for.
    pub(crate) const fn new(setting: ClockSetting) -> Self {
        match setting {
            ClockSetting::Real => Self::Real { offset: SignedDuration::ZERO },
            ClockSetting::Frozen(at) => Self::Frozen { at },
        }
    }

    /// The world's time while the system's is `system_now`; at the end of time it stands still.
    pub fn now(self, system_now: Timestamp) -> Timestamp {
        match self {
            // Asked more than once in every call: nothing is added where nothing is to be.
            Self::Real { offset } if offset.is_zero() => system_now,
            Self::Real { offset } => system_now.checked_add(offset).unwrap_or(Timestamp::MAX),
            Self::Frozen { at } => at,
        }
    }

    /// When, in the system's time, the world's will be `at`; `None` where it never will by itself.
    pub(crate) fn system_time_of(self, at: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Real { offset } => at.checked_sub(offset).ok(),
            Self::Frozen { .. } => None,
        }
    }

    /// The clock that shows `at` while the system's time is `system_now`.
    pub(crate) fn moved_to(self, at: Timestamp, system_now: Timestamp) -> Self {
        match self {
            Self::Real { .. } => Self::Real { offset: at.duration_since(system_now) },
            Self::Frozen { .. } => Self::Frozen { at },
        }
    }

    /// The clock that shows the same time, and stands still or runs on.
    pub(crate) fn frozen(self, freeze: bool, system_now: Timestamp) -> Self {
        let at = self.now(system_now);
        if freeze {
            Self::Frozen { at }
        } else {
            Self::Real { offset: at.duration_since(system_now) }
        }
    }

    /// Whether it stands still by itself.
    pub const fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen { .. })
    }
}

/// `at` plus a number of seconds, or the end of time.
pub(crate) fn later(at: Timestamp, seconds: u64) -> Timestamp {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    at.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}
