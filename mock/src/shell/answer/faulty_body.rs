//! A body that is slow, or that breaks off in the middle.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame};
use tokio::time::Sleep;

/// The number of pieces of a slow body.
const PIECES: u32 = 10;

/// The faulty body around a sound one of known length. It promises the length of the sound one.
#[derive(Debug)]
pub(crate) struct FaultyBody<B> {
    sound: B,
    /// Bytes of the sound body that were not sent yet.
    left: u64,
    /// Of them, those that never will be.
    lost: u64,
    /// Read from the sound body, not sent yet.
    read: Bytes,
    piece_bytes_max: usize,
    pace: Option<(Duration, Pin<Box<Sleep>>)>,
    /// Whether what was sent had its turn on the way out.
    is_flushed: bool,
}

impl<B: Body<Data = Bytes, Error = io::Error> + Unpin> FaultyBody<B> {
    /// The whole body, sent over the time `takes`.
    pub(crate) fn slow(sound: B, takes: Duration) -> Self {
        let left = sound.size_hint().lower();
        let pause = takes / PIECES;
        let piece = left.div_ceil(PIECES.into());
        Self {
            sound,
            left,
            lost: 0,
            read: Bytes::new(),
            piece_bytes_max: usize::try_from(piece).unwrap_or(usize::MAX),
            pace: Some((pause, Box::pin(tokio::time::sleep(pause)))),
            is_flushed: false,
        }
    }

    /// The first half of the body; reading on is an error.
    pub(crate) fn halved(sound: B) -> Self {
        let left = sound.size_hint().lower();
        Self {
            sound,
            left,
            lost: left.div_ceil(2),
            read: Bytes::new(),
            piece_bytes_max: usize::MAX,
            pace: None,
            is_flushed: false,
        }
    }

    /// Bytes that are promised and were not sent yet.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) fn poll_piece(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left <= self.lost {
            return self.poll_end(cx);
        }
        if let Some((pause, sleep)) = &mut self.pace {
            ready!(sleep.as_mut().poll(cx));
            *sleep = Box::pin(tokio::time::sleep(*pause));
        }
        while self.read.is_empty() {
            match ready!(Pin::new(&mut self.sound).poll_frame(cx)) {
                Some(Ok(frame)) => self.read = frame.into_data().unwrap_or_default(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
            }
        }
        let wanted = usize::try_from(self.left - self.lost).unwrap_or(usize::MAX);
        let length = self.read.remaining().min(self.piece_bytes_max).min(wanted);
        self.left -= length as u64;
        Poll::Ready(Some(Ok(Frame::data(self.read.split_to(length)))))
    }

    /// Breaks off one turn late, so that what was sent leaves before the connection ends.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 && self.lost == 0 {
            return Poll::Ready(None);
        }
        if !self.is_flushed {
            self.is_flushed = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
    }

    /// Whether there is nothing more to ask for.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0 && self.lost == 0
    }
}
