//! A session as a HAR 1.2 file. Values that HAR does not define are in `_moot`.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};

use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};
use crate::masks::Masks;
use crate::recording::redact::Redactor;
use crate::recording::session_record::{DestinationRow, RecordedAnswer};

/// A file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Har {
    pub(crate) log: HarLog,
}

/// `log`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HarLog {
    pub(crate) version: String,
    pub(crate) creator: HarCreator,
    pub(crate) entries: Vec<HarEntry>,
    #[serde(rename = "_moot")]
    pub(crate) moot: HarSession,
}

/// The program that wrote the file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HarCreator {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The answers of a session apart from exchanges.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HarSession {
    pub(crate) scenario: String,
    pub(crate) started_seconds: i64,
    #[serde(rename = "venue")]
    pub(crate) destination: DestinationRow,
    pub(crate) calls: Vec<RecordedAnswer>,
}

/// An exchange.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HarEntry {
    started_date_time: String,
    time: f64,
    request: HarRequest,
    response: HarResponse,
    cache: HarEmpty,
    timings: HarTimings,
    #[serde(rename = "_moot")]
    moot: HarMootEntry,
}

#[derive(Debug, Serialize, Deserialize)]
struct HarEmpty {}

#[derive(Debug, Serialize, Deserialize)]
struct HarTimings {
    send: f64,
    wait: f64,
    receive: f64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    http_version: String,
    cookies: Vec<HarEmpty>,
    headers: Vec<HarHeader>,
    query_string: Vec<HarHeader>,
    headers_size: i64,
    body_size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    post_data: Option<HarPostData>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarPostData {
    mime_type: String,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarResponse {
    /// 0 if there was no answer.
    status: u16,
    status_text: String,
    http_version: String,
    cookies: Vec<HarEmpty>,
    headers: Vec<HarHeader>,
    content: HarContent,
    #[serde(rename = "redirectURL")]
    redirect_url: String,
    headers_size: i64,
    body_size: i64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarContent {
    size: usize,
    mime_type: String,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct HarHeader {
    name: String,
    value: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct HarMootEntry {
    number: u64,
    path: String,
    operation: Option<String>,
    curl: String,
    sent_at_seconds: i64,
    is_cut: bool,
    trouble: Option<Trouble>,
    peer: Option<std::net::SocketAddr>,
}

const HTTP: &str = "HTTP/1.1";
const BASE64: &str = "base64";
/// HAR's value for unknown sizes.
const UNKNOWN: i64 = -1;

impl HarEntry {
    /// An exchange without secrets. Its request was masked when it was sent.
    pub(crate) fn of(exchange: &Exchange, redactor: &mut Redactor) -> Self {
        let milliseconds = exchange.duration.as_secs_f64() * 1000.0;
        let started = jiff::Timestamp::from_second(exchange.sent_at_seconds);
        Self {
            started_date_time: started.map_or_else(|_| String::new(), |at| at.to_string()),
            time: milliseconds,
            request: HarRequest::of(&exchange.request, redactor),
            response: HarResponse::of(exchange.outcome.as_ref().ok(), redactor),
            cache: HarEmpty {},
            timings: HarTimings { send: 0.0, wait: milliseconds, receive: 0.0 },
            moot: HarMootEntry {
                number: exchange.number,
                path: redactor.text(&exchange.request.path),
                operation: exchange.request.operation.map(|it| it.as_str().to_owned()),
                curl: redactor.text(&exchange.request.curl),
                sent_at_seconds: exchange.sent_at_seconds,
                is_cut: exchange.outcome.as_ref().is_ok_and(|response| response.is_cut),
                trouble: exchange.outcome.as_ref().err().map(|trouble| redactor.trouble(trouble)),
                peer: exchange.peer,
            },
        }
    }

    /// Converts an entry back to an exchange.
    ///
    /// # Errors
    /// What is wrong with the entry.
    pub(crate) fn exchange(self, masks: &Arc<Masks>) -> Result<Exchange, String> {
        let Self { time, request, response, moot, .. } = self;
        let operation = moot.operation.as_deref().and_then(|name| {
            Operation::ALL.into_iter().find(|operation| operation.as_str() == name)
        });
        let outcome = match moot.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(response.received(moot.is_cut)?),
        };
        let duration = Duration::try_from_secs_f64(time / 1000.0).map_err(|e| e.to_string())?;
        Ok(Exchange {
            number: moot.number,
            request: SentRequest {
                method: request.method,
                url: request.url,
                path: moot.path,
                operation,
                headers: pairs(request.headers),
                body_shown: request.post_data.map_or_else(String::new, |data| data.text),
                body_length: request.body_size,
                curl: moot.curl,
            },
            outcome,
            sent_at_seconds: moot.sent_at_seconds,
            duration,
            peer: moot.peer,
            masks: Arc::clone(masks),
        })
    }
}

impl HarRequest {
    fn of(sent: &SentRequest, redactor: &mut Redactor) -> Self {
        let headers = headers(&sent.headers, redactor);
        let post_data = (!sent.body_shown.is_empty()).then(|| HarPostData {
            mime_type: media_type(&headers),
            text: redactor.text(&sent.body_shown),
        });
        let query = url::Url::parse(&sent.url).ok();
        let query = query.iter().flat_map(url::Url::query_pairs);
        Self {
            method: sent.method.clone(),
            url: redactor.text(&sent.url),
            http_version: HTTP.to_owned(),
            cookies: Vec::new(),
            query_string: query
                .map(|(name, value)| HarHeader {
                    name: redactor.text(&name),
                    value: redactor.text(&value),
                })
                .collect(),
            headers,
            headers_size: UNKNOWN,
            body_size: sent.body_length,
            post_data,
        }
    }
}

impl HarResponse {
    fn of(received: Option<&ReceivedResponse>, redactor: &mut Redactor) -> Self {
        let headers = received.map(|it| headers(&it.headers, redactor)).unwrap_or_default();
        let body = redactor.bytes(received.map_or(&[][..], |it| &it.body));
        let size = body.len();
        let (text, encoding) = match String::from_utf8(body) {
            Ok(text) => (text, None),
            Err(error) => (BASE64_STANDARD.encode(error.as_bytes()), Some(BASE64.to_owned())),
        };
        Self {
            status: received.map_or(0, |it| it.status),
            status_text: String::new(),
            http_version: HTTP.to_owned(),
            cookies: Vec::new(),
            content: HarContent { size, mime_type: media_type(&headers), text, encoding },
            redirect_url: String::new(),
            headers,
            headers_size: UNKNOWN,
            body_size: UNKNOWN,
        }
    }

    fn received(self, is_cut: bool) -> Result<ReceivedResponse, String> {
        let text = self.content.text;
        let body = match self.content.encoding.as_deref() {
            None => Bytes::from(text),
            Some(BASE64) => {
                let decoded = BASE64_STANDARD.decode(text);
                Bytes::from(decoded.map_err(|error| format!("a body is not base64: {error}"))?)
            }
            Some(other) => return Err(format!("a body is encoded as `{other}`, not base64")),
        };
        let json = match is_cut {
            true => None,
            false => serde_json::from_slice(&body).ok().map(Arc::new),
        };
        Ok(ReceivedResponse {
            status: self.status,
            headers: pairs(self.headers),
            body,
            json,
            is_cut,
        })
    }
}

fn headers(pairs: &[(String, String)], redactor: &mut Redactor) -> Vec<HarHeader> {
    pairs
        .iter()
        .map(|(name, value)| HarHeader { name: redactor.text(name), value: redactor.text(value) })
        .collect()
}

fn pairs(headers: Vec<HarHeader>) -> Vec<(String, String)> {
    headers.into_iter().map(|header| (header.name, header.value)).collect()
}

fn media_type(headers: &[HarHeader]) -> String {
    let found = headers.iter().find(|header| header.name == "content-type");
    found.map_or_else(String::new, |header| header.value.clone())
}
