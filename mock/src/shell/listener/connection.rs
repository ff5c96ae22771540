//! A connection that can end with a reset instead of a close, or carry bytes that are not HTTP.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// What is sent in place of an answer.
const GARBAGE: &[u8] = b"\x00\xff\xfe this is not HTTP \x7f\x00\r\n";

const RESET: u8 = 1;
const GARBLED: u8 = 2;

/// Makes a connection end in another way than with a close.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionSwitch(Arc<AtomicU8>);

impl ConnectionSwitch {
    /// The connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.store(RESET, Ordering::Release);
    }

    /// Bytes that are not HTTP are sent in place of everything else.
    pub(super) fn garble(&self) {
        self.0.store(GARBLED, Ordering::Release);
    }

    fn is(&self, state: u8) -> bool {
        self.0.load(Ordering::Acquire) == state
    }
}

/// A stream that a [`ConnectionSwitch`] ends.
pub(super) struct Connection {
    stream: TcpStream,
    switch: ConnectionSwitch,
    is_garbage_sent: bool,
}

impl Connection {
    /// The connection and its switch.
    pub(super) fn new(stream: TcpStream) -> (Self, ConnectionSwitch) {
        let switch = ConnectionSwitch::default();
        (Self { stream, switch: switch.clone(), is_garbage_sent: false }, switch)
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }

    /// Sends garbage in place of so many bytes, once.
    fn poll_garbage(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        length: usize,
    ) -> Poll<io::Result<usize>> {
        if !self.is_garbage_sent {
            ready!(self.as_mut().stream().poll_write(cx, GARBAGE))?;
            self.is_garbage_sent = true;
        }
        Poll::Ready(Ok(length))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.switch.is(RESET) {
            // If it can't be set, the connection is closed, which a client notices as well.
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
        if self.switch.is(GARBLED) {
            return self.poll_garbage(cx, bytes.len());
        }
        self.stream().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.switch.is(GARBLED) {
            let length = slices.iter().map(|slice| slice.len()).sum();
            return self.poll_garbage(cx, length);
        }
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
        if self.switch.is(RESET) {
            return Poll::Ready(Ok(()));
        }
        self.stream().poll_shutdown(cx)
    }
}
