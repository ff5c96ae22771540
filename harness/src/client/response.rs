//! Reads responses: decompression, limits for the body, and parsing it as JSON.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use bytes::BytesMut;
use flate2::write::MultiGzDecoder;
use http::StatusCode;
use http::header::CONTENT_ENCODING;
use sha2::{Digest, Sha256};

use crate::exchange::{ReceivedResponse, Trouble};

/// A longer body is cut.
pub(crate) const BODY_KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// A body with more JSON values is not parsed, as if it were cut. A parsed value takes up to a hundred times its bytes.
pub(crate) const JSON_VALUES_KEPT_MAX: usize = 100_000;
/// After this number of bytes of a body the connection is closed.
const BODY_READ_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The part of a body that has arrived.
#[derive(Default)]
pub(crate) struct BodyReader {
    kept: BytesMut,
    read_bytes: u64,
    /// The digest of all that was read, once the body is cut.
    whole: Option<Sha256>,
}

/// Reads the body of a response. `timeout` makes trouble of a timeout.
///
/// # Errors
/// The body is endless, ends too early, or does not arrive in time.
pub(crate) async fn read(
    mut response: reqwest::Response,
    timeout: impl Fn(reqwest::Error) -> Trouble,
) -> Result<ReceivedResponse, Trouble> {
    let peer = response.remote_addr();
    let headers = headers(response.headers());
    let status = response.status().as_u16();
    let announced = response.content_length();
    let mut body = match is_gzip(&response) {
        true => ArrivingBody::Gzip(Box::new(MultiGzDecoder::new(BodyReader::default()))),
        false => ArrivingBody::Plain(BodyReader::default()),
    };
    let mut read_bytes = 0;
    loop {
        match response.chunk().await {
            Ok(None) => break,
            Ok(Some(piece)) => {
                read_bytes += piece.len() as u64;
                if read_bytes >= BODY_READ_BYTES_MAX || !body.take(&piece) {
                    return Err(endless());
                }
            }
            Err(error) if error.is_timeout() => return Err(timeout(error)),
            Err(_) => return Err(Trouble::cut_short(read_bytes, announced)),
        }
    }
    let reader = body.into_reader();
    if reader.read_bytes >= BODY_READ_BYTES_MAX {
        return Err(endless());
    }
    Ok(ReceivedResponse { peer, ..reader.finish(status, headers) })
}

/// Whether the body is compressed as a whole. A part of a compressed body (206) cannot be decompressed.
fn is_gzip(response: &reqwest::Response) -> bool {
    let encoding = response.headers().get(CONTENT_ENCODING);
    encoding.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"gzip"))
        && response.status() != StatusCode::PARTIAL_CONTENT
}

/// A body while it arrives.
enum ArrivingBody {
    Plain(BodyReader),
    Gzip(Box<MultiGzDecoder<BodyReader>>),
}

impl ArrivingBody {
    /// Adds a piece. Returns `false` once [`BODY_READ_BYTES_MAX`] is reached, for a compressed body after decompression.
    fn take(&mut self, piece: &[u8]) -> bool {
        match self {
            ArrivingBody::Plain(reader) => reader.take(piece),
            ArrivingBody::Gzip(decoder) => {
                // A client gets what could be decompressed, whatever follows.
                let _ = decoder.write_all(piece);
                decoder.get_ref().read_bytes < BODY_READ_BYTES_MAX
            }
        }
    }

    fn into_reader(self) -> BodyReader {
        match self {
            ArrivingBody::Plain(reader) => reader,
            ArrivingBody::Gzip(mut decoder) => {
                let _ = decoder.try_finish();
                std::mem::take(decoder.get_mut())
            }
        }
    }
}

/// The trouble of a connection that broke before the head of a response was read.
pub(crate) fn broken(error: &(dyn Error + 'static)) -> Trouble {
    Trouble::Broken(match is_no_http(error) {
        true => "the response is not HTTP/1.1".to_owned(),
        false => innermost(error),
    })
}

fn is_no_http(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse)
        || error.source().is_some_and(is_no_http)
}

/// The message of the innermost error. The outer ones only repeat the address.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}

impl Write for BodyReader {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        match self.take(piece) {
            true => Ok(piece.len()),
            false => Err(std::io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl BodyReader {
    /// Adds a piece. Returns `false` once [`BODY_READ_BYTES_MAX`] is reached.
    pub(crate) fn take(&mut self, piece: &[u8]) -> bool {
        let room = BODY_KEPT_BYTES_MAX - self.kept.len();
        let (fitting, rest) = piece.split_at(piece.len().min(room));
        self.kept.extend_from_slice(fitting);
        if !rest.is_empty() {
            self.whole.get_or_insert_with(|| Sha256::new_with_prefix(&self.kept)).update(rest);
        }
        self.read_bytes += piece.len() as u64;
        self.read_bytes < BODY_READ_BYTES_MAX
    }

    /// The response, after the end of its body.
    pub(crate) fn finish(self, status: u16, headers: Vec<(String, String)>) -> ReceivedResponse {
        let is_cut = self.whole.is_some() || has_too_many_values(&self.kept);
        let json = match is_cut {
            true => None,
            false => serde_json::from_slice(&self.kept).ok().map(Arc::new),
        };
        let body = self.kept.freeze();
        let digest = self.whole.map(|whole| format!("{:x}", whole.finalize()));
        ReceivedResponse { status, headers, body, json, is_cut, digest, peer: None }
    }
}

/// Whether a body may have more than [`JSON_VALUES_KEPT_MAX`] JSON values. Every value except the first has a separator
/// before it. Separators inside of texts also count.
fn has_too_many_values(body: &[u8]) -> bool {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let separators = body.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    matches!(first, Some(b'[' | b'{')) && separators >= JSON_VALUES_KEPT_MAX
}

/// The trouble of a body with more than [`BODY_READ_BYTES_MAX`].
pub(crate) fn endless() -> Trouble {
    let megabytes = BODY_READ_BYTES_MAX / (1024 * 1024);
    Trouble::Broken(format!("the body goes on beyond {megabytes} MB, and the rest was not read"))
}

/// Headers as text, in the order received. Names are lower case.
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

    #[test]
    fn values_are_counted_by_their_separators() {
        let list = |more: usize| format!(" [0{}]", ",0".repeat(more));
        let text = format!("\"{}\"", ",".repeat(JSON_VALUES_KEPT_MAX));
        for (body, is_cut) in [
            // The list, and its members: one more than commas.
            (list(JSON_VALUES_KEPT_MAX - 2), false),
            (list(JSON_VALUES_KEPT_MAX - 1), true),
            (text, false),
        ] {
            let mut reader = BodyReader::default();
            assert!(reader.take(body.as_bytes()));
            let response = reader.finish(200, Vec::new());
            assert_eq!((response.is_cut, response.json.is_none()), (is_cut, is_cut));
        }
    }
}
