//! A connection that can end with a reset instead of a close.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A stream that is reset when it is dropped, if that was asked for.
pub(super) struct Connection {
    stream: TcpStream,
    is_reset: Arc<AtomicBool>,
}

impl Connection {
    /// The connection, and what asks for its reset; that is looked at when it is dropped.
    pub(super) fn new(stream: TcpStream) -> (Self, Arc<AtomicBool>) {
        let is_reset = Arc::new(AtomicBool::new(false));
        (Self { stream, is_reset: is_reset.clone() }, is_reset)
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.is_reset.load(Ordering::Acquire) {
            // Where it can't be set, the connection is closed, which a client notices as well.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    /// A connection that is to be reset is not closed before.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_reset.load(Ordering::Acquire) {
            return Poll::Ready(Ok(()));
        }
        self.stream().poll_shutdown(cx)
    }
}
