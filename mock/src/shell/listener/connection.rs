//! A connection that can end with a reset instead of a close, carry bytes that are not HTTP, or wait for
//! what the client still sends.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::shell::clock;
use crate::value::message::wire::WireEnd;

/// A client that still sends when its connection ends is read for this long: closed at once, it would
/// find a reset instead of its answer.
const LINGER_MAX: Duration = Duration::from_secs(2);
/// And for this many bytes.
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Of them, those that are read at a time.
const LINGER_PIECE_BYTES: usize = 16 * 1024;

/// What is sent in place of an answer.
const GARBAGE: &[u8] = b"\x00\xff\xfe this is not HTTP \x7f\x00\r\n";

const RESET: u8 = 1;
const GARBLED: u8 = 2;
const LINGERING: u8 = 3;

/// Makes a connection end in another way than with a close, and tells when its call ended.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionSwitch(Arc<SwitchState>);

#[derive(Debug, Default)]
struct SwitchState {
    end: AtomicU8,
    call: Mutex<Option<AnsweredCall>>,
}

/// The call that is being answered on a connection.
#[derive(Debug)]
struct AnsweredCall {
    end: Arc<WireEnd>,
    /// Whether its answer needs no more than to be flushed.
    is_over: bool,
}

impl ConnectionSwitch {
    /// The connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.end.store(RESET, Ordering::Release);
        if let Some(end) = self.end_of_call() {
            end.set_ended(clock::elapsed_us());
        }
    }

    /// Bytes that are not HTTP are sent in place of everything else.
    pub(super) fn garble(&self) {
        self.0.end.store(GARBLED, Ordering::Release);
    }

    /// After the last answer, what the client still sends is thrown away for a while; unless the connection
    /// ends in yet another way.
    pub(super) fn linger(&self) {
        let _ = self.0.end.compare_exchange(0, LINGERING, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The next call on the connection, whose end is told.
    pub(super) fn set_call(&self, end: Arc<WireEnd>) {
        *self.0.call.lock() = Some(AnsweredCall { end, is_over: false });
    }

    /// The body of the answer was handed over whole. What is written after the next flush, such as the
    /// farewell of TLS, is not part of the answer.
    pub(super) fn set_over(&self) {
        if let Some(call) = &mut *self.0.call.lock() {
            call.is_over = true;
        }
    }

    fn end_of_call(&self) -> Option<Arc<WireEnd>> {
        self.0.call.lock().as_ref().map(|call| call.end.clone())
    }

    fn flushed(&self) {
        let call = &mut *self.0.call.lock();
        if call.as_ref().is_some_and(|call| call.is_over) {
            *call = None;
        }
    }

    fn is(&self, state: u8) -> bool {
        self.0.end.load(Ordering::Acquire) == state
    }
}

/// A stream that a [`ConnectionSwitch`] ends.
pub(super) struct Connection {
    stream: TcpStream,
    switch: ConnectionSwitch,
    is_garbage_sent: bool,
    /// Since the sending side was closed: until when, and how many bytes, are still read.
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Connection {
    /// The connection and its switch.
    pub(super) fn new(stream: TcpStream) -> (Self, ConnectionSwitch) {
        let switch = ConnectionSwitch::default();
        let connection =
            Self { stream, switch: switch.clone(), is_garbage_sent: false, lingering: None };
        (connection, switch)
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }

    /// Writes, or sends garbage in place of so many bytes. Notes whether the client closed the connection before,
    /// and when it was written.
    fn poll_sent(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        length: usize,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let call_end = self.switch.end_of_call();
        if let Some(end) = &call_end {
            let peeked = self.stream.poll_peek(cx, &mut ReadBuf::new(&mut [0]));
            if matches!(peeked, Poll::Ready(Ok(0) | Err(_))) {
                end.set_left();
            }
        }
        let written = ready!(match self.switch.is(GARBLED) {
            true => self.poll_garbage(cx, length),
            false => write(self.as_mut().stream(), cx),
        });
        if let Some(end) = call_end {
            end.set_ended(clock::elapsed_us());
        }
        Poll::Ready(written)
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
        // A call that is ended without an answer: is the client still there?
        if let Some(end) = self.switch.end_of_call().filter(|end| end.ended_us().is_none()) {
            match self.stream.try_read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    end.set_ended(clock::elapsed_us());
                }
                Ok(_) | Err(_) => end.set_left(),
            }
        }
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
        self.poll_sent(cx, bytes.len(), |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        self.poll_sent(cx, length, |stream, cx| stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let switch = self.switch.clone();
        let flushed = ready!(self.stream().poll_flush(cx));
        switch.flushed();
        Poll::Ready(flushed)
    }

    /// A connection that is to be reset is not closed before.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.switch.is(RESET) {
            return Poll::Ready(Ok(()));
        }
        let this = self.get_mut();
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.switch.is(LINGERING) {
                return Poll::Ready(Ok(()));
            }
            let end = Box::pin(tokio::time::sleep(LINGER_MAX));
            this.lingering = Some((end, LINGER_BYTES_MAX));
        }
        this.poll_linger(cx)
    }
}
