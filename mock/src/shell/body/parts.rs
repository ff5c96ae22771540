//! The parts of a `multipart/form-data` body (RFC 2046 section 5.1), found in what comes piece by piece.
//!
//! What is held at a time is bounded, however the body is cut and whatever it says. Never here: how
//! large a part may be, and what it means.

use std::sync::LazyLock;

use bytes::{Buf, Bytes, BytesMut};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName};
use http_body::Body;
use httparse::{EMPTY_HEADER, Header, Status};
use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::disposition::Disposition;
use super::frames::Frames;
use crate::message::call::BodyFault;

/// Of a large piece so much is looked at at once for the headers of a part.
const LOOK_BYTES_MAX: usize = 64 * 1024;
/// Of a preamble, or of the headers of a part.
const HEAD_BYTES_MAX: usize = 2 * LOOK_BYTES_MAX;
/// Of one part.
const HEADERS_MAX: usize = 32;
const LINE_END: &[u8] = b"\r\n";
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// What ends the headers of a part.
static HEADERS_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(BLANK_LINE));

/// What stands between two parts.
pub(super) fn delimiter(boundary: &str) -> String {
    format!("\r\n--{boundary}")
}

/// The parts of a body, one after another.
pub(super) struct Parts<'f, B> {
    frames: &'f mut Frames<B>,
    delimiter: Finder<'f>,
    body_bytes_max: u64,
    place: Place,
    /// What came and was not looked at yet.
    unseen: Bytes,
    /// What was looked at and not given back yet.
    held: BytesMut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Preamble,
    Content,
    AfterBoundary,
}

/// The headers of a part.
pub(super) struct Head {
    pub(super) disposition: Disposition,
    /// As sent.
    pub(super) content_type: Option<String>,
}

impl<'f, B: Body<Data = Bytes> + Unpin> Parts<'f, B> {
    /// The parts of a body of so many bytes at most, between which there is a [`delimiter`].
    pub(super) fn new(frames: &'f mut Frames<B>, delimiter: &'f str, body_bytes_max: u64) -> Self {
        // The first boundary may stand at the very beginning, as if after a line.
        let held = BytesMut::from(LINE_END);
        let (delimiter, unseen) = (Finder::new(delimiter), Bytes::new());
        Self { frames, delimiter, body_bytes_max, place: Place::Preamble, unseen, held }
    }

    /// The headers of the next part; `None` at the closing boundary.
    ///
    /// # Errors
    /// [`BodyFault`].
    pub(super) async fn next(&mut self) -> Result<Option<Head>, BodyFault> {
        match self.place {
            Place::Preamble => {
                let first = self.delimiter.clone();
                let at = self.find(&first).await?;
                self.held.advance(at + first.needle().len());
            }
            Place::Content => while self.piece().await?.is_some() {},
            Place::AfterBoundary => {}
        }
        self.place = Place::AfterBoundary;
        if self.is_last().await? {
            return Ok(None);
        }
        let head = self.head().await?;
        self.place = Place::Content;
        Ok(Some(head))
    }

    /// More of the content of a part, not empty; `None` at its end. What comes in large pieces is given
    /// back as it came, without a copy.
    ///
    /// # Errors
    /// [`BodyFault`].
    pub(super) async fn piece(&mut self) -> Result<Option<Bytes>, BodyFault> {
        while self.place == Place::Content {
            let piece = if self.held.is_empty() {
                self.receive().await?;
                self.piece_of_unseen()
            } else if let Some(piece) = self.piece_of_held() {
                piece
            } else {
                self.receive().await?;
                self.piece_of_seam()
            };
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    /// What comes before the boundary in what nobody looked at yet, while nothing is held.
    fn piece_of_unseen(&mut self) -> Bytes {
        if let Some(at) = self.delimiter.find(&self.unseen) {
            let piece = self.unseen.split_to(at);
            self.unseen.advance(self.delimiter.needle().len());
            self.place = Place::AfterBoundary;
            return piece;
        }
        let sure = self.unseen.len() - self.begun(&self.unseen);
        let piece = self.unseen.split_to(sure);
        self.held.extend_from_slice(&self.unseen);
        self.unseen.clear();
        piece
    }

    /// What comes before the boundary in what is held; `None` where all of that may begin one.
    fn piece_of_held(&mut self) -> Option<Bytes> {
        if let Some(at) = self.delimiter.find(&self.held) {
            let piece = self.held.split_to(at).freeze();
            self.held.advance(self.delimiter.needle().len());
            self.place = Place::AfterBoundary;
            return Some(piece);
        }
        let sure = self.held.len() - self.begun(&self.held);
        (sure > 0).then(|| self.held.split_to(sure).freeze())
    }

    /// All that is held, if what comes next shows that it began no boundary.
    fn piece_of_seam(&mut self) -> Bytes {
        let missing = &self.delimiter.needle()[self.held.len()..];
        let come = &self.unseen[..self.unseen.len().min(missing.len())];
        if !missing.starts_with(come) {
            return self.held.split().freeze();
        }
        if come.len() == missing.len() {
            self.held.clear();
            self.place = Place::AfterBoundary;
        } else {
            self.held.extend_from_slice(come);
        }
        self.unseen.advance(come.len());
        Bytes::new()
    }

    /// How many bytes at the end of these may begin a boundary, which has no other CR than its first byte.
    fn begun(&self, bytes: &[u8]) -> usize {
        let delimiter = self.delimiter.needle();
        let end = &bytes[(bytes.len() + 1).saturating_sub(delimiter.len())..];
        let mut starts = memchr_iter(b'\r', end);
        starts.find(|&at| delimiter.starts_with(&end[at..])).map_or(0, |at| end.len() - at)
    }

    /// Whether the boundary that was just passed is the closing one.
    async fn is_last(&mut self) -> Result<bool, BodyFault> {
        loop {
            let padding = self.held.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match &self.held[padding..] {
                [b'-', b'-', ..] => return Ok(true),
                [b'\r', b'\n', ..] => {
                    // The line end stays: it may begin the blank line of a part without headers.
                    self.held.advance(padding);
                    return Ok(false);
                }
                [] | [b'-'] | [b'\r'] => self.more_of_head().await?,
                _ => return Err(BodyFault::Malformed("a boundary does not end its line")),
            }
        }
    }

    async fn head(&mut self) -> Result<Head, BodyFault> {
        let end = self.find(&HEADERS_END).await? + BLANK_LINE.len();
        let text = self.held.split_to(end);
        let mut headers = [EMPTY_HEADER; HEADERS_MAX];
        match httparse::parse_headers(&text[LINE_END.len()..], &mut headers) {
            Ok(Status::Complete((_, headers))) => Head::of(headers),
            // What `find` found is complete.
            Ok(Status::Partial) | Err(_) => {
                Err(BodyFault::Malformed("the headers of a part can't be read"))
            }
        }
    }

    /// Where `mark` begins, however much has to come first.
    async fn find(&mut self, mark: &Finder<'_>) -> Result<usize, BodyFault> {
        let mut from = 0;
        loop {
            if let Some(at) = mark.find(&self.held[from..]) {
                return Ok(from + at);
            }
            from = (self.held.len() + 1).saturating_sub(mark.needle().len());
            self.more_of_head().await?;
        }
    }

    async fn more_of_head(&mut self) -> Result<(), BodyFault> {
        if self.held.len() > HEAD_BYTES_MAX {
            let what = "no part begins, or the headers of a part never end";
            return Err(BodyFault::Malformed(what));
        }
        self.receive().await?;
        let piece = self.unseen.split_to(self.unseen.len().min(LOOK_BYTES_MAX));
        self.held.extend_from_slice(&piece);
        Ok(())
    }

    /// Waits until there is something that nobody looked at yet.
    async fn receive(&mut self) -> Result<(), BodyFault> {
        while self.unseen.is_empty() {
            let piece = self.frames.next().await?;
            self.unseen =
                piece.ok_or(BodyFault::Malformed("it ends before its closing boundary"))?;
            if self.frames.received() > self.body_bytes_max {
                return Err(BodyFault::TooLarge);
            }
        }
        Ok(())
    }
}

impl Head {
    fn of(headers: &[Header<'_>]) -> Result<Self, BodyFault> {
        let value = |wanted: HeaderName| {
            let mut named = headers.iter();
            let found = named.find(|header| header.name.eq_ignore_ascii_case(wanted.as_str()));
            found.map(|header| header.value)
        };
        let disposition = value(CONTENT_DISPOSITION)
            .ok_or(BodyFault::Malformed("a part has no `Content-Disposition`"))?;
        let content_type = value(CONTENT_TYPE);
        Ok(Self {
            disposition: Disposition::parse(disposition).map_err(BodyFault::Malformed)?,
            content_type: content_type.map(|text| String::from_utf8_lossy(text).into_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::pin;

    use bytes::Bytes;
    use futures_util::{StreamExt, stream};
    use http::HeaderMap;
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::{Parts, delimiter};
    use crate::shell::body::BodyTimes;
    use crate::shell::body::frames::Frames;

    /// Of what begins no boundary only the last few bytes are ever copied.
    #[tokio::test]
    async fn a_large_piece_is_given_back_as_it_came() {
        let head = "--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n";
        let large = Bytes::from([vec![b'%'; 200_000], b"\r\n".to_vec()].concat());
        let frames = [Bytes::from(head), large.clone(), large.clone(), Bytes::from("\r\n--b--")];
        let body = stream::iter(frames).map(|piece| Ok::<_, Infallible>(Frame::data(piece)));
        let (body, headers) = (pin!(StreamBody::new(body)), HeaderMap::new());
        let mut frames = Frames::new(body, &headers, BodyTimes::default());
        let delimiter = delimiter("b");
        let mut parts = Parts::new(&mut frames, &delimiter, u64::MAX);
        assert!(matches!(parts.next().await, Ok(Some(_))));
        let mut lengths = Vec::new();
        while let Ok(Some(piece)) = parts.piece().await {
            let is_copied = piece.as_ptr() != large.as_ptr();
            lengths.push((piece.len(), is_copied));
        }
        assert_eq!(lengths, [(200_000, false), (2, true), (200_000, false), (2, true)]);
    }
}
