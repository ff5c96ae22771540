//! `multipart/form-data` (RFC 7578), part by part: multer finds the boundaries, the bounds are here.

use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http_body::Body;
use mime::Mime;

use super::disposition::Disposition;
use super::frames::Frames;
use super::read::ReadError;
use super::spool::{Spool, Store};
use crate::call::{BodyFault, MultipartLimits, Part};

/// multer is fed in pieces of this size, so that it never holds much more.
const PIECE_BYTES_MAX: usize = 64 * 1024;
/// What multer may swallow without giving anything back: a preamble, or the headers of one part.
const UNANSWERED_BYTES_MAX: usize = 2 * PIECE_BYTES_MAX;
/// RFC 2046, section 5.1.1.
const BOUNDARY_CHARACTERS_MAX: usize = 70;

/// Reads all parts.
///
/// # Errors
/// [`ReadError::Fault`] by the limits and by RFC 7578; [`ReadError::Store`] is ours.
pub(super) async fn read<B>(
    frames: &mut Frames<'_, B>,
    headers: &HeaderMap,
    limits: MultipartLimits,
    store: &Store,
) -> Result<Vec<Part>, ReadError>
where
    B: Body<Data = Bytes> + Send,
{
    let boundary = boundary(headers)?;
    if frames.announced().is_some_and(|length| length > limits.body_bytes_max) {
        return Err(BodyFault::TooLarge.into());
    }
    let progress = Progress::default();
    let mut feed =
        Feed { frames, progress: &progress, limits, held: Bytes::new(), is_paused: false };
    let pieces = stream::poll_fn(move |cx| feed.poll(cx));
    let mut multipart = multer::Multipart::new(pieces, boundary);
    let mut parts = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(fault)? {
        progress.answered();
        if parts.len() == limits.parts_max {
            return Err(BodyFault::TooLarge.into());
        }
        parts.push(part(field, limits, store, &progress).await?);
    }
    drop(multipart);
    // What follows the closing boundary says nothing, but it must come and fit.
    while frames.received() <= limits.body_bytes_max {
        if frames.next().await?.is_none() {
            return Ok(parts);
        }
    }
    Err(BodyFault::TooLarge.into())
}

async fn part(
    mut field: multer::Field<'_>,
    limits: MultipartLimits,
    store: &Store,
    progress: &Progress,
) -> Result<Part, ReadError> {
    let headers = field.headers();
    let disposition = headers
        .get(CONTENT_DISPOSITION)
        .ok_or(BodyFault::Malformed("a part has no `Content-Disposition`"))?;
    let Disposition { name, file_name } =
        Disposition::parse(disposition.as_bytes()).map_err(BodyFault::Malformed)?;
    let content_type = headers
        .get(CONTENT_TYPE)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let mut spool = Spool::new(store);
    let mut is_cut = false;
    while let Some(mut piece) = field.chunk().await.map_err(fault)? {
        progress.answered();
        let length = spool.length() + piece.len() as u64;
        if file_name.is_none() && length > limits.text_bytes_max {
            return Err(BodyFault::TooLarge.into());
        }
        if length > limits.part_bytes_max {
            is_cut = true;
            let room = limits.part_bytes_max.saturating_sub(spool.length());
            piece.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        }
        spool.write(&piece).map_err(ReadError::Store)?;
    }
    let content = spool.finish().map_err(ReadError::Store)?;
    Ok(Part { name, file_name, content_type, content, is_cut })
}

/// The one boundary of the one content type.
fn boundary(headers: &HeaderMap) -> Result<String, BodyFault> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(BodyFault::NoBoundary);
    };
    let text = value.to_str().map_err(|_| BodyFault::WrongMediaType)?;
    let essence = text.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(mime::MULTIPART_FORM_DATA.as_ref()) {
        return Err(BodyFault::WrongMediaType);
    }
    let mime: Mime = text.parse().map_err(|_| BodyFault::NoBoundary)?;
    let mut boundaries = mime.params().filter(|(name, _)| *name == mime::BOUNDARY);
    match (boundaries.next(), boundaries.next()) {
        (Some((_, boundary)), None)
            if (1..=BOUNDARY_CHARACTERS_MAX).contains(&boundary.as_str().len()) =>
        {
            Ok(boundary.as_str().to_owned())
        }
        _ => Err(BodyFault::NoBoundary),
    }
}

/// How much multer was fed since it last gave something back; shared by the feeding and the asking
/// side of one task.
#[derive(Default)]
struct Progress(std::sync::atomic::AtomicUsize);

impl Progress {
    fn answered(&self) {
        self.0.store(0, std::sync::atomic::Ordering::Relaxed);
    }

    fn fed(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed)
    }
}

/// The stream that multer reads.
struct Feed<'f, 'b, B> {
    frames: &'f mut Frames<'b, B>,
    progress: &'f Progress,
    limits: MultipartLimits,
    /// Of a large frame, what is not fed yet.
    held: Bytes,
    is_paused: bool,
}

impl<B: Body<Data = Bytes>> Feed<'_, '_, B> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        // multer swallows all that is ready before it looks at it: a pause after so much that it
        // has not answered keeps its buffer small, however fast the client is.
        if std::mem::take(&mut self.is_paused) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.held.is_empty() {
            match std::task::ready!(self.frames.poll_next(cx)) {
                Ok(Some(piece)) => self.held = piece,
                Ok(None) => return Poll::Ready(None),
                Err(fault) => return Poll::Ready(Some(Err(Broken(fault)))),
            }
        }
        if self.frames.received() > self.limits.body_bytes_max {
            return Poll::Ready(Some(Err(Broken(BodyFault::TooLarge))));
        }
        let piece = self.held.split_to(self.held.len().min(PIECE_BYTES_MAX));
        let fed = self.progress.fed(piece.len());
        if fed > UNANSWERED_BYTES_MAX {
            let fault = BodyFault::Malformed("no part begins, or the headers of a part never end");
            return Poll::Ready(Some(Err(Broken(fault))));
        }
        self.is_paused = fed + piece.len() >= PIECE_BYTES_MAX;
        Poll::Ready(Some(Ok(piece)))
    }
}

/// A fault on its way through multer.
#[derive(Debug, thiserror::Error)]
#[error("the body can't be read")]
struct Broken(BodyFault);

fn fault(error: multer::Error) -> BodyFault {
    match error {
        multer::Error::StreamReadFailed(cause) => {
            cause.downcast_ref::<Broken>().map_or(BodyFault::Truncated, |broken| broken.0)
        }
        multer::Error::IncompleteFieldData { .. } | multer::Error::IncompleteStream => {
            BodyFault::Malformed("it ends before its closing boundary")
        }
        // The enum is not ours and open; what is left is about the headers of a part.
        _ => BodyFault::Malformed("the headers of a part can't be read"),
    }
}
