//! A connection that can end with a reset, send bytes that are not HTTP, or read on before it closes.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::shell::clock;
use crate::value::message::wire::WireEnd;

/// If the client still sends when the connection ends, the server reads on for this time. A close at once would
/// reset the connection, and the client would lose its response.
const LINGER_MAX: Duration = Duration::from_secs(2);
/// Bytes to read on at most.
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Size of one such read.
const LINGER_PIECE_BYTES: usize = 16 * 1024;

/// Bytes in place of a response.
const GARBAGE: &[u8] = b"\x00\xff\xfe this is not HTTP \x7f\x00\r\n";

/// The end of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ConnectionEnd {
    #[default]
    Closed,
    Reset,
    Garbled,
    Lingering,
}

/// Selects how a connection ends, and notes when its call ended.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionSwitch(Arc<Mutex<SwitchState>>);

#[derive(Debug, Default)]
struct SwitchState {
    end: ConnectionEnd,
    /// The end of the call that is being answered.
    call: Option<Arc<WireEnd>>,
    /// Whether only the flush of the response to this call is missing.
    is_over: bool,
}

impl ConnectionSwitch {
    /// The connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.lock().end = ConnectionEnd::Reset;
        if let Some(end) = self.end_of_call() {
            end.set_ended(clock::elapsed_us());
        }
    }

    /// From now on [`GARBAGE`] is sent in place of the response.
    pub(super) fn garble(&self) {
        self.0.lock().end = ConnectionEnd::Garbled;
    }

    /// After the last response the server reads and drops the rest of the client's bytes. No effect after
    /// [`Self::reset`] or [`Self::garble`].
    pub(super) fn linger(&self) {
        let end = &mut self.0.lock().end;
        if *end == ConnectionEnd::Closed {
            *end = ConnectionEnd::Lingering;
        }
    }

    /// Sets the call whose end is noted.
    pub(super) fn set_call(&self, end: Arc<WireEnd>) {
        let mut state = self.0.lock();
        (state.call, state.is_over) = (Some(end), false);
    }

    /// The whole body of the response was handed to hyper. Bytes after the next flush, such as a TLS close message, do
    /// not belong to the response.
    pub(super) fn set_over(&self) {
        self.0.lock().is_over = true;
    }

    fn end_of_call(&self) -> Option<Arc<WireEnd>> {
        self.0.lock().call.clone()
    }

    fn flushed(&self) {
        let mut state = self.0.lock();
        if state.is_over {
            state.call = None;
        }
    }

    fn is(&self, end: ConnectionEnd) -> bool {
        self.0.lock().end == end
    }
}

/// A stream that a [`ConnectionSwitch`] ends.
pub(super) struct Connection {
    stream: TcpStream,
    switch: ConnectionSwitch,
    is_garbage_sent: bool,
    /// Set when the sending side is closed: the deadline and the number of bytes for reading on.
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

    /// Writes, or sends garbage in place of `length` bytes. Notes the time before, and whether the client had closed the
    /// connection before.
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
        // Read before the write: what the client sends after the response must never look earlier than its end.
        let at_us = clock::elapsed_us();
        let written = ready!(match self.switch.is(ConnectionEnd::Garbled) {
            true => self.poll_garbage(cx, length),
            false => write(self.as_mut().stream(), cx),
        });
        if let Some(end) = call_end {
            end.set_ended(at_us);
        }
        Poll::Ready(written)
    }

    /// Sends garbage once, and reports `length` bytes as written.
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

    /// Reads on until the client closes too, up to the limits.
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
        // The call ends without a response: note whether the client had left.
        if let Some(end) = self.switch.end_of_call().filter(|end| end.ended_us().is_none()) {
            match self.stream.try_read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    end.set_ended(clock::elapsed_us());
                }
                Ok(_) | Err(_) => end.set_left(),
            }
        }
        if self.switch.is(ConnectionEnd::Reset) {
            // If this fails, the connection is closed instead, which clients also notice.
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

    /// A connection is not shut down before a reset.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.switch.is(ConnectionEnd::Reset) {
            return Poll::Ready(Ok(()));
        }
        let this = self.get_mut();
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.switch.is(ConnectionEnd::Lingering) {
                return Poll::Ready(Ok(()));
            }
            let end = Box::pin(tokio::time::sleep(LINGER_MAX));
            this.lingering = Some((end, LINGER_BYTES_MAX));
        }
        this.poll_linger(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::Poll;

    use tokio::net::{TcpListener, TcpStream};

    use super::Connection;
    use crate::shell::clock;
    use crate::value::message::wire::WireEnd;

    /// A client may read the response and send its next call before the write returns here.
    #[tokio::test]
    async fn the_end_of_a_call_is_the_time_before_the_write() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let _client = TcpStream::connect(address).await.expect("a connection");
        let (stream, _) = listener.accept().await.expect("the same connection");
        let (mut connection, switch) = Connection::new(stream);
        let end = Arc::new(WireEnd::default());
        switch.set_call(Arc::clone(&end));
        let mut written_us = 0;
        let sent = poll_fn(|cx| {
            Pin::new(&mut connection).poll_sent(cx, 1, |_, _| {
                written_us = clock::elapsed_us();
                while clock::elapsed_us() == written_us {}
                Poll::Ready(Ok(1))
            })
        });
        assert_eq!(sent.await.expect("it writes"), 1);
        assert!(end.ended_us().is_some_and(|ended| ended <= written_us));
    }
}
