//! The body of a response: bytes in memory, or pieces that are produced while they are sent.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::fs::File;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc;

use crate::shell::body::yield_once;
use crate::value::message::content::{Content, ContentPlace};

/// A stored file is sent in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;
/// The number of pieces of a slow body.
const SLOW_PIECES: u32 = 10;

/// The body of a response. Its length is known, except for a stream of messages.
pub struct SiteBody {
    /// Bytes of the promised length that were not sent yet. `None` for messages.
    left: Option<u64>,
    source: BodySource,
}

enum BodySource {
    Bytes(Bytes),
    Pieces(Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>),
}

impl SiteBody {
    /// The stored bytes of `content`.
    ///
    /// # Errors
    /// The file can't be opened.
    pub(crate) async fn of(content: Content) -> io::Result<Self> {
        let (path, keep) = match content.place {
            ContentPlace::Memory(bytes) => return Ok(bytes.into()),
            ContentPlace::File { path, keep } => (path, keep),
            ContentPlace::Apart => return Err(io::ErrorKind::NotFound.into()),
        };
        let file = File::open(path).await?.take(content.length);
        // The handle keeps the file until it is sent.
        let pieces = stream::try_unfold((file, keep), |(mut file, keep)| async move {
            let mut piece = BytesMut::with_capacity(PIECE_BYTES);
            match file.read_buf(&mut piece).await? {
                0 => Err(io::ErrorKind::UnexpectedEof.into()),
                _ => Ok(Some((piece.freeze(), (file, keep)))),
            }
        });
        Ok(Self::pieces(Some(content.length), pieces))
    }

    /// A body of messages. It ends when the sender is dropped.
    pub(crate) fn messages(mut messages: mpsc::Receiver<Bytes>) -> Self {
        Self::pieces(
            None,
            stream::poll_fn(move |cx| messages.poll_recv(cx).map(|message| message.map(Ok))),
        )
    }

    fn pieces(
        left: Option<u64>,
        pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Self {
        Self { left, source: BodySource::Pieces(Box::pin(pieces)) }
    }

    /// The same body, sent in pieces over the time `takes`.
    pub(crate) fn slow(self, takes: Duration) -> Self {
        let (left, pause) = (self.left, takes / SLOW_PIECES);
        let piece_bytes_max = left.unwrap_or_default().div_ceil(SLOW_PIECES.into());
        let piece_bytes_max = usize::try_from(piece_bytes_max).unwrap_or(usize::MAX);
        let pieces =
            stream::try_unfold((self, Bytes::new()), move |(mut sound, mut read)| async move {
                tokio::time::sleep(pause).await;
                while read.is_empty() {
                    let Some(frame) = sound.frame().await else { return Ok(None) };
                    read = frame?.into_data().unwrap_or_default();
                }
                let piece = read.split_to(read.len().min(piece_bytes_max));
                Ok(Some((piece, (sound, read))))
            });
        Self::pieces(left, pieces)
    }

    /// The first half of the body, then an error. The whole length is promised.
    pub(crate) fn halved(self) -> Self {
        let left = self.left;
        let half = left.unwrap_or_default() / 2;
        let pieces = stream::try_unfold((self, half), |(mut sound, wanted)| async move {
            if wanted == 0 {
                // Lets hyper write the first half before the connection ends.
                yield_once().await;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            let Some(frame) = sound.frame().await else { return Ok(None) };
            let mut piece = frame?.into_data().unwrap_or_default();
            piece.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
            let wanted = wanted - piece.len() as u64;
            Ok(Some((piece, (sound, wanted))))
        });
        Self::pieces(left, pieces)
    }

    /// Replaces a member of a JSON object; any other body stays as it is.
    pub(crate) fn set_member(&mut self, name: &str, text: &str) {
        let Value::Object(mut object) = self.json() else { return };
        if let Some(member) = object.get_mut(name) {
            *member = text.into();
            *self = Bytes::from(Value::Object(object).to_string()).into();
        }
    }

    /// The body, if it is JSON in memory; otherwise null.
    pub(crate) fn json(&self) -> Value {
        match &self.source {
            BodySource::Bytes(bytes) => serde_json::from_slice(bytes).unwrap_or_default(),
            BodySource::Pieces(_) => Value::Null,
        }
    }
}

impl From<Bytes> for SiteBody {
    fn from(bytes: Bytes) -> Self {
        Self { left: Some(bytes.len() as u64), source: BodySource::Bytes(bytes) }
    }
}

impl Body for SiteBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        if this.is_end_stream() {
            return Poll::Ready(None);
        }
        let piece = match &mut this.source {
            BodySource::Bytes(bytes) => Some(Ok(std::mem::take(bytes))),
            BodySource::Pieces(pieces) => ready!(pieces.as_mut().poll_next(cx)),
        };
        if let (Some(left), Some(Ok(piece))) = (&mut this.left, &piece) {
            *left = left.saturating_sub(piece.len() as u64);
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
