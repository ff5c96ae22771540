//! One call and its response, as the journal keeps them.

use std::net::IpAddr;
use std::ops::Range;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, RETRY_AFTER, USER_AGENT};
use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use moot_fixtures::journal::{
    FaultKind, RequestSummary, ResponseSummary, RuleGroup, SentPart, serialize_fault,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use strum::IntoEnumIterator;

use super::masks;
use crate::value::limits::{
    JOURNAL_BODY_TEXT_MAX, JOURNAL_DELIVERIES_MAX, JOURNAL_PARTS_MAX, JOURNAL_RESPONSE_BODY_MAX,
    JOURNAL_TEXT_MAX,
};
use crate::value::message::call::{Body, Head, Part};
use crate::value::message::response::{Response, ResponseBody, TransportFault};
use crate::value::message::wire::WireCall;
use crate::value::timestamp;
use crate::world::fault::AppliedFault;

/// Header of an IETF draft: a client sends the same value when it repeats a call.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// A test sends this header with a call that is wrong on purpose.
const EXPECT_REFUSAL: HeaderName = HeaderName::from_static("x-moot-expect");

/// A call with its response, at the moment it is recorded.
#[derive(Debug, Clone)]
pub(crate) struct Occurrence<'a> {
    /// Number of the call.
    pub(crate) serial: u64,
    /// The world's time when it was admitted, or refused.
    pub(crate) at: Timestamp,
    /// The world's time when its body had been read.
    pub(crate) read_at: Timestamp,
    /// As sent.
    pub(crate) head: &'a Head<'a>,
    /// `None` if it was not read.
    pub(crate) body: Option<&'a Body>,
    /// `None` if there is no route.
    pub(crate) operation: Option<Operation>,
    /// Index of the caller's application, if it is known.
    pub(crate) application: Option<u32>,
    /// The response.
    pub(crate) response: &'a Response,
    /// Its changes and deliveries.
    pub(crate) effects: CallEffects,
    /// The fault that affected it.
    pub(crate) fault: Option<&'a AppliedFault>,
}

/// The effects of a call on its world.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallEffects {
    /// Its changes, in words.
    pub(crate) changes: Vec<String>,
    /// The ids of the deliveries that it queued.
    pub(crate) deliveries: Range<u64>,
}

/// One call and its response. Every text is cut at [`JOURNAL_TEXT_MAX`] bytes, a body at
/// [`JOURNAL_BODY_TEXT_MAX`]; secrets are fingerprints.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct JournalEntry {
    pub(crate) serial: u64,
    pub(crate) at: Timestamp,
    pub(crate) client: IpAddr,
    /// `None` if no socket was involved.
    pub(crate) wire: Option<WireCall>,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) operation: Option<Operation>,
    /// Client id of the caller; the control plane fills it in.
    pub(crate) application: Option<String>,
    #[serde(skip)]
    pub(crate) application_index: Option<u32>,
    pub(crate) request: RequestSummary,
    pub(crate) status: u16,
    pub(crate) response: ResponseSummary,
    pub(crate) problem: Option<String>,
    /// Why it was refused.
    pub(crate) detail: Option<String>,
    /// The group of rules that refused it. Shape: `decision`, see [`Self::decision`], and `passed`: the groups of
    /// rules that it passed, in the order asked.
    #[serde(flatten, serialize_with = "decision_and_passed")]
    pub(crate) refused_by: Option<RuleGroup>,
    /// Its changes, in words.
    pub(crate) changes: Vec<String>,
    /// The ids of the deliveries that it queued.
    pub(crate) deliveries: Vec<u64>,
    /// The effects of the fault that affected it. The client may have received another response than this one.
    #[serde(rename = "fault", serialize_with = "serialize_fault")]
    pub(crate) faults: Vec<FaultKind>,
    #[serde(skip)]
    pub(crate) timing: Timing,
    /// The body of the response. Empty if it is not kept.
    #[serde(skip)]
    pub(crate) response_body: Bytes,
}

/// Duration of a call by the world's clock, and by the fault that affected it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Timing {
    /// Reading its body, in the world's time.
    pub(crate) reading_microseconds: u64,
    /// Delay of the response by a fault.
    pub(crate) delay_milliseconds: u64,
    /// Time over which a fault spread the body of the response.
    pub(crate) slowness_milliseconds: u64,
}

impl JournalEntry {
    /// Masks a call and cuts its texts.
    pub(super) fn of(occurrence: &Occurrence<'_>) -> Self {
        let Occurrence { head, response, operation, .. } = occurrence;
        let refused = response.refused.as_deref();
        Self {
            serial: occurrence.serial,
            at: occurrence.at,
            client: head.client.to_canonical(),
            wire: head.wire.cloned(),
            method: cut(head.method.as_str()),
            path: cut(head.path),
            query: head.query.map(|query| cut(&masks::form(query))).filter(|text| !text.is_empty()),
            operation: *operation,
            application: None,
            application_index: occurrence.application,
            request: request_summary(head.headers, occurrence.body),
            status: response.status.as_u16(),
            response: response_summary(response, occurrence.read_at),
            problem: refused.map(|refused| cut(&refused.problem)),
            detail: refused.map(|refused| cut(&refused.detail)).filter(|text| !text.is_empty()),
            refused_by: refused.map(|refused| refused.rule_group),
            changes: occurrence.effects.changes.clone(),
            deliveries: occurrence
                .effects
                .deliveries
                .clone()
                .take(JOURNAL_DELIVERIES_MAX)
                .collect(),
            faults: occurrence.fault.map(AppliedFault::kinds).unwrap_or_default(),
            timing: Timing::of(occurrence),
            response_body: kept_body(*operation, &response.body),
        }
    }

    /// `served`, or the group of rules that refused it.
    pub(crate) fn decision(&self) -> &'static str {
        decision(self.refused_by)
    }

    /// Bytes of its texts, without the body of the response.
    pub(super) fn text_length(&self) -> usize {
        let Self { request, response, .. } = self;
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let parts = request.parts.iter().map(|part| {
            let texts = [&part.file_name, &part.content_type, &part.text, &part.digest];
            part.name.len() + texts.map(optional).iter().sum::<usize>()
        });
        let texts = [
            &self.query,
            &self.problem,
            &self.detail,
            &request.authorization,
            &request.content_type,
            &request.user_agent,
            &request.idempotency_key,
            &request.text,
            &response.content_type,
        ];
        self.method.len()
            + self.path.len()
            + texts.map(optional).iter().sum::<usize>()
            + parts.sum::<usize>()
            + self.changes.iter().map(String::len).sum::<usize>()
    }
}

fn decision(refused_by: Option<RuleGroup>) -> &'static str {
    refused_by.map_or("served", Into::into)
}

fn decision_and_passed<S: Serializer>(
    refused_by: &Option<RuleGroup>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let passed: Vec<RuleGroup> = RuleGroup::iter()
        .take_while(|rule_group| refused_by.is_none_or(|refused| *rule_group < refused))
        .collect();
    let mut members = serializer.serialize_map(Some(2))?;
    members.serialize_entry("decision", decision(*refused_by))?;
    members.serialize_entry("passed", &passed)?;
    members.end()
}

fn request_summary(headers: &HeaderMap, body: Option<&Body>) -> RequestSummary {
    let (length, text, parts) = match body {
        None | Some(Body::Empty | Body::Broken(_)) => (0, None, Vec::new()),
        Some(Body::Whole(bytes)) => {
            let text = masks::body(bytes);
            let text = text.map(|text| cut_at(&text, JOURNAL_BODY_TEXT_MAX));
            (bytes.len() as u64, text, Vec::new())
        }
        Some(Body::Multipart(parts)) => {
            let length = parts.iter().map(|part| part.content.length).sum();
            let kept = parts.iter().take(JOURNAL_PARTS_MAX);
            (length, None, kept.map(sent_part).collect())
        }
    };
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = header(AUTHORIZATION).and_then(|value| value.split(' ').next());
    RequestSummary {
        authorization: headers.get(AUTHORIZATION).map(|value| credential(value.as_bytes())),
        scheme: scheme.and_then(|sent| sent.parse().ok()),
        credentials: headers.get_all(AUTHORIZATION).iter().count(),
        user_agent: header(USER_AGENT).map(cut),
        idempotency_key: headers.get(IDEMPOTENCY_KEY).map(|key| masks::fingerprint(key.as_bytes())),
        expects_refusal: header(EXPECT_REFUSAL)
            .is_some_and(|value| value.eq_ignore_ascii_case("refused")),
        content_type: header(CONTENT_TYPE).filter(|text| !text.is_empty()).map(cut),
        length,
        text,
        parts,
    }
}

fn sent_part(part: &Part) -> SentPart {
    let bytes = part.content.bytes();
    let (text, digest) = match part.file_name {
        None => (bytes.and_then(|bytes| masks::field(&part.name, bytes)), None),
        Some(_) => (None, bytes.map(|bytes| masks::fingerprint(bytes))),
    };
    SentPart {
        digest,
        name: cut(&part.name),
        file_name: part.file_name.as_deref().map(cut),
        content_type: part.content_type.as_deref().filter(|text| !text.is_empty()).map(cut),
        length: part.content.length,
        text: text.as_deref().map(cut),
    }
}

fn response_summary(response: &Response, now: Timestamp) -> ResponseSummary {
    let header = |wanted: HeaderName| {
        let found = response.headers.iter().find(|(name, _)| *name == wanted);
        found.and_then(|(_, value)| value.to_str().ok())
    };
    ResponseSummary {
        content_type: header(CONTENT_TYPE).filter(|text| !text.is_empty()).map(cut),
        length: match &response.body {
            ResponseBody::Bytes(bytes) => bytes.len() as u64,
            ResponseBody::Content(content) => content.length,
        },
        page: response.page.map(|page| page.current),
        pages: response.page.map(|page| page.pages),
        retry_after_seconds: header(RETRY_AFTER)
            .and_then(|text| text.parse().ok().or_else(|| timestamp::seconds_to(now, text))),
    }
}

impl Timing {
    fn of(occurrence: &Occurrence<'_>) -> Self {
        let reading = occurrence.read_at.duration_since(occurrence.at).as_micros();
        let reading_microseconds = u64::try_from(reading).unwrap_or(0);
        let mut timing = Self { reading_microseconds, ..Self::default() };
        for fault in &occurrence.response.transport {
            match fault {
                TransportFault::Delay { milliseconds } => {
                    timing.delay_milliseconds += milliseconds;
                }
                TransportFault::SlowBody { milliseconds } => {
                    timing.slowness_milliseconds += milliseconds;
                }
                TransportFault::Truncate
                | TransportFault::ResetBefore
                | TransportFault::ResetDuring
                | TransportFault::Close
                | TransportFault::Garbage => {}
            }
        }
        timing
    }
}

/// The fingerprint of an `Authorization` header, without its scheme.
fn credential(value: &[u8]) -> String {
    let secret = value.iter().position(|byte| *byte == b' ').map_or(value, |at| &value[at + 1..]);
    masks::fingerprint(secret)
}

/// The body of a response, unless it is too large or a stored document. Only the token endpoint answers
/// with a secret.
fn kept_body(operation: Option<Operation>, body: &ResponseBody) -> Bytes {
    let bytes = match body {
        ResponseBody::Bytes(bytes) if bytes.len() <= JOURNAL_RESPONSE_BODY_MAX => bytes,
        ResponseBody::Bytes(_) | ResponseBody::Content(_) => return Bytes::new(),
    };
    match operation {
        Some(Operation::CreateAccessToken) => {
            masks::body(bytes).map_or(Bytes::new(), |text| text.into_owned().into())
        }
        Some(_) | None => bytes.clone(),
    }
}

fn cut(text: &str) -> String {
    cut_at(text, JOURNAL_TEXT_MAX)
}

fn cut_at(text: &str, bytes_max: usize) -> String {
    text[..text.floor_char_boundary(bytes_max)].to_owned()
}
