//! A session as a HAR 1.2 file. Values that HAR does not define are in `_moot`. The types have only the members that
//! are read back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::recording::session_record::SessionRecord;
use crate::exchange::masks::{Masks, Secrets};
use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};

/// A HAR file.
#[derive(Debug, Deserialize)]
pub(crate) struct Har {
    pub(crate) log: HarLog,
}

/// `log`.
#[derive(Debug, Deserialize)]
pub(crate) struct HarLog {
    pub(crate) entries: Vec<HarEntry>,
    #[serde(rename = "_moot")]
    pub(crate) moot: SessionRecord,
}

/// An exchange.
#[derive(Debug, Deserialize)]
pub(crate) struct HarEntry {
    time: f64,
    request: HarRequest,
    response: HarResponse,
    #[serde(rename = "_moot")]
    moot: HarMootEntry,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    headers: Vec<HarHeader>,
    body_size: u64,
    post_data: Option<HarContent>,
}

#[derive(Debug, Deserialize)]
struct HarResponse {
    /// 0 if there was no response.
    status: u16,
    headers: Vec<HarHeader>,
    content: HarContent,
}

#[derive(Debug, Deserialize)]
struct HarContent {
    text: String,
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
    digest: Option<String>,
    trouble: Option<Trouble>,
    peer: Option<SocketAddr>,
}

const HTTP: &str = "HTTP/1.1";
const BASE64: &str = "base64";
/// The value of HAR for unknown sizes.
const UNKNOWN: i64 = -1;

/// The file of a session, without secrets.
pub(crate) fn file(mut session: SessionRecord, secrets: &Secrets) -> Value {
    session.mask(secrets);
    let entries: Vec<Value> =
        session.log.exchanges.iter().map(|exchange| entry(exchange, secrets)).collect();
    let creator = json!({ "name": "moot", "version": env!("CARGO_PKG_VERSION") });
    json!({ "log": {
        "version": "1.2",
        "creator": creator,
        "entries": entries,
        "_moot": session,
    } })
}

/// An exchange without secrets. Its request was masked when it was sent.
pub(crate) fn entry(exchange: &Exchange, secrets: &Secrets) -> Value {
    let milliseconds = exchange.duration.as_secs_f64() * 1000.0;
    let started = jiff::Timestamp::from_second(exchange.sent_at_seconds);
    json!({
        "startedDateTime": started.map_or_else(|_| String::new(), |at| at.to_string()),
        "time": milliseconds,
        "request": request(&exchange.request, secrets),
        "response": response(exchange.outcome.as_ref().ok(), secrets),
        "cache": {},
        "timings": { "send": 0.0, "wait": milliseconds, "receive": 0.0 },
        "_moot": HarMootEntry {
            number: exchange.number,
            path: secrets.mask(&exchange.request.path),
            operation: exchange.request.operation.map(|it| it.as_str().to_owned()),
            curl: secrets.mask(&exchange.request.curl),
            sent_at_seconds: exchange.sent_at_seconds,
            is_cut: exchange.outcome.as_ref().is_ok_and(|response| response.is_cut),
            digest: exchange.outcome.as_ref().ok().and_then(|response| response.digest.clone()),
            trouble: exchange.outcome.as_ref().err().map(|trouble| trouble.masked(secrets)),
            peer: exchange.outcome.as_ref().ok().and_then(|response| response.peer),
        },
    })
}

fn request(sent: &SentRequest, secrets: &Secrets) -> Value {
    let headers = headers(&sent.headers, secrets);
    let body = (!sent.body_shown.is_empty()).then(|| secrets.mask(&sent.body_shown));
    let media_type = media_type(&headers);
    let query = url::Url::parse(&sent.url).ok();
    let query = query.iter().flat_map(url::Url::query_pairs);
    let mut request = json!({
        "method": sent.method,
        "url": secrets.mask(&sent.url),
        "httpVersion": HTTP,
        "cookies": [],
        "headers": headers,
        "queryString": query.map(|(name, value)| header(&name, &value, secrets)).collect::<Vec<_>>(),
        "headersSize": UNKNOWN,
        "bodySize": sent.body_length,
    });
    if let Some(text) = body {
        request["postData"] = json!({ "mimeType": media_type, "text": text });
    }
    request
}

fn response(received: Option<&ReceivedResponse>, secrets: &Secrets) -> Value {
    let headers = received.map(|it| headers(&it.headers, secrets)).unwrap_or_default();
    let body = secrets.mask_bytes(received.map_or(&[][..], |it| &it.body));
    let mut content = json!({ "size": body.len(), "mimeType": media_type(&headers) });
    match String::from_utf8(body) {
        Ok(text) => content["text"] = text.into(),
        Err(error) => {
            content["text"] = BASE64_STANDARD.encode(error.as_bytes()).into();
            content["encoding"] = BASE64.into();
        }
    }
    json!({
        "status": received.map_or(0, |it| it.status),
        "statusText": "",
        "httpVersion": HTTP,
        "cookies": [],
        "headers": headers,
        "content": content,
        "redirectURL": "",
        "headersSize": UNKNOWN,
        "bodySize": UNKNOWN,
    })
}

impl HarEntry {
    /// Converts an entry back to an exchange.
    ///
    /// # Errors
    /// The reason why the entry is invalid.
    pub(crate) fn exchange(self, masks: &Arc<Masks>) -> Result<Exchange, String> {
        let Self { time, request, response, moot, .. } = self;
        let operation = moot.operation.as_deref().and_then(Operation::from_text);
        let outcome = match moot.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(response.received(moot.is_cut, moot.digest, moot.peer)?),
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
            masks: Arc::clone(masks),
        })
    }
}

impl HarResponse {
    fn received(
        self,
        is_cut: bool,
        digest: Option<String>,
        peer: Option<SocketAddr>,
    ) -> Result<ReceivedResponse, String> {
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
            digest,
            peer,
        })
    }
}

fn headers(pairs: &[(String, String)], secrets: &Secrets) -> Vec<HarHeader> {
    pairs.iter().map(|(name, value)| header(name, value, secrets)).collect()
}

fn header(name: &str, value: &str, secrets: &Secrets) -> HarHeader {
    HarHeader { name: secrets.mask(name), value: secrets.mask(value) }
}

fn pairs(headers: Vec<HarHeader>) -> Vec<(String, String)> {
    headers.into_iter().map(|header| (header.name, header.value)).collect()
}

fn media_type(headers: &[HarHeader]) -> &str {
    let found = headers.iter().find(|header| header.name == "content-type");
    found.map_or("", |header| &header.value)
}
