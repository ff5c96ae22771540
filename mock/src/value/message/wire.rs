//! The connection and the real times of a call, as the shell measures them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Serialize, Serializer};

/// The place of a call on a connection. Times are microseconds since the start of the process, by a
/// monotonic clock that does not depend on the world's clock. Shape: `{"connection", "number",
/// "began_us", "ended_us", "client_left"}`.
#[derive(Debug, Clone, Serialize)]
pub struct WireCall {
    /// Number of the connection in this process, from 1.
    pub connection: u64,
    /// Number of the call on its connection, from 1.
    pub number: u64,
    /// The time after the head of the call was read.
    pub began_us: u64,
    /// The end of the call. The shell sets it after the journal has recorded the call.
    #[serde(flatten)]
    pub end: Arc<WireEnd>,
}

/// The end of a call.
#[derive(Debug, Default, Serialize)]
pub struct WireEnd {
    /// 0 until the call ends.
    #[serde(serialize_with = "unless_zero")]
    ended_us: AtomicU64,
    #[serde(rename = "client_left")]
    has_left: AtomicBool,
}

impl WireEnd {
    /// Records that bytes of the response were written, or that the mock ended the connection. The last
    /// record counts.
    pub fn set_ended(&self, at_us: u64) {
        self.ended_us.store(at_us, Ordering::Release);
    }

    /// Records that the client closed the connection before the response was written.
    pub fn set_left(&self) {
        self.has_left.store(true, Ordering::Release);
    }

    /// The time of the last byte of the response; `None` if no byte was written.
    pub fn ended_us(&self) -> Option<u64> {
        Some(self.ended_us.load(Ordering::Acquire)).filter(|at| *at > 0)
    }
}

/// A time as a number, or null if it is not known yet.
fn unless_zero<S: Serializer>(at_us: &AtomicU64, serializer: S) -> Result<S::Ok, S::Error> {
    Some(at_us.load(Ordering::Acquire)).filter(|at| *at > 0).serialize(serializer)
}
