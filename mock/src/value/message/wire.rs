//! How a call came over a connection, in real time. The shell measures; a world without sockets has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Serialize, Serializer};

/// The place of a call on a connection. Times are microseconds since the process began, by a clock that
/// never goes back and that no world can set. Shape: `{"connection", "number", "began_us", "ended_us", "client_left"}`.
#[derive(Debug, Clone, Serialize)]
pub struct WireCall {
    /// Number of the connection in this process, from 1.
    pub connection: u64,
    /// Number of the call on its connection, from 1.
    pub number: u64,
    /// When the head of the call had been read.
    pub began_us: u64,
    /// Its end, which the shell fills in after the journal recorded the call.
    #[serde(flatten)]
    pub end: Arc<WireEnd>,
}

/// When and how a call ended.
#[derive(Debug, Default, Serialize)]
pub struct WireEnd {
    /// 0 is not yet.
    #[serde(serialize_with = "unless_zero")]
    ended_us: AtomicU64,
    #[serde(rename = "client_left")]
    has_left: AtomicBool,
}

impl WireEnd {
    /// Bytes of the answer were written, or the connection was ended on purpose. The last time counts.
    pub fn set_ended(&self, at_us: u64) {
        self.ended_us.store(at_us, Ordering::Release);
    }

    /// The client closed the connection before the answer was written.
    pub fn set_left(&self) {
        self.has_left.store(true, Ordering::Release);
    }

    /// When the last byte of the answer was written; `None` where none was.
    pub fn ended_us(&self) -> Option<u64> {
        Some(self.ended_us.load(Ordering::Acquire)).filter(|at| *at > 0)
    }
}

/// Null where a time is not known yet.
fn unless_zero<S: Serializer>(at_us: &AtomicU64, serializer: S) -> Result<S::Ok, S::Error> {
    Some(at_us.load(Ordering::Acquire)).filter(|at| *at > 0).serialize(serializer)
}
