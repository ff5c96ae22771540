//! An answer as it arrives: how much of it is kept, and when it is JSON.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::exchange::{ReceivedResponse, Trouble};

/// So much of a body is kept.
pub(super) const BODY_KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// So much of a body is read; then the connection is given up.
pub(super) const BODY_READ_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A body while it arrives.
#[derive(Default)]
pub(super) struct Arriving {
    kept: BytesMut,
    read_bytes: u64,
    is_cut: bool,
}

impl Arriving {
    /// Takes a piece; false once enough was read.
    pub(super) fn take(&mut self, piece: &[u8]) -> bool {
        let room = BODY_KEPT_BYTES_MAX - self.kept.len();
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
        self.is_cut |= piece.len() > room;
        self.read_bytes += piece.len() as u64;
        self.read_bytes < BODY_READ_BYTES_MAX
    }

    /// The answer, once its body has ended.
    pub(super) fn finish(self, status: u16, headers: Vec<(String, String)>) -> ReceivedResponse {
        let body: Bytes = self.kept.freeze();
        let json = match self.is_cut {
            true => None,
            false => serde_json::from_slice(&body).ok().map(Arc::new),
        };
        ReceivedResponse { status, headers, body, json, is_cut: self.is_cut }
    }
}

/// A body beyond [`BODY_READ_BYTES_MAX`]: whether it would have ended, nobody knows.
pub(super) fn endless() -> Trouble {
    let megabytes = BODY_READ_BYTES_MAX / (1024 * 1024);
    Trouble::Broken(format!("the body goes on beyond {megabytes} MB, and the rest was not read"))
}

/// Headers as texts, names lower case, in the order received.
pub(super) fn headers(map: &http::HeaderMap) -> Vec<(String, String)> {
    map.iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}
