//! The body of a response. Notifies its connection when hyper has taken all of it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::connection::ConnectionSwitch;
use crate::shell::response::SiteBody;

/// The body of a response on a connection.
pub(super) struct WatchedResponse {
    body: SiteBody,
    switch: ConnectionSwitch,
}

impl WatchedResponse {
    pub(super) fn new(body: SiteBody, switch: ConnectionSwitch) -> Self {
        Self { body, switch }
    }
}

impl Drop for WatchedResponse {
    fn drop(&mut self) {
        self.switch.set_over();
    }
}

impl Body for WatchedResponse {
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
