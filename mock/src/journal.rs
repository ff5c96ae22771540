//! What clients sent and what they were told: one bounded ring of bytes.
//!
//! Recording a call allocates nothing once the ring has grown; bodies and secrets are never kept.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr};

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use serde::Serialize;

use crate::limits::{JOURNAL_BYTES_MAX, JOURNAL_ENTRIES_MAX, JOURNAL_TEXT_MAX};
use crate::response::Stage;

/// One call as it is recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    /// Number of the call.
    pub(crate) serial: u64,
    /// The world's time.
    pub(crate) at: Timestamp,
    /// Who called.
    pub(crate) client: IpAddr,
    /// As sent.
    pub(crate) method: &'a str,
    /// As sent, without query; cut at [`JOURNAL_TEXT_MAX`] bytes.
    pub(crate) path: &'a str,
    /// The route, where there is one.
    pub(crate) operation: Option<Operation>,
    /// Index of the caller's application, where it is known.
    pub(crate) application: Option<u32>,
    /// HTTP status of the answer.
    pub(crate) status: u16,
    /// Which rule refused it, and the problem's type.
    pub(crate) refused: Option<(Stage, &'a str)>,
    /// The kind of the fault that struck it.
    pub(crate) fault: Option<&'a str>,
}

/// One call as it is read. Shape: a member of `exchanges`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Exchange {
    pub(crate) serial: u64,
    pub(crate) at: String,
    pub(crate) client: IpAddr,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) operation: Option<Operation>,
    /// Filled in by whoever knows the applications.
    pub(crate) application: Option<String>,
    #[serde(skip)]
    pub(crate) application_index: Option<u32>,
    pub(crate) status: u16,
    pub(crate) problem: Option<String>,
    /// `served`, or the rule that refused it.
    pub(crate) decision: &'static str,
    /// The kind of the fault that struck it; then the client may have seen something else.
    pub(crate) fault: Option<String>,
}

/// The ring. The oldest entries go first.
#[derive(Debug, Default)]
pub(crate) struct Journal(Mutex<Ring>);

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    entries: usize,
    /// The entry being written; kept for its capacity.
    scratch: Vec<u8>,
}

const NONE: u8 = u8::MAX;
const LENGTH_BYTES: usize = 2;

impl Journal {
    /// Keeps a call.
    pub(crate) fn record(&self, record: &Record<'_>) {
        let ring = &mut *self.0.lock();
        ring.scratch.clear();
        write(record, &mut ring.scratch);
        let length = u16::try_from(ring.scratch.len()).unwrap_or(u16::MAX);
        while ring.entries >= JOURNAL_ENTRIES_MAX
            || ring.bytes.len() + LENGTH_BYTES + ring.scratch.len() > JOURNAL_BYTES_MAX
        {
            ring.forget_oldest();
        }
        ring.bytes.extend(&length.to_be_bytes());
        ring.bytes.extend(&ring.scratch);
        ring.entries += 1;
    }

    /// The newest `limit` calls, the oldest of them first.
    pub(crate) fn newest(&self, limit: usize) -> Vec<Exchange> {
        let ring = &mut *self.0.lock();
        let skipped = ring.entries.saturating_sub(limit);
        let mut rest: &[u8] = ring.bytes.make_contiguous();
        let mut exchanges = Vec::with_capacity(limit.min(ring.entries));
        for entry in 0..ring.entries {
            let Some((length, after)) = rest.split_first_chunk::<LENGTH_BYTES>() else { break };
            let (bytes, after) = after.split_at(u16::from_be_bytes(*length).into());
            rest = after;
            if entry >= skipped {
                exchanges.extend(read(bytes));
            }
        }
        exchanges
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        let ring = &mut *self.0.lock();
        ring.bytes.clear();
        ring.entries = 0;
    }
}

impl Ring {
    fn forget_oldest(&mut self) {
        let length = [self.bytes[0], self.bytes[1]];
        self.bytes.drain(..LENGTH_BYTES + usize::from(u16::from_be_bytes(length)));
        self.entries -= 1;
    }
}

fn write(record: &Record<'_>, out: &mut Vec<u8>) {
    let client = match record.client {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    out.extend_from_slice(&record.serial.to_be_bytes());
    out.extend_from_slice(&record.at.as_nanosecond().to_be_bytes());
    out.extend_from_slice(&client.octets());
    out.extend_from_slice(&record.status.to_be_bytes());
    out.extend_from_slice(&record.application.unwrap_or(u32::MAX).to_be_bytes());
    out.push(record.operation.map_or(NONE, |operation| operation as u8));
    out.push(record.refused.map_or(NONE, |(stage, _)| stage as u8));
    write_text(record.method, out);
    write_text(record.path, out);
    write_text(record.refused.map_or("", |(_, problem)| problem), out);
    write_text(record.fault.unwrap_or_default(), out);
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    let cut = &text[..text.floor_char_boundary(JOURNAL_TEXT_MAX)];
    out.extend_from_slice(&u16::try_from(cut.len()).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(cut.as_bytes());
}

fn read(bytes: &[u8]) -> Option<Exchange> {
    let (serial, bytes) = bytes.split_first_chunk::<8>()?;
    let (at, bytes) = bytes.split_first_chunk::<16>()?;
    let (client, bytes) = bytes.split_first_chunk::<16>()?;
    let (status, bytes) = bytes.split_first_chunk::<2>()?;
    let (application, bytes) = bytes.split_first_chunk::<4>()?;
    let (&[operation, stage], bytes) = bytes.split_first_chunk::<2>()?;
    let (method, bytes) = read_text(bytes)?;
    let (path, bytes) = read_text(bytes)?;
    let (problem, bytes) = read_text(bytes)?;
    let (fault, _) = read_text(bytes)?;
    let stage = Stage::ALL.get(usize::from(stage));
    let application = u32::from_be_bytes(*application);
    Some(Exchange {
        serial: u64::from_be_bytes(*serial),
        at: Timestamp::from_nanosecond(i128::from_be_bytes(*at)).ok()?.to_string(),
        client: IpAddr::V6(Ipv6Addr::from(*client)).to_canonical(),
        method,
        path,
        operation: Operation::ALL.get(usize::from(operation)).copied(),
        application: None,
        application_index: (application != u32::MAX).then_some(application),
        status: u16::from_be_bytes(*status),
        problem: stage.map(|_| problem),
        decision: stage.map_or("served", |stage| stage.as_str()),
        fault: (!fault.is_empty()).then_some(fault),
    })
}

fn read_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (length, bytes) = bytes.split_first_chunk::<2>()?;
    let (text, bytes) = bytes.split_at_checked(u16::from_be_bytes(*length).into())?;
    Some((std::str::from_utf8(text).ok()?.to_owned(), bytes))
}
