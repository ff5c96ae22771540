//! Reading the body of an answer: how much of it is kept, and whether it is JSON.

use std::sync::Arc;

use bytes::BytesMut;

use crate::exchange::{ReceivedResponse, Trouble};

/// Bytes of a body that are kept.
pub(crate) const BODY_KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// JSON values of a body that are kept. Once parsed, a value takes up to a hundred times its bytes.
pub(crate) const JSON_VALUES_KEPT_MAX: usize = 100_000;
/// The depth limit of the JSON parser. It does not read deeper JSON at all.
const JSON_DEPTH_MAX: usize = 128;
/// Bytes of a body that are read. Then the connection is closed.
pub(crate) const BODY_READ_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A body while it arrives.
#[derive(Default)]
pub(crate) struct BodyReader {
    kept: BytesMut,
    read_bytes: u64,
    is_cut: bool,
}

impl BodyReader {
    /// Takes a piece. Returns `false` once the limit is reached.
    pub(crate) fn take(&mut self, piece: &[u8]) -> bool {
        let room = BODY_KEPT_BYTES_MAX - self.kept.len();
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
        self.is_cut |= piece.len() > room;
        self.read_bytes += piece.len() as u64;
        self.read_bytes < BODY_READ_BYTES_MAX
    }

    /// Bytes that arrived so far.
    pub(crate) fn read_bytes(&self) -> u64 {
        self.read_bytes
    }

    /// The answer, once its body has ended. A whole body that is JSON is parsed.
    pub(crate) fn finish(
        mut self,
        status: u16,
        headers: Vec<(String, String)>,
    ) -> ReceivedResponse {
        if let Some(end) = end_of_kept_values(&self.kept) {
            self.kept.truncate(end);
            self.is_cut = true;
        }
        let json = match self.is_cut {
            true => None,
            false => serde_json::from_slice(&self.kept).ok().map(Arc::new),
        };
        let body = self.kept.freeze();
        ReceivedResponse { status, headers, body, json, is_cut: self.is_cut, peer: None }
    }
}

/// Where to cut a body that has more than [`JSON_VALUES_KEPT_MAX`] JSON values; `None` if it has not.
fn end_of_kept_values(body: &[u8]) -> Option<usize> {
    // Each value but the first has a separator before it.
    if body.len() < JSON_VALUES_KEPT_MAX {
        return None;
    }
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(first, Some(b'[' | b'{')) {
        return None;
    }
    let (mut values, mut depth) = (1_usize, 0_usize);
    let (mut is_in_text, mut is_escaped) = (false, false);
    for (place, byte) in body.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_text => is_escaped = true,
            b'"' => is_in_text = !is_in_text,
            _ if is_in_text => {}
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b'[' | b'{' => {
                values += 1;
                depth += usize::from(*byte != b',');
                if depth > JSON_DEPTH_MAX {
                    return None;
                }
                if values > JSON_VALUES_KEPT_MAX {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

/// The trouble of a body that is longer than [`BODY_READ_BYTES_MAX`].
pub(crate) fn endless() -> Trouble {
    let megabytes = BODY_READ_BYTES_MAX / (1024 * 1024);
    Trouble::Broken(format!("the body goes on beyond {megabytes} MB, and the rest was not read"))
}

/// Headers as texts, names lower case, in the order received.
pub(crate) fn headers(map: &http::HeaderMap) -> Vec<(String, String)> {
    map.iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BodyReader, JSON_VALUES_KEPT_MAX};

    #[track_caller]
    fn check(body: &str, is_cut: bool) {
        let mut reader = BodyReader::default();
        assert!(reader.take(body.as_bytes()));
        let response = reader.finish(200, Vec::new());
        assert_eq!(response.is_cut, is_cut);
        assert_eq!(response.json.is_none(), is_cut);
        assert_eq!(response.body.len() < body.len(), is_cut);
    }

    #[test]
    fn values_are_counted_outside_of_texts() {
        // The list, and its members: one more than commas.
        check(&format!("[0{}]", ",0".repeat(JSON_VALUES_KEPT_MAX - 2)), false);
        check(&format!("[0{}]", ",0".repeat(JSON_VALUES_KEPT_MAX - 1)), true);
        check(&format!(" [\"{}\"]", ",[{\\\"".repeat(JSON_VALUES_KEPT_MAX)), false);
        check(&format!("\"{}\"", ",".repeat(JSON_VALUES_KEPT_MAX)), false);
    }
}
