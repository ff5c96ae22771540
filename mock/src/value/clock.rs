//! The clock of a world: the system's clock with an offset, or a frozen clock. The system's time is an
//! argument.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::value::settings::ClockSetting;

/// A world's clock. It never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The system's time plus an offset.
    Real {
        /// The sum of all moves of the clock.
        offset: SignedDuration,
    },
    /// A clock that does not run.
    Frozen {
        /// Its time.
        at: Timestamp,
    },
}

impl Clock {
    pub(crate) const fn new(setting: ClockSetting) -> Self {
        match setting {
            ClockSetting::Real => Self::Real { offset: SignedDuration::ZERO },
            ClockSetting::Frozen(at) => Self::Frozen { at },
        }
    }

    /// The world's time at the system's time `system_now`; at most [`Timestamp::MAX`].
    pub fn now(self, system_now: Timestamp) -> Timestamp {
        match self {
            Self::Real { offset } => system_now.checked_add(offset).unwrap_or(Timestamp::MAX),
            Self::Frozen { at } => at,
        }
    }

    /// The system's time at the world's time `at`; `None` for a frozen clock.
    pub(crate) fn system_time_of(self, at: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Real { offset } => at.checked_sub(offset).ok(),
            Self::Frozen { .. } => None,
        }
    }

    /// The clock that shows `at` at the system's time `system_now`.
    pub(crate) fn moved_to(self, at: Timestamp, system_now: Timestamp) -> Self {
        Self::at(at, self.is_frozen(), system_now)
    }

    /// The clock with the same time, frozen or running.
    pub(crate) fn frozen(self, freeze: bool, system_now: Timestamp) -> Self {
        Self::at(self.now(system_now), freeze, system_now)
    }

    fn at(at: Timestamp, is_frozen: bool, system_now: Timestamp) -> Self {
        match is_frozen {
            true => Self::Frozen { at },
            false => Self::Real { offset: at.duration_since(system_now) },
        }
    }

    /// Whether the clock only moves by the control plane.
    pub const fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen { .. })
    }
}

/// `at` plus a number of seconds; at most [`Timestamp::MAX`].
pub(crate) fn later(at: Timestamp, seconds: u64) -> Timestamp {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    at.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}
