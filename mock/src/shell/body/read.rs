//! Reads a body as the core asks, or reads and drops it.

use std::io;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body::Body;

use super::frames::{BodyTimes, Frames};
use super::multipart::{self, ReadError};
use super::spool::Store;
use crate::value::message::call::{self, BodyFault, Reading};

/// Bytes that are read and dropped at most. A client that writes its whole body before it reads then finds the
/// response.
/// If a longer body is announced, it is not read, and the connection is closed.
const DRAIN_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Whether the body is complete and empty.
fn is_empty<B: Body>(body: &B, headers: &HeaderMap, reading: Reading) -> bool {
    match reading {
        Reading::Drain => body.is_end_stream(),
        // A declared length must arrive.
        Reading::Whole { .. } => body.is_end_stream() && !headers.contains_key(CONTENT_LENGTH),
        // An empty form lacks its boundaries.
        Reading::Multipart(_) => false,
    }
}

/// Reads `body` as `reading` says. If a fault is found, it is still read to its end, with two exceptions: the client
/// waits for `100 Continue`, or the body is too large and has no known end. Then the listener closes the connection
/// after the response.
///
/// # Errors
/// A temporary file cannot be written.
pub(crate) async fn read(
    body: impl Body<Data = Bytes> + Send + Unpin,
    headers: &HeaderMap,
    reading: Reading,
    times: BodyTimes,
    store: &Store,
) -> io::Result<call::Body> {
    if is_empty(&body, headers, reading) {
        return Ok(call::Body::Empty);
    }
    let mut frames = Frames::new(body, headers, times);
    let outcome = match reading {
        Reading::Drain => Ok(call::Body::Empty),
        Reading::Whole { bytes_max } => {
            whole(&mut frames, bytes_max).await.map(call::Body::Whole).map_err(ReadError::Fault)
        }
        Reading::Multipart(limits) => {
            // Boxed to keep the future of other bodies small.
            let read = Box::pin(multipart::read(&mut frames, headers, limits, store));
            read.await.map(call::Body::Multipart)
        }
    };
    let is_too_large = matches!(outcome, Err(ReadError::Fault(BodyFault::TooLarge)));
    let is_held_back = frames.received() == 0 && headers.contains_key(EXPECT);
    let is_short = frames.announced().is_some_and(|length| length <= DRAIN_BYTES_MAX);
    if !is_too_large || (is_short && !is_held_back) {
        rest(&mut frames, times).await;
    }
    match outcome {
        Ok(body) => Ok(body),
        Err(ReadError::Fault(fault)) => Ok(call::Body::Broken(fault)),
        Err(ReadError::Store(error)) => Err(error),
    }
}

/// Reads a body whole, into memory.
///
/// # Errors
/// It has more than `bytes_max` bytes, or is incomplete.
pub(crate) async fn read_whole(
    body: impl Body<Data = Bytes> + Send + Unpin,
    headers: &HeaderMap,
    bytes_max: u64,
    times: BodyTimes,
) -> Result<Bytes, BodyFault> {
    // Nothing is stored.
    match read(body, headers, Reading::Whole { bytes_max }, times, &Store::default()).await {
        Ok(call::Body::Whole(bytes)) => Ok(bytes),
        Ok(call::Body::Empty) => Ok(Bytes::new()),
        Ok(call::Body::Broken(fault)) => Err(fault),
        Ok(call::Body::Multipart(_)) | Err(_) => Err(BodyFault::Truncated),
    }
}

/// Reads and drops a body. `100 Continue` is never sent for it.
pub(crate) async fn drain(
    body: impl Body<Data = Bytes> + Unpin,
    headers: &HeaderMap,
    times: BodyTimes,
) {
    if body.is_end_stream() || headers.contains_key(EXPECT) {
        return;
    }
    let mut frames = Frames::new(body, headers, times);
    if frames.announced().is_none_or(|length| length <= DRAIN_BYTES_MAX) {
        rest(&mut frames, times).await;
    }
}

async fn whole(
    frames: &mut Frames<impl Body<Data = Bytes> + Unpin>,
    bytes_max: u64,
) -> Result<Bytes, BodyFault> {
    if frames.announced().is_some_and(|length| length > bytes_max) {
        return Err(BodyFault::TooLarge);
    }
    let mut all = BytesMut::new();
    while let Some(piece) = frames.next().await? {
        if frames.received() > bytes_max {
            return Err(BodyFault::TooLarge);
        }
        all.extend_from_slice(&piece);
    }
    Ok(all.freeze())
}

async fn rest<B: Body<Data = Bytes> + Unpin>(frames: &mut Frames<B>, times: BodyTimes) {
    if frames.is_over {
        return;
    }
    let received_max = frames.received().saturating_add(DRAIN_BYTES_MAX);
    let all = async {
        while frames.received() < received_max {
            match frames.next().await {
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
    };
    // After the limit the response is sent too, and hyper closes the connection.
    let _ = tokio::time::timeout(times.drain_max, all).await;
}
