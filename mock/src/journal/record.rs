//! One call as it is recorded, and how it is written into the ring.

use std::borrow::Cow;
use std::hash::Hasher;
use std::net::IpAddr;

use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use siphasher::sip::SipHasher13;

use crate::call::{Body, Head};
use crate::limits::{JOURNAL_PARTS_MAX, JOURNAL_TEXT_MAX};
use crate::response::{Response, ResponseBody};

/// One call as it is recorded; texts are cut at [`JOURNAL_TEXT_MAX`] bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    /// Number of the call.
    pub(crate) serial: u64,
    /// The world's time.
    pub(crate) at: Timestamp,
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

/// Where there is no stage or operation.
pub(super) const NONE: u8 = u8::MAX;
/// Names of parameters whose values are secrets.
const SECRET_NAMES: [&str; 3] = ["token", "secret", "password"];

/// What a secret is shown as: equal secrets are equal, and nothing leads back.
fn fingerprint(secret: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(secret);
    hasher.finish()
}

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
    // One byte says which of both follow, so that most calls take no more.
    out.push(u8::from(response.listed.is_some()) | u8::from(retry_after.is_some()) << 1);
    if let Some(listed) = response.listed {
        out.extend_from_slice(&listed.page.to_be_bytes());
        out.extend_from_slice(&listed.pages.to_be_bytes());
    }
    if let Some(seconds) = retry_after {
        out.extend_from_slice(&seconds.to_be_bytes());
    }
    write_text(head.method.as_str(), out);
    write_text(head.path, out);
    write_text(&head.query.map_or(Cow::Borrowed(""), masked), out);
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

/// A query without its secrets; as it is where it has none.
fn masked(query: &str) -> Cow<'_, str> {
    if !names_secret(query) {
        return Cow::Borrowed(query);
    }
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if names_secret(name) => {
            format!("{name}=fingerprint:{:016x}", fingerprint(value.as_bytes()))
        }
        Some(_) | None => pair.to_owned(),
    });
    Cow::Owned(pairs.collect::<Vec<_>>().join("&"))
}

fn names_secret(text: &str) -> bool {
    let is_in = |name: &str| {
        text.as_bytes().windows(name.len()).any(|at| at.eq_ignore_ascii_case(name.as_bytes()))
    };
    SECRET_NAMES.into_iter().any(is_in)
}

/// Length; then the number of parts, and of each its name, file name and length.
fn write_body(body: Option<&Body>, out: &mut Vec<u8>) {
    let (length, parts): (u64, &[_]) = match body {
        None | Some(Body::Empty | Body::Broken(_)) => (0, &[]),
        Some(Body::Whole(bytes)) => (bytes.len() as u64, &[]),
        Some(Body::Multipart(parts)) => {
            (parts.iter().map(|part| part.content.length).sum(), parts.as_slice())
        }
    };
    let shown = &parts[..parts.len().min(JOURNAL_PARTS_MAX)];
    out.extend_from_slice(&length.to_be_bytes());
    out.push(u8::try_from(shown.len()).unwrap_or(u8::MAX));
    for part in shown {
        write_text(&part.name, out);
        out.push(u8::from(part.file_name.is_some()));
        write_text(part.file_name.as_deref().unwrap_or_default(), out);
        write_text(part.content_type.as_deref().unwrap_or_default(), out);
        out.extend_from_slice(&part.content.length.to_be_bytes());
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    let cut = &text[..text.floor_char_boundary(JOURNAL_TEXT_MAX)];
    out.extend_from_slice(&u16::try_from(cut.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(cut.as_bytes());
}
