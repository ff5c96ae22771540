//! The frames of a body, each with a deadline.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use crate::shell::clock;
use crate::value::message::call::BodyFault;

/// Time limits of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyTimes {
    /// Between two pieces.
    pub stall_max: Duration,
    /// For the whole body.
    pub total_max: Duration,
    /// After this time a body must have arrived at [`Self::bytes_per_second_min`] on average.
    pub grace: Duration,
    /// A slower body is refused, so that slow clients cannot hold all connections.
    pub bytes_per_second_min: u64,
    /// For reading a body only to drop it.
    pub drain_max: Duration,
}

impl Default for BodyTimes {
    fn default() -> Self {
        Self {
            stall_max: Duration::from_secs(20),
            total_max: Duration::from_secs(600),
            grace: Duration::from_secs(30),
            bytes_per_second_min: 1_024,
            drain_max: Duration::from_secs(30),
        }
    }
}

/// The data of a body, piece by piece.
pub(super) struct Frames<B> {
    body: B,
    times: BodyTimes,
    begun: Instant,
    /// `content-length`, where it is given.
    declared: Option<u64>,
    received: u64,
    /// Whether the body has ended, complete or not.
    pub(super) is_over: bool,
}

impl<B: Body<Data = Bytes> + Unpin> Frames<B> {
    pub(super) fn new(body: B, headers: &HeaderMap, times: BodyTimes) -> Self {
        let declared =
            headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let begun = clock::instant();
        Self { body, times, begun, declared, received: 0, is_over: false }
    }

    /// Bytes received so far.
    pub(super) const fn received(&self) -> u64 {
        self.received
    }

    /// Length of the body, if it is known before it is read.
    pub(super) fn announced(&self) -> Option<u64> {
        self.declared.or_else(|| self.body.size_hint().exact())
    }

    /// Deadline of the next piece.
    fn deadline(&self) -> Instant {
        let BodyTimes { stall_max, total_max, grace, bytes_per_second_min, .. } = self.times;
        let seconds = self.received / bytes_per_second_min.max(1);
        let by_rate = grace.saturating_add(Duration::from_secs(seconds)).min(total_max);
        (self.begun + by_rate).min(clock::instant() + stall_max)
    }

    /// The next piece. `None` at the end of a complete body.
    ///
    /// # Errors
    /// [`BodyFault::Truncated`]: the connection ended or stalled, or the body is shorter than declared.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BodyFault> {
        while !self.is_over {
            match timeout_at(self.deadline(), self.body.frame()).await {
                Ok(Some(Ok(frame))) => {
                    // Trailers are ignored.
                    let Ok(piece) = frame.into_data() else { continue };
                    self.received += piece.len() as u64;
                    return Ok(Some(piece));
                }
                Ok(None) => {
                    self.is_over = true;
                    if self.declared.is_some_and(|length| self.received < length) {
                        return Err(BodyFault::Truncated);
                    }
                }
                Ok(Some(Err(_))) | Err(_) => {
                    self.is_over = true;
                    return Err(BodyFault::Truncated);
                }
            }
        }
        Ok(None)
    }
}
