//! The connection and the real times of a call, as the shell measures them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use moot_fixtures::journal::WireRecord;
use serde::Serialize;

/// The place of a call on a connection, while the call may still go on. As JSON it is a [`WireRecord`].
#[derive(Debug, Clone, Serialize)]
#[serde(into = "WireRecord")]
pub struct WireCall {
    /// As in [`WireRecord`].
    pub connection: u64,
    /// As in [`WireRecord`].
    pub number: u64,
    /// As in [`WireRecord`].
    pub began_us: u64,
    /// The end of the call. The shell sets it after the journal has recorded the call.
    pub end: Arc<WireEnd>,
}

/// The end of a call.
#[derive(Debug, Default)]
pub struct WireEnd {
    /// 0 until the call ends.
    ended_us: AtomicU64,
    has_left: AtomicBool,
}

impl From<WireCall> for WireRecord {
    fn from(call: WireCall) -> Self {
        let WireCall { connection, number, began_us, end } = call;
        let client_left = end.has_left.load(Ordering::Acquire);
        Self { connection, number, began_us, ended_us: end.ended_us(), client_left }
    }
}

impl WireEnd {
    /// Records the time right before bytes of the response were written, or the mock ended the connection. The last
    /// record counts.
    pub fn set_ended(&self, at_us: u64) {
        self.ended_us.store(at_us, Ordering::Release);
    }

    /// Records that the client closed the connection before the response was written.
    pub fn set_left(&self) {
        self.has_left.store(true, Ordering::Release);
    }

    /// As in [`WireRecord`].
    pub fn ended_us(&self) -> Option<u64> {
        Some(self.ended_us.load(Ordering::Acquire)).filter(|at| *at > 0)
    }
}
