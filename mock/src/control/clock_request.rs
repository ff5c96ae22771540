//! The members that move the clock.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A move of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMove {
    /// Forward by this many seconds; what falls due on the way happens at its own time.
    Advance(u64),
    /// Forward to this time.
    To(Timestamp),
    /// Forward to the next thing due; with nothing due it stays.
    Next,
    /// It stands still from now on (`true`), or runs on from its time (`false`).
    Freeze(bool),
}

/// The members of a clock move.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ClockRequest {
    /// so far forward
    advance_seconds: Option<u64>,
    /// forward to this ISO 8601 time
    set: Option<String>,
    /// `true`: forward to the next thing due
    #[serde(default)]
    next: bool,
    /// `true`: stand still at the present time; `false`: run on from it
    freeze: Option<bool>,
    /// real time without an answer of any receiver, 10 if absent, 600 at most
    #[serde(rename = "wait_seconds")]
    _wait_seconds: Option<u64>,
}

/// Reads a move of the clock from its members.
pub(super) fn clock_move<'de, D: Deserializer<'de>>(reader: D) -> Result<ClockMove, D::Error> {
    // The shell waits.
    let ClockRequest { advance_seconds, set, next, freeze, .. } =
        ClockRequest::deserialize(reader)?;
    match (advance_seconds, set, next, freeze) {
        (Some(seconds), None, false, None) => Ok(ClockMove::Advance(seconds)),
        (None, Some(time), false, None) => time.parse().map(ClockMove::To).map_err(|_| {
            // The calendar ends a day early, so that every time has a date in every zone.
            D::Error::custom(format!(
                "`set` is a time such as 2026-03-05T14:30:00Z, 9999-12-30T22:00:00Z at most, not \
                 `{time}`"
            ))
        }),
        (None, None, true, None) => Ok(ClockMove::Next),
        (None, None, false, Some(freeze)) => Ok(ClockMove::Freeze(freeze)),
        _ => {
            let wanted = "give exactly one of `advance_seconds`, `set`, `next` and `freeze`";
            Err(D::Error::custom(wanted))
        }
    }
}
