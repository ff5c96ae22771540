//! The frames of a body, each awaited for a bounded time only.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::Body;
use tokio::time::{Sleep, sleep_until};

use crate::message::call::BodyFault;
use crate::shell::clock;

/// How long a body may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyTimes {
    /// Between two pieces.
    pub stall_max: Duration,
    /// From the first wait to the end.
    pub total_max: Duration,
    /// For what is read only to be thrown away.
    pub drain_max: Duration,
}

impl Default for BodyTimes {
    fn default() -> Self {
        Self {
            stall_max: Duration::from_secs(20),
            total_max: Duration::from_secs(600),
            drain_max: Duration::from_secs(30),
        }
    }
}

/// The data of a body, piece by piece.
pub(super) struct Frames<'b, B> {
    body: Pin<&'b mut B>,
    times: BodyTimes,
    /// `content-length`, where it is given.
    declared: Option<u64>,
    received: u64,
    /// Both exist from the first wait on: a body that is all there needs no timer.
    wait: Option<Wait>,
    /// Nothing more comes, soundly or not.
    pub(super) is_over: bool,
}

struct Wait {
    stall: Pin<Box<Sleep>>,
    total: Pin<Box<Sleep>>,
    /// A piece came since the stall timer was set.
    is_stale: bool,
}

impl<'b, B: Body<Data = Bytes>> Frames<'b, B> {
    pub(super) fn new(body: Pin<&'b mut B>, headers: &HeaderMap, times: BodyTimes) -> Self {
        let declared =
            headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        Self { body, times, declared, received: 0, wait: None, is_over: false }
    }

    /// Bytes received so far.
    pub(super) const fn received(&self) -> u64 {
        self.received
    }

    /// Bytes that the body will have, as far as is known before it is read.
    pub(super) fn announced(&self) -> Option<u64> {
        self.declared.or_else(|| self.body.size_hint().exact())
    }

    /// The next piece; `None` at the sound end.
    ///
    /// # Errors
    /// [`BodyFault::Truncated`]: the connection ended or stalled, or less came than was declared.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BodyFault> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    pub(super) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, BodyFault>> {
        loop {
            if self.is_over {
                return Poll::Ready(Ok(None));
            }
            match self.body.as_mut().poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    if let Some(wait) = &mut self.wait {
                        wait.is_stale = true;
                    }
                    // Trailers say nothing here.
                    let Ok(piece) = frame.into_data() else { continue };
                    self.received += piece.len() as u64;
                    return Poll::Ready(Ok(Some(piece)));
                }
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(self.cut())),
                Poll::Ready(None) => {
                    let is_short = self.declared.is_some_and(|length| self.received < length);
                    self.is_over = true;
                    return Poll::Ready(if is_short {
                        Err(BodyFault::Truncated)
                    } else {
                        Ok(None)
                    });
                }
                Poll::Pending => {
                    ready!(self.poll_wait(cx));
                    return Poll::Ready(Err(self.cut()));
                }
            }
        }
    }

    /// Ready when it took too long.
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let BodyTimes { stall_max, total_max, .. } = self.times;
        let wait = self.wait.get_or_insert_with(|| Wait {
            stall: Box::pin(sleep_until(clock::instant() + stall_max)),
            total: Box::pin(sleep_until(clock::instant() + total_max)),
            is_stale: false,
        });
        if std::mem::take(&mut wait.is_stale) {
            wait.stall.as_mut().reset(clock::instant() + stall_max);
        }
        match wait.stall.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => wait.total.as_mut().poll(cx),
        }
    }

    fn cut(&mut self) -> BodyFault {
        self.is_over = true;
        BodyFault::Truncated
    }
}
