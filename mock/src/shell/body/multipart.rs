//! Reads `multipart/form-data` (RFC 7578) part by part, up to the limits, into memory or temporary files.
//!
//! `multer` finds the parts. It reads ahead while its stream is ready, and it holds a preamble and the headers of a
//! part in memory. So [`next_piece`] limits the bytes that it receives.

use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName};
use http_body::Body;
use mime::Mime;
use moot_fixtures::media_type;
use multer::{Field, Multipart};

use super::disposition::parameter;
use super::frames::Frames;
use super::spool::{Spool, Store};
use crate::value::message::call::{BodyFault, MultipartLimits, Part};
use crate::value::message::content::Content;

/// Size of a piece for `multer`.
const PIECE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a preamble, or of the headers of a part, at most.
const HEAD_BYTES_MAX: usize = 128 * 1024;
/// Bytes that a file may have beyond its limit if the length of the body is unknown. So a file that is a little too
/// large gets the right refusal, and an endless one is cut off.
const ENDLESS_BYTES_MAX: u64 = 1024 * 1024;
/// RFC 2046, section 5.1.1.
const BOUNDARY_CHARACTERS_MAX: usize = 70;

/// A fault of the body, wrapped as an error for `multer`.
#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
struct PieceError(BodyFault);

/// Why a multipart body could not be read.
pub(super) enum ReadError {
    /// The body is malformed or too large.
    Fault(BodyFault),
    /// A temporary file cannot be written.
    Store(io::Error),
}

impl From<BodyFault> for ReadError {
    fn from(fault: BodyFault) -> Self {
        Self::Fault(fault)
    }
}

/// Reads all parts.
///
/// # Errors
/// [`ReadError::Fault`] by the limits and by RFC 7578; [`ReadError::Store`] is ours.
pub(super) async fn read(
    frames: &mut Frames<impl Body<Data = Bytes> + Send + Unpin>,
    headers: &HeaderMap,
    limits: MultipartLimits,
    store: &Store,
) -> Result<Vec<Part>, ReadError> {
    let boundary = boundary(headers)?;
    if frames.announced().is_some_and(|length| length > limits.body_bytes_max) {
        return Err(BodyFault::TooLarge.into());
    }
    let parts = parts(frames, boundary, limits, store).await?;
    // Bytes after the closing boundary are ignored, but they count towards the limits.
    while frames.received() <= limits.body_bytes_max {
        if frames.next().await?.is_none() {
            return Ok(parts);
        }
    }
    Err(BodyFault::TooLarge.into())
}

async fn parts(
    frames: &mut Frames<impl Body<Data = Bytes> + Send + Unpin>,
    boundary: String,
    limits: MultipartLimits,
    store: &Store,
) -> Result<Vec<Part>, ReadError> {
    let head_bytes_left = &AtomicUsize::new(HEAD_BYTES_MAX);
    let beyond_max = if frames.announced().is_some() { u64::MAX } else { ENDLESS_BYTES_MAX };
    let pieces = stream::unfold((frames, Bytes::new()), |(frames, mut rest)| async move {
        let piece = next_piece(frames, &mut rest, limits, head_bytes_left).await;
        piece.transpose().map(|piece| (piece.map_err(PieceError), (frames, rest)))
    });
    let mut form = Multipart::new(pieces, boundary);
    let mut parts = Vec::new();
    while let Some(mut field) = form.next_field().await.map_err(fault)? {
        // The content of a part is not held in memory, so this limit does not apply.
        head_bytes_left.store(usize::MAX, Ordering::Relaxed);
        if parts.len() == limits.parts_max {
            return Err(BodyFault::TooLarge.into());
        }
        let (name, file_name) = names(&field)?;
        let content_type = header(&field, CONTENT_TYPE);
        let (bytes_max, beyond_max) = match file_name {
            None => (limits.text_bytes_max, 0),
            Some(_) => (limits.part_bytes_max, beyond_max),
        };
        let (content, is_cut) = content(&mut field, bytes_max, beyond_max, store).await?;
        parts.push(Part { name, content_type, file_name, content, is_cut });
        head_bytes_left.store(HEAD_BYTES_MAX, Ordering::Relaxed);
    }
    Ok(parts)
}

/// The next bytes for `multer`; `None` at the end of the body.
async fn next_piece(
    frames: &mut Frames<impl Body<Data = Bytes> + Unpin>,
    rest: &mut Bytes,
    limits: MultipartLimits,
    head_bytes_left: &AtomicUsize,
) -> Result<Option<Bytes>, BodyFault> {
    // Makes `multer` process one piece before it asks for the next.
    yield_once().await;
    if rest.is_empty() {
        let Some(piece) = frames.next().await? else { return Ok(None) };
        if frames.received() > limits.body_bytes_max {
            return Err(BodyFault::TooLarge);
        }
        *rest = piece;
    }
    let piece = rest.split_to(rest.len().min(PIECE_BYTES_MAX));
    let left = head_bytes_left
        .load(Ordering::Relaxed)
        .checked_sub(piece.len())
        .ok_or(BodyFault::Malformed("no part begins, or the headers of a part never end"))?;
    head_bytes_left.store(left, Ordering::Relaxed);
    Ok(Some(piece))
}

/// Is pending once. It wakes itself and not through tokio, because inside wiremock tokio's scheduler is blocked.
pub(crate) async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn fault(error: multer::Error) -> BodyFault {
    match error {
        multer::Error::StreamReadFailed(cause) => {
            cause.downcast::<PieceError>().map_or(BodyFault::Truncated, |error| error.0)
        }
        multer::Error::IncompleteStream | multer::Error::IncompleteFieldData { .. } => {
            BodyFault::Malformed("a boundary is missing or broken")
        }
        _ => BodyFault::Malformed("the headers of a part cannot be read"),
    }
}

/// The name of a part, and of its file. `filename*` is ignored (RFC 7578, section 4.2).
fn names(field: &Field<'_>) -> Result<(String, Option<String>), BodyFault> {
    let disposition = header(field, CONTENT_DISPOSITION)
        .ok_or(BodyFault::Malformed("a part has no `Content-Disposition`"))?;
    let kind = disposition.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("form-data") {
        return Err(BodyFault::Malformed("the disposition of a part is not `form-data`"));
    }
    // Not taken from `multer`: it does not find a `filename` that follows a `filename*`.
    let name =
        parameter(&disposition, "name").ok_or(BodyFault::Malformed("a part has no `name`"))?;
    let path = parameter(&disposition, "filename").map(unescaped);
    Ok((unescaped(name), path.map(|path| last_segment(&path).to_owned())))
}

fn header(field: &Field<'_>, name: HeaderName) -> Option<String> {
    let value = field.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Decodes the three characters that browsers encode in quoted names: quote, CR and LF.
fn unescaped(name: String) -> String {
    if !name.contains('%') {
        return name;
    }
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

fn last_segment(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The content of a part, and whether it was cut at `bytes_max` bytes. At most `beyond_max` further bytes are read.
async fn content(
    field: &mut Field<'_>,
    bytes_max: u64,
    beyond_max: u64,
    store: &Store,
) -> Result<(Content, bool), ReadError> {
    let mut spool = Spool::new(store);
    let mut beyond = 0;
    while let Some(mut piece) = field.chunk().await.map_err(fault)? {
        let room = bytes_max.saturating_sub(spool.length());
        let fits = usize::try_from(room).map_or(piece.len(), |room| room.min(piece.len()));
        beyond += (piece.len() - fits) as u64;
        if beyond > beyond_max {
            return Err(BodyFault::TooLarge.into());
        }
        piece.truncate(fits);
        spool.write(&piece).map_err(ReadError::Store)?;
    }
    let content = spool.finish().map_err(ReadError::Store)?;
    Ok((content, beyond > 0))
}

/// The boundary. The call must have exactly one content type with exactly one boundary.
fn boundary(headers: &HeaderMap) -> Result<String, BodyFault> {
    let sent = headers.get_all(CONTENT_TYPE).iter();
    let texts: Vec<&str> = sent.map(|value| value.to_str().unwrap_or_default()).collect();
    if !texts.is_empty() && !texts.iter().any(|text| is_form_data(text)) {
        return Err(BodyFault::WrongMediaType);
    }
    let [text] = texts[..] else { return Err(BodyFault::NoBoundary) };
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

fn is_form_data(content_type: &str) -> bool {
    media_type::essence(content_type).eq_ignore_ascii_case(mime::MULTIPART_FORM_DATA.as_ref())
}
