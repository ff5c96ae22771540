//! The body of an answer on its way out: bytes, or a stored file that is streamed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

use super::faulty_body::FaultyBody;
use crate::value::message::content::{Content, ContentFile, ContentPlace};

/// A stored file is sent in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// The body of an answer. Its length is known, but for a stream of messages.
#[derive(Debug)]
pub struct SiteBody(BodySource);

#[derive(Debug)]
enum BodySource {
    Bytes(Bytes),
    File(Box<Streamed>),
    Faulty(Box<FaultyBody<SiteBody>>),
    /// Messages until their sender is gone.
    Messages(mpsc::Receiver<Bytes>),
}

#[derive(Debug)]
struct Streamed {
    file: File,
    /// Bytes not sent yet.
    left: u64,
    /// The piece being read.
    piece: BytesMut,
    /// Keeps the file until it is sent.
    _keep: Arc<dyn ContentFile>,
}

impl SiteBody {
    /// The stored bytes of `content`.
    ///
    /// # Errors
    /// The file can't be opened.
    pub(crate) async fn of(content: Content) -> io::Result<Self> {
        Ok(match content.place {
            ContentPlace::Memory(bytes) => bytes.into(),
            ContentPlace::File { path, keep } => Self(BodySource::File(Box::new(Streamed {
                file: File::open(path).await?,
                left: content.length,
                piece: BytesMut::new(),
                _keep: keep,
            }))),
            ContentPlace::Apart => return Err(io::ErrorKind::NotFound.into()),
        })
    }

    /// A body of messages, until their sender is gone.
    pub(crate) fn messages(messages: mpsc::Receiver<Bytes>) -> Self {
        Self(BodySource::Messages(messages))
    }

    /// A body with a fault.
    pub(crate) fn faulty(body: FaultyBody<Self>) -> Self {
        Self(BodySource::Faulty(Box::new(body)))
    }

    /// Replaces a member of a JSON object; any other body stays as it is.
    pub(crate) fn set_member(&mut self, name: &str, text: &str) {
        let BodySource::Bytes(bytes) = &mut self.0 else { return };
        let Ok(Value::Object(mut object)) = serde_json::from_slice(bytes) else { return };
        if let Some(member) = object.get_mut(name) {
            *member = text.into();
            *bytes = Value::Object(object).to_string().into();
        }
    }

    /// The body, if it is JSON in memory; otherwise null.
    #[cfg(feature = "postgres")]
    pub(crate) fn json(&self) -> Value {
        match &self.0 {
            BodySource::Bytes(bytes) => serde_json::from_slice(bytes).unwrap_or_default(),
            _ => Value::Null,
        }
    }

    /// Bytes not sent yet.
    pub(crate) fn length(&self) -> u64 {
        match &self.0 {
            BodySource::Bytes(bytes) => bytes.len() as u64,
            BodySource::File(streamed) => streamed.left,
            BodySource::Faulty(faulty) => faulty.left(),
            BodySource::Messages(_) => 0,
        }
    }
}

impl From<Bytes> for SiteBody {
    fn from(bytes: Bytes) -> Self {
        Self(BodySource::Bytes(bytes))
    }
}

impl Body for SiteBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut self.get_mut().0 {
            BodySource::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            BodySource::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            BodySource::File(streamed) if streamed.left == 0 => Poll::Ready(None),
            BodySource::File(streamed) => {
                streamed.poll_piece(cx).map(|piece| Some(piece.map(Frame::data)))
            }
            BodySource::Faulty(faulty) => faulty.poll_piece(cx),
            BodySource::Messages(messages) => {
                messages.poll_recv(cx).map(|message| message.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            BodySource::Faulty(faulty) => faulty.is_over(),
            BodySource::Messages(_) => false,
            BodySource::Bytes(_) | BodySource::File(_) => self.length() == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            BodySource::Messages(_) => SizeHint::default(),
            BodySource::Bytes(_) | BodySource::File(_) | BodySource::Faulty(_) => {
                SizeHint::with_exact(self.length())
            }
        }
    }
}

impl Streamed {
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        let wanted = usize::try_from(self.left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        self.piece.resize(wanted, 0);
        let mut buffer = ReadBuf::new(&mut self.piece);
        ready!(Pin::new(&mut self.file).poll_read(cx, &mut buffer))?;
        let read = buffer.filled().len();
        if read == 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        self.left -= read as u64;
        self.piece.truncate(read);
        Poll::Ready(Ok(std::mem::take(&mut self.piece).freeze()))
    }
}
