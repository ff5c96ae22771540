//! How a call came over a connection, in real time. The shell measures; a world without sockets has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Serialize;

/// The place of a call on a connection. Times are microseconds since the process began, by a clock that
/// never goes back and that no world can set.
#[derive(Debug, Clone)]
pub struct WireCall {
    /// Number of the connection in this process, from 1.
    pub connection: u64,
    /// Number of the call on its connection, from 1.
    pub number: u64,
    /// When the head of the call had been read.
    pub began_us: u64,
    /// Its end, which the shell fills in after the journal recorded the call.
    pub end: Arc<WireEnd>,
}

/// When and how a call ended.
#[derive(Debug, Default)]
pub struct WireEnd {
    /// 0 is not yet.
    ended_us: AtomicU64,
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

/// A [`WireCall`] in the journal: `{"connection", "number", "began_us", "ended_us", "client_left"}`.
#[derive(Serialize)]
struct WireJson {
    connection: u64,
    number: u64,
    began_us: u64,
    ended_us: Option<u64>,
    client_left: bool,
}

impl Serialize for WireCall {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = WireJson {
            connection: self.connection,
            number: self.number,
            began_us: self.began_us,
            ended_us: self.end.ended_us(),
            client_left: self.end.has_left.load(Ordering::Acquire),
        };
        json.serialize(serializer)
    }
}
