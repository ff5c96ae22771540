//! `multipart/form-data` (RFC 7578), part by part: how large each may be, and where it goes.

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body::Body;
use mime::Mime;

use super::disposition::Disposition;
use super::frames::Frames;
use super::parts::{self, Head, Parts};
use super::read::ReadError;
use super::spool::{Spool, Store};
use crate::message::call::{BodyFault, MultipartLimits, Part};
use crate::message::content::Content;

/// Room for the parts of most forms, so that they are not moved while they come.
const PARTS_MOSTLY: usize = 8;
/// How most clients write the content type.
const PLAIN: &str = "multipart/form-data; boundary=";
/// RFC 2046, section 5.1.1.
const BOUNDARY_CHARACTERS_MAX: usize = 70;

/// Reads all parts.
///
/// # Errors
/// [`ReadError::Fault`] by the limits and by RFC 7578; [`ReadError::Store`] is ours.
pub(super) async fn read<B>(
    frames: &mut Frames<B>,
    headers: &HeaderMap,
    limits: MultipartLimits,
    store: &Store,
) -> Result<Vec<Part>, ReadError>
where
    B: Body<Data = Bytes> + Send + Unpin,
{
    let boundary = boundary(headers)?;
    if frames.announced().is_some_and(|length| length > limits.body_bytes_max) {
        return Err(BodyFault::TooLarge.into());
    }
    let delimiter = parts::delimiter(&boundary);
    let mut found = Parts::new(frames, &delimiter, limits.body_bytes_max);
    let mut parts = Vec::with_capacity(limits.parts_max.min(PARTS_MOSTLY));
    while let Some(head) = found.next().await? {
        if parts.len() == limits.parts_max {
            return Err(BodyFault::TooLarge.into());
        }
        let Head { disposition: Disposition { name, file_name }, content_type } = head;
        let (content, is_cut) = match file_name {
            None => (text(&mut found, limits.text_bytes_max).await?, false),
            Some(_) => file(&mut found, limits.part_bytes_max, store).await?,
        };
        parts.push(Part { name, file_name, content_type, content, is_cut });
    }
    // What follows the closing boundary says nothing, but it must come and fit.
    while frames.received() <= limits.body_bytes_max {
        if frames.next().await?.is_none() {
            return Ok(parts);
        }
    }
    Err(BodyFault::TooLarge.into())
}

/// A part without file name: a field of a form, in memory whatever its length.
async fn text<B: Body<Data = Bytes> + Unpin>(
    parts: &mut Parts<'_, B>,
    bytes_max: u64,
) -> Result<Content, BodyFault> {
    let is_beyond = |length: usize| length as u64 > bytes_max;
    let Some(first) = parts.piece().await? else { return Ok(Content::in_memory(Bytes::new())) };
    if is_beyond(first.len()) {
        return Err(BodyFault::TooLarge);
    }
    let mut all: Option<BytesMut> = None;
    while let Some(piece) = parts.piece().await? {
        let all = all.get_or_insert_with(|| BytesMut::from(&first[..]));
        if is_beyond(all.len() + piece.len()) {
            return Err(BodyFault::TooLarge);
        }
        all.extend_from_slice(&piece);
    }
    Ok(Content::in_memory(all.map_or(first, BytesMut::freeze)))
}

/// A file, and whether there was more of it.
async fn file<B: Body<Data = Bytes> + Unpin>(
    parts: &mut Parts<'_, B>,
    bytes_max: u64,
    store: &Store,
) -> Result<(Content, bool), ReadError> {
    let mut spool = Spool::new(store);
    let mut is_cut = false;
    while let Some(mut piece) = parts.piece().await? {
        if spool.length() + piece.len() as u64 > bytes_max {
            is_cut = true;
            let room = bytes_max.saturating_sub(spool.length());
            piece.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        }
        spool.write(&piece).map_err(ReadError::Store)?;
    }
    Ok((spool.finish().map_err(ReadError::Store)?, is_cut))
}

/// The one boundary of the one content type.
fn boundary(headers: &HeaderMap) -> Result<String, BodyFault> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(BodyFault::NoBoundary);
    };
    let text = value.to_str().map_err(|_| BodyFault::WrongMediaType)?;
    if let Some(boundary) = text.strip_prefix(PLAIN).filter(|text| is_plain(text)) {
        return Ok(boundary.to_owned());
    }
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

/// Whether a boundary has nothing but letters, digits and dashes, so that nothing more has to be parsed.
fn is_plain(boundary: &str) -> bool {
    (1..=BOUNDARY_CHARACTERS_MAX).contains(&boundary.len())
        && boundary.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
