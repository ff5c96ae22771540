//! The body of a call, with what the connection has to know of it: whether it has come to its end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::places::{ConnectionPhase, ConnectionPlace};

/// The body of a call on a connection.
pub(crate) struct WatchedBody {
    body: Incoming,
    end: BodyEnd,
    place: Arc<ConnectionPlace>,
}

/// Whether a body was read to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyEnd(Arc<AtomicBool>);

impl BodyEnd {
    pub(super) fn is_reached(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn reach(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl WatchedBody {
    /// The body, and whether its end was reached later.
    pub(super) fn new(body: Incoming, place: Arc<ConnectionPlace>) -> (Self, BodyEnd) {
        let end = BodyEnd::default();
        if body.is_end_stream() {
            end.reach();
            place.enter(ConnectionPhase::Answering);
        } else {
            place.enter(ConnectionPhase::Reading);
        }
        (Self { body, end: end.clone(), place }, end)
    }
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let is_over = frame.is_none() || self.body.is_end_stream();
        if is_over && !self.end.is_reached() {
            self.end.reach();
            self.place.enter(ConnectionPhase::Answering);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
