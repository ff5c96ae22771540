//! A connection that can end with a reset instead of a close, and that knows whether anything happens
//! on it.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// When and how a connection ends.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Whether it ends with a reset; that is looked at when it is dropped.
    is_reset: AtomicBool,
    is_called: AtomicBool,
    /// Looks at it since anything happened.
    idle_looks: AtomicU32,
}

impl Ending {
    /// It ends with a reset instead of a close.
    pub(super) fn reset(&self) {
        self.is_reset.store(true, Ordering::Release);
    }

    /// A call begins: its own bounds hold until it has ended.
    pub(super) fn begin_call(&self) {
        self.is_called.store(true, Ordering::Relaxed);
    }

    /// The answer is ready to be sent.
    pub(super) fn end_call(&self) {
        self.idle_looks.store(0, Ordering::Relaxed);
        self.is_called.store(false, Ordering::Relaxed);
    }

    /// Looks at it once more: at how many looks before nothing had happened since the look before.
    pub(super) fn idle_looks(&self) -> u32 {
        if self.is_called.load(Ordering::Relaxed) {
            return 0;
        }
        self.idle_looks.fetch_add(1, Ordering::Relaxed)
    }
}

/// A stream that ends so.
pub(super) struct Connection {
    stream: TcpStream,
    ending: Arc<Ending>,
}

impl Connection {
    /// The connection, and what decides when and how it ends.
    pub(super) fn new(stream: TcpStream) -> (Self, Arc<Ending>) {
        let ending = Arc::new(Ending::default());
        (Self { stream, ending: ending.clone() }, ending)
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.ending.is_reset.load(Ordering::Acquire) {
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
        self.ending.idle_looks.store(0, Ordering::Relaxed);
        self.stream().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.ending.idle_looks.store(0, Ordering::Relaxed);
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
        if self.ending.is_reset.load(Ordering::Acquire) {
            return Poll::Ready(Ok(()));
        }
        self.stream().poll_shutdown(cx)
    }
}
