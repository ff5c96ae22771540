//! A connection that can end with a reset instead of a close, or wait for what the client still sends.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// A client that still sends when its connection ends is read for this long: closed at once, it would
/// find a reset instead of its answer.
const LINGER_MAX: Duration = Duration::from_secs(2);
/// And for this many bytes.
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Of them, those that are read at a time.
const LINGER_PIECE_BYTES: usize = 16 * 1024;

/// How a connection ends, if not by a plain close.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionEnding(Arc<EndingFlags>);

#[derive(Debug, Default)]
struct EndingFlags {
    is_reset: AtomicBool,
    lingers: AtomicBool,
}

impl ConnectionEnding {
    /// The connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.is_reset.store(true, Ordering::Release);
    }

    /// After the last answer, what the client still sends is thrown away for a while.
    pub(super) fn linger(&self) {
        self.0.lingers.store(true, Ordering::Release);
    }

    fn is_reset(&self) -> bool {
        self.0.is_reset.load(Ordering::Acquire)
    }

    fn lingers(&self) -> bool {
        self.0.lingers.load(Ordering::Acquire)
    }
}

/// A stream that ends as its [`ConnectionEnding`] says.
pub(super) struct Connection {
    stream: TcpStream,
    ending: ConnectionEnding,
    /// Since the sending side was closed: until when, and how many bytes, are still read.
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Connection {
    /// The connection and its ending.
    pub(super) fn new(stream: TcpStream) -> (Self, ConnectionEnding) {
        let ending = ConnectionEnding::default();
        (Self { stream, ending: ending.clone(), lingering: None }, ending)
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }

    /// Reads on until the client closes too, within bounds.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some((end, bytes_left)) = &mut self.lingering else { return Poll::Ready(Ok(())) };
        let mut piece = [0; LINGER_PIECE_BYTES];
        while *bytes_left > 0 && end.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut piece);
            match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {
                    *bytes_left = bytes_left.saturating_sub(buffer.filled().len());
                }
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.ending.is_reset() {
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
        if self.ending.is_reset() {
            return Poll::Ready(Ok(()));
        }
        let this = self.get_mut();
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.ending.lingers() {
                return Poll::Ready(Ok(()));
            }
            let end = Box::pin(tokio::time::sleep(LINGER_MAX));
            this.lingering = Some((end, LINGER_BYTES_MAX));
        }
        this.poll_linger(cx)
    }
}
