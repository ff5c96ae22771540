//! The body of an answer. Notifies its connection when hyper has taken all of it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::connection::ConnectionSwitch;
use crate::shell::answer::SiteBody;

/// The body of an answer on a connection.
pub(super) struct WatchedAnswer {
    body: SiteBody,
    switch: ConnectionSwitch,
}

impl WatchedAnswer {
    pub(super) fn new(body: SiteBody, switch: ConnectionSwitch) -> Self {
        Self { body, switch }
    }
}

impl Drop for WatchedAnswer {
    fn drop(&mut self) {
        self.switch.set_over();
    }
}

impl Body for WatchedAnswer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
