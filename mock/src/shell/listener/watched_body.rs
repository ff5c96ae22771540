//! The body of a call. Sets the phase of its connection when all of it was read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::places::{ConnectionPhase, ConnectionPlace};

/// The body of a call on a connection.
pub(crate) struct WatchedBody {
    body: Incoming,
    place: Arc<ConnectionPlace>,
    is_over: bool,
}

impl WatchedBody {
    /// The body of the next call on the connection of `place`.
    pub(super) fn new(body: Incoming, place: Arc<ConnectionPlace>) -> Self {
        let is_over = body.is_end_stream();
        place.enter(if is_over { ConnectionPhase::Answering } else { ConnectionPhase::Reading });
        Self { body, place, is_over }
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
        if !self.is_over && (frame.is_none() || self.body.is_end_stream()) {
            self.is_over = true;
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
