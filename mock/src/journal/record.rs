//! One call as it is recorded, and how it is written into the ring.

use std::borrow::Cow;
use std::net::IpAddr;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::masked::{self, fingerprint};
use crate::fault::Strike;
use crate::message::call::{Body, Call, Head, Part};
use crate::message::content::{Content, ContentPlace};
use crate::message::response::{Response, ResponseBody, Transport};
use crate::value::limits::{
    JOURNAL_ANSWER_MAX, JOURNAL_BODY_TEXT_MAX, JOURNAL_PARTS_MAX, JOURNAL_TEXT_MAX,
};

/// One call as it is recorded; texts are cut at [`JOURNAL_TEXT_MAX`] bytes, a body at
/// [`JOURNAL_BODY_TEXT_MAX`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    /// Number of the call.
    pub(crate) serial: u64,
    /// The world's time when it was admitted, or refused.
    pub(crate) at: Timestamp,
    /// The world's time when its body had been read.
    pub(crate) read_at: Timestamp,
    /// As sent.
    pub(crate) head: &'a Head<'a>,
    /// As read; `None` where it was not.
    pub(crate) body: Option<&'a Body>,
    /// The route, where there is one.
    pub(crate) operation: Option<Operation>,
    /// Index of the caller's application, where it is known.
    pub(crate) application: Option<u32>,
    /// The answer.
    pub(crate) response: &'a Response,
    /// What changed, a line each.
    pub(crate) changes: &'a str,
    /// The kind of the fault that struck it.
    pub(crate) fault: Option<&'a str>,
}

impl<'a> Record<'a> {
    /// An answered call, with what it changed and the fault that struck it.
    pub(crate) fn of(
        now: Timestamp,
        call: &'a Call<'a>,
        response: &'a Response,
        changes: &'a str,
        fault: Option<&'a Strike>,
    ) -> Self {
        let Call { head, admitted, body, fetched: _ } = call;
        Self {
            serial: admitted.serial,
            at: admitted.at,
            read_at: now,
            head,
            body: Some(body),
            operation: Some(admitted.operation),
            application: admitted.principal.map(|principal| principal.application),
            response,
            changes,
            fault: fault.map(|strike| strike.kind().as_str()),
        }
    }
}

/// Where there is no stage or operation.
pub(super) const NONE: u8 = u8::MAX;

/// What a text that may be absent begins with: no text, a text, or bytes in which secrets may be.
pub(super) const NOTHING: u8 = 0;
pub(super) const TEXT: u8 = 1;
pub(super) const AS_SENT: u8 = 2;

/// Bits that say what follows, so that most calls take no more bytes.
pub(super) const FOLLOWS_LISTED: u8 = 1;
pub(super) const FOLLOWS_RETRY_AFTER: u8 = 2;
pub(super) const FOLLOWS_READING: u8 = 4;
pub(super) const FOLLOWS_DELAY: u8 = 8;
pub(super) const FOLLOWS_SLOWNESS: u8 = 16;

pub(super) fn write(record: &Record<'_>, out: &mut Vec<u8>) {
    let Record { head, response, .. } = record;
    let client = match head.client {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    let refused = response.refused.as_deref();
    out.extend_from_slice(&record.serial.to_be_bytes());
    out.extend_from_slice(&record.at.as_nanosecond().to_be_bytes());
    out.extend_from_slice(&client.octets());
    out.extend_from_slice(&response.status.as_u16().to_be_bytes());
    out.extend_from_slice(&record.application.unwrap_or(u32::MAX).to_be_bytes());
    out.push(record.operation.map_or(NONE, |operation| operation as u8));
    out.push(refused.map_or(NONE, |refused| refused.stage as u8));
    out.extend_from_slice(&credential(head.headers).to_be_bytes());
    out.extend_from_slice(&length(&response.body).to_be_bytes());
    let retry_after = retry_after(response);
    let (reading, (delay, slowness)) = (reading(record), held_up(response));
    let listed = response.page.map(|listed| [listed.page, listed.pages]);
    let follow: [(u8, Option<&[u64]>); 5] = [
        (FOLLOWS_LISTED, listed.as_ref().map(<[u64; 2]>::as_slice)),
        (FOLLOWS_RETRY_AFTER, retry_after.as_ref().map(std::slice::from_ref)),
        (FOLLOWS_READING, reading.as_ref().map(std::slice::from_ref)),
        (FOLLOWS_DELAY, delay.as_ref().map(std::slice::from_ref)),
        (FOLLOWS_SLOWNESS, slowness.as_ref().map(std::slice::from_ref)),
    ];
    out.push(follow.iter().filter(|(_, numbers)| numbers.is_some()).map(|(bit, _)| bit).sum());
    for number in follow.iter().filter_map(|(_, numbers)| *numbers).flatten() {
        out.extend_from_slice(&number.to_be_bytes());
    }
    write_text(head.method.as_str(), out);
    write_text(head.path, out);
    write_text(&head.query.map_or(Cow::Borrowed(""), masked::form), out);
    write_text(header(head.headers), out);
    write_text(answered_type(response), out);
    write_text(refused.map_or("", |refused| &refused.problem), out);
    write_text(refused.map_or("", |refused| &refused.detail), out);
    write_text(record.fault.unwrap_or_default(), out);
    write_text(record.changes, out);
    write_body(record.body, out);
}

/// Seconds of `Retry-After`.
fn retry_after(response: &Response) -> Option<u64> {
    let found = response.headers.iter().find(|(name, _)| *name == RETRY_AFTER);
    found.and_then(|(_, value)| value.to_str().ok()?.parse().ok())
}

/// 0 where there is none.
fn credential(headers: &HeaderMap) -> u64 {
    let value = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
    value.map_or(0, |value| {
        let secret =
            value.iter().position(|byte| *byte == b' ').map_or(value, |at| &value[at + 1..]);
        fingerprint(secret).max(1)
    })
}

fn length(body: &ResponseBody) -> u64 {
    match body {
        ResponseBody::Bytes(bytes) => bytes.len() as u64,
        ResponseBody::Content(content) => content.length,
    }
}

fn header(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn answered_type(response: &Response) -> &str {
    let found = response.headers.iter().find(|(name, _)| *name == CONTENT_TYPE);
    found.and_then(|(_, value)| value.to_str().ok()).unwrap_or_default()
}

/// Microseconds that reading its body took; none in a time that stands still.
fn reading(record: &Record<'_>) -> Option<u64> {
    let took = record.read_at.duration_since(record.at).as_micros();
    u64::try_from(took).ok().filter(|took| *took > 0)
}

/// Milliseconds that a fault delays the answer, and that it stretches its body.
fn held_up(response: &Response) -> (Option<u64>, Option<u64>) {
    match response.transport {
        Some(Transport::Delay { milliseconds }) => (Some(milliseconds), None),
        Some(Transport::SlowBody { milliseconds }) => (None, Some(milliseconds)),
        Some(Transport::Truncate | Transport::ResetBefore | Transport::ResetDuring) | None => {
            (None, None)
        }
    }
}

/// The body of the answer as it is kept: the very bytes, unless there are too many. A stored document is
/// not kept.
pub(super) fn answer(record: &Record<'_>) -> Bytes {
    match &record.response.body {
        ResponseBody::Bytes(bytes) if bytes.len() <= JOURNAL_ANSWER_MAX => bytes.clone(),
        ResponseBody::Bytes(_) | ResponseBody::Content(_) => Bytes::new(),
    }
}

/// Length and text; then the number of parts, and of each its name, file name, length and text.
fn write_body(body: Option<&Body>, out: &mut Vec<u8>) {
    let (length, whole, parts): (u64, Option<&Bytes>, &[_]) = match body {
        None | Some(Body::Empty | Body::Broken(_)) => (0, None, &[]),
        Some(Body::Whole(bytes)) => (bytes.len() as u64, Some(bytes), &[]),
        Some(Body::Multipart(parts)) => {
            (parts.iter().map(|part| part.content.length).sum(), None, parts.as_slice())
        }
    };
    let shown = &parts[..parts.len().min(JOURNAL_PARTS_MAX)];
    out.extend_from_slice(&length.to_be_bytes());
    match whole {
        // Secrets are looked for when it is read. Of a longer one this is cut, and so done before.
        Some(bytes) if bytes.len() <= JOURNAL_BODY_TEXT_MAX => {
            out.push(AS_SENT);
            write_bytes(bytes, out);
        }
        whole => {
            let text = whole.and_then(|bytes| masked::body(bytes));
            write_optional(text.as_deref(), JOURNAL_BODY_TEXT_MAX, out);
        }
    }
    out.push(u8::try_from(shown.len()).unwrap_or(u8::MAX));
    for part in shown {
        write_text(&part.name, out);
        write_optional(part.file_name.as_deref(), JOURNAL_TEXT_MAX, out);
        write_text(part.content_type.as_deref().unwrap_or_default(), out);
        out.extend_from_slice(&part.content.length.to_be_bytes());
        match text_of(part) {
            Some(bytes) if bytes.len() <= JOURNAL_TEXT_MAX => {
                out.push(AS_SENT);
                write_bytes(bytes, out);
            }
            text => {
                let text = text.and_then(|bytes| masked::field(&part.name, bytes));
                write_optional(text.as_deref(), JOURNAL_TEXT_MAX, out);
            }
        }
    }
}

/// The text of a part that is no file.
fn text_of(part: &Part) -> Option<&Bytes> {
    let Part { file_name: None, content: Content { place, .. }, .. } = part else { return None };
    match place {
        ContentPlace::Memory(bytes) => Some(bytes),
        ContentPlace::File { .. } | ContentPlace::Apart => None,
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_cut(text, JOURNAL_TEXT_MAX, out);
}

/// A byte says whether there is one.
fn write_optional(text: Option<&str>, bytes_max: usize, out: &mut Vec<u8>) {
    out.push(if text.is_some() { TEXT } else { NOTHING });
    if let Some(text) = text {
        write_cut(text, bytes_max, out);
    }
}

fn write_cut(text: &str, bytes_max: usize, out: &mut Vec<u8>) {
    write_bytes(cut(text, bytes_max).as_bytes(), out);
}

/// Of a text as many bytes at most.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(bytes);
}
