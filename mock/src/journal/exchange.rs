//! One call as it is read from the ring, and which calls are asked for.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use bytes::Bytes;
use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use serde::Serialize;

use super::masked;
use super::record::{
    AS_SENT, FOLLOWS_DELAY, FOLLOWS_LISTED, FOLLOWS_READING, FOLLOWS_RETRY_AFTER, FOLLOWS_SLOWNESS,
    NONE, TEXT, cut,
};
use crate::message::response::Stage;
use crate::value::limits::{JOURNAL_BODY_TEXT_MAX, JOURNAL_TEXT_MAX};

/// One call as it is read. Shape: a member of `exchanges`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Exchange {
    pub(crate) serial: u64,
    pub(crate) at: String,
    pub(crate) client: IpAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) operation: Option<Operation>,
    /// Filled in by whoever knows the applications.
    pub(crate) application: Option<String>,
    #[serde(skip)]
    pub(crate) application_index: Option<u32>,
    pub(crate) request: Sent,
    pub(crate) status: u16,
    pub(crate) response: Told,
    pub(crate) problem: Option<String>,
    /// Why it was refused, and what would have worked.
    pub(crate) detail: Option<String>,
    /// `served`, or the rule that refused it.
    pub(crate) decision: &'static str,
    /// The rules that it passed, in the order asked.
    pub(crate) passed: Vec<&'static str>,
    /// What it changed.
    pub(crate) changes: Vec<String>,
    /// The kind of the fault that struck it; then the client may have seen something else.
    pub(crate) fault: Option<String>,
    /// How long it took.
    #[serde(skip)]
    pub(crate) timing: Timing,
    /// The body that it was answered with; empty where it is not kept.
    #[serde(skip)]
    pub(crate) answer: Bytes,
}

/// How long a call took, as far as the world's time and the fault that struck it tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    /// Its body was read in so many microseconds of the world's time.
    pub(crate) reading_microseconds: u64,
    /// A fault delayed the answer by so many milliseconds.
    pub(crate) delay_milliseconds: u64,
    /// A fault stretched its body to so many milliseconds.
    pub(crate) slowness_milliseconds: u64,
}

/// What a call carried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Sent {
    /// Fingerprint of the credential: equal ones are equal.
    pub(crate) authorization: Option<String>,
    pub(crate) content_type: Option<String>,
    /// Bytes of the body, of the parts of a form together.
    pub(crate) length: u64,
    /// A body that is no form of parts, cut, with fingerprints for its secrets.
    pub(crate) text: Option<String>,
    pub(crate) parts: Vec<SentPart>,
}

/// A part of a form; of a file without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SentPart {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) length: u64,
    /// Of a part that is no file, cut.
    pub(crate) text: Option<String>,
}

/// What it was answered with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Told {
    pub(crate) content_type: Option<String>,
    pub(crate) length: u64,
    /// Of a list: which page, and of how many.
    pub(crate) page: Option<u64>,
    pub(crate) pages: Option<u64>,
    /// `Retry-After`, where it was told.
    pub(crate) retry_after_seconds: Option<u64>,
}

impl Exchange {
    /// The same, with the body that it was answered with, in which a token is a secret.
    pub(super) fn answered_with(self, body: Bytes) -> Self {
        let answer = match self.operation {
            Some(Operation::CreateAccessToken) => {
                masked::body(&body).map_or(Bytes::new(), |text| text.into_owned().into())
            }
            Some(_) | None => body,
        };
        Self { answer, ..self }
    }
}

pub(super) fn read(bytes: &[u8]) -> Option<Exchange> {
    let (serial, bytes) = bytes.split_first_chunk::<8>()?;
    let (at, bytes) = bytes.split_first_chunk::<16>()?;
    let (client, bytes) = bytes.split_first_chunk::<16>()?;
    let (status, bytes) = bytes.split_first_chunk::<2>()?;
    let (application, bytes) = bytes.split_first_chunk::<4>()?;
    let (&[operation, stage], bytes) = bytes.split_first_chunk::<2>()?;
    let (credential, bytes) = bytes.split_first_chunk::<8>()?;
    let (answered, bytes) = bytes.split_first_chunk::<8>()?;
    let (&[follow], bytes) = bytes.split_first_chunk::<1>()?;
    let (page, bytes) = read_number(follow, FOLLOWS_LISTED, bytes)?;
    let (pages, bytes) = read_number(follow, FOLLOWS_LISTED, bytes)?;
    let (retry_after_seconds, bytes) = read_number(follow, FOLLOWS_RETRY_AFTER, bytes)?;
    let (reading, bytes) = read_number(follow, FOLLOWS_READING, bytes)?;
    let (delay, bytes) = read_number(follow, FOLLOWS_DELAY, bytes)?;
    let (slowness, bytes) = read_number(follow, FOLLOWS_SLOWNESS, bytes)?;
    let (method, bytes) = read_text(bytes)?;
    let (path, bytes) = read_text(bytes)?;
    let (query, bytes) = read_text(bytes)?;
    let (content_type, bytes) = read_text(bytes)?;
    let (answered_type, bytes) = read_text(bytes)?;
    let (problem, bytes) = read_text(bytes)?;
    let (detail, bytes) = read_text(bytes)?;
    let (fault, bytes) = read_text(bytes)?;
    let (changes, bytes) = read_text(bytes)?;
    let (length, text, parts) = read_body(bytes)?;
    let stage = (stage != NONE).then(|| Stage::ALL.get(usize::from(stage))).flatten();
    let application = u32::from_be_bytes(*application);
    let credential = u64::from_be_bytes(*credential);
    Some(Exchange {
        serial: u64::from_be_bytes(*serial),
        at: Timestamp::from_nanosecond(i128::from_be_bytes(*at)).ok()?.to_string(),
        client: IpAddr::V6(Ipv6Addr::from(*client)).to_canonical(),
        method,
        path,
        query: present(query),
        operation: Operation::ALL.get(usize::from(operation)).copied(),
        application: None,
        application_index: (application != u32::MAX).then_some(application),
        request: Sent {
            authorization: (credential != 0).then(|| masked::shown(credential)),
            content_type: present(content_type),
            length,
            text,
            parts,
        },
        status: u16::from_be_bytes(*status),
        response: Told {
            content_type: present(answered_type),
            length: u64::from_be_bytes(*answered),
            page,
            pages,
            retry_after_seconds,
        },
        problem: stage.map(|_| problem),
        detail: present(detail),
        decision: stage.map_or("served", |stage| stage.as_str()),
        passed: Stage::ALL
            .iter()
            .take_while(|passed| stage.is_none_or(|stage| *passed < stage))
            .map(|passed| passed.as_str())
            .collect(),
        changes: changes.lines().map(str::to_owned).collect(),
        fault: present(fault),
        timing: Timing {
            reading_microseconds: reading.unwrap_or_default(),
            delay_milliseconds: delay.unwrap_or_default(),
            slowness_milliseconds: slowness.unwrap_or_default(),
        },
        answer: Bytes::new(),
    })
}

type ReadBody = (u64, Option<String>, Vec<SentPart>);

fn read_body(bytes: &[u8]) -> Option<ReadBody> {
    let (length, bytes) = bytes.split_first_chunk::<8>()?;
    let (text, bytes) = read_masked(bytes, JOURNAL_BODY_TEXT_MAX, masked::body)?;
    let (&[count], mut bytes) = bytes.split_first_chunk::<1>()?;
    let mut parts = Vec::with_capacity(count.into());
    for _ in 0..count {
        let (name, rest) = read_text(bytes)?;
        let (file_name, rest) = read_optional(rest)?;
        let (content_type, rest) = read_text(rest)?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let masked = |sent| masked::field(&name, sent);
        let (text, rest) = read_masked(rest, JOURNAL_TEXT_MAX, masked)?;
        bytes = rest;
        parts.push(SentPart {
            name,
            file_name,
            content_type: present(content_type),
            length: u64::from_be_bytes(*length),
            text,
        });
    }
    Some((u64::from_be_bytes(*length), text, parts))
}

/// The next number, if `follow` says that there is one.
fn read_number(follow: u8, bit: u8, bytes: &[u8]) -> Option<(Option<u64>, &[u8])> {
    if follow & bit == 0 {
        return Some((None, bytes));
    }
    let (number, bytes) = bytes.split_first_chunk::<8>()?;
    Some((Some(u64::from_be_bytes(*number)), bytes))
}

fn read_optional(bytes: &[u8]) -> Option<(Option<String>, &[u8])> {
    let (&[kind], bytes) = bytes.split_first_chunk::<1>()?;
    match kind {
        TEXT => read_text(bytes).map(|(text, bytes)| (Some(text), bytes)),
        _ => Some((None, bytes)),
    }
}

/// What may have been kept as it was sent, `masked` and cut.
fn read_masked<'b>(
    bytes: &'b [u8],
    bytes_max: usize,
    masked: impl Fn(&'b [u8]) -> Option<Cow<'b, str>>,
) -> Option<(Option<String>, &'b [u8])> {
    match bytes.split_first() {
        Some((&AS_SENT, bytes)) => {
            let (sent, bytes) = read_bytes(bytes)?;
            Some((masked(sent).map(|text| cut(&text, bytes_max).to_owned()), bytes))
        }
        Some(_) | None => read_optional(bytes),
    }
}

fn present(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn read_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (text, bytes) = read_bytes(bytes)?;
    Some((std::str::from_utf8(text).ok()?.to_owned(), bytes))
}

fn read_bytes(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, bytes) = bytes.split_first_chunk::<2>()?;
    bytes.split_at_checked(u16::from_be_bytes(*length).into())
}
