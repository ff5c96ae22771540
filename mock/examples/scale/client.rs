//! A client of a world in process, and how its calls are timed.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;
use moot_mock::Service;
use moot_mock::call::{Admission, Body, Call, Head, Part};
use moot_mock::content::Content;
use moot_mock::control::ControlAction;
use moot_mock::response::ResponseBody;
use serde_json::Value;

/// Calls of one timing, and timings of one figure. The world is reset before each timing.
const CALLS: usize = 150;
const TIMINGS: usize = 7;
const CLIENT_ID: &str = "bench";

type Failure = Box<dyn Error>;

pub(crate) struct Client {
    service: Service,
    headers: HeaderMap,
    workflow: String,
    pub(crate) address: IpAddr,
}

impl Client {
    pub(crate) fn new(service: Service) -> Result<Self, Failure> {
        let ask = ControlAction::MintToken {
            client_id: CLIENT_ID.to_owned(),
            scopes: None,
            age_seconds: 0,
        };
        let minted = service.control(Timestamp::now(), ask).map_err(|_| "no token is minted")?;
        let token = minted["access_token"].as_str().ok_or("a token without its text")?;
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?);
        let workflows = service.describe();
        let workflow = workflows["workflows"][0]["id"].as_str().ok_or("no workflow")?.to_owned();
        Ok(Self { service, headers, workflow, address: IpAddr::V4(Ipv4Addr::LOCALHOST) })
    }

    /// The time of one call: the median of some timings. The rate limit counts and is never reached.
    pub(crate) fn time(
        &mut self,
        call: impl Fn(&Self, usize) -> Result<(), Failure>,
    ) -> Result<String, Failure> {
        let mut times: Vec<Duration> = Vec::with_capacity(TIMINGS);
        for timing in 0..TIMINGS {
            self.reset()?;
            let begun = Instant::now();
            for turn in 0..CALLS {
                call(self, timing * CALLS + turn)?;
            }
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        let middle = times[TIMINGS / 2].as_secs_f64() / CALLS as f64;
        Ok(format!("{:.2} µs", middle * 1e6))
    }

    pub(crate) fn list(&self, query: &str) -> Result<(), Failure> {
        self.send(Method::GET, "/v1/requests", Some(query), Body::Empty).map(|_| ())
    }

    pub(crate) fn get(&self, id: &str) -> Result<(), Failure> {
        self.send(Method::GET, &format!("/v1/requests/{id}"), None, Body::Empty).map(|_| ())
    }

    pub(crate) fn create(&self) -> Result<(), Failure> {
        self.send(Method::POST, "/v1/requests", None, self.creation()).map(|_| ())
    }

    /// The body that creates a request.
    pub(crate) fn creation(&self) -> Body {
        let parts = [
            ("workflow_id", self.workflow.as_str()),
            ("requester_email", "requester@bench.example"),
            ("counterparty_name", "Ada Sample"),
            ("counterparty_email", "ada@sample.example"),
            ("counterparty_organization_name", "Sample Works Ltd"),
        ];
        Body::Multipart(parts.map(|(name, text)| part(name, text)).to_vec())
    }

    /// Moves a request between two statuses, even if the transition is not allowed.
    pub(crate) fn change(&self, id: &str, turn: usize) -> Result<(), Failure> {
        let ways = [LegalRequestStatus::InitialReview, LegalRequestStatus::BusinessReview];
        let status = ways[turn % ways.len()];
        let ask =
            ControlAction::SetStatus { id: id.to_owned(), status, comment: None, force: true };
        match self.service.control(Timestamp::now(), ask) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(format!("{refusal:?}").into()),
        }
    }

    /// Admits a call and does not answer it.
    pub(crate) fn admit(&self) {
        self.service.admit(Timestamp::now(), &self.head(&Method::GET, "/v1/requests", None));
    }

    /// The number of the last page, under a filter such as `&status=signed`.
    pub(crate) fn pages(&self, filter: &str) -> Result<u64, Failure> {
        let query = format!("page=1{filter}");
        let list = self.parsed(&query)?;
        let pages = list.pointer("/pagination/total_pages").and_then(Value::as_u64);
        Ok(pages.ok_or("a list without pagination")?)
    }

    /// The ids of one page.
    pub(crate) fn ids(&self, query: &str) -> Result<Vec<String>, Failure> {
        let list = self.parsed(query)?;
        let rows = list["data"].as_array().ok_or("a list without data")?;
        Ok(rows.iter().filter_map(|row| row["id"].as_str().map(str::to_owned)).collect())
    }

    fn parsed(&self, query: &str) -> Result<Value, Failure> {
        let list = self.send(Method::GET, "/v1/requests", Some(query), Body::Empty)?;
        Ok(serde_json::from_slice(&list)?)
    }

    fn reset(&self) -> Result<(), Failure> {
        let reset = self.service.control(Timestamp::now(), ControlAction::Reset);
        reset.map(|_| ()).map_err(|_| "no reset".into())
    }

    /// The head of a call, with a token.
    pub(crate) fn head<'a>(
        &'a self,
        method: &'a Method,
        path: &'a str,
        query: Option<&'a str>,
    ) -> Head<'a> {
        Head { method, path, query, headers: &self.headers, client: self.address, wire: None }
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        query: Option<&str>,
        body: Body,
    ) -> Result<Bytes, Failure> {
        let (now, head) = (Timestamp::now(), self.head(&method, path, query));
        let response = match self.service.admit(now, &head) {
            Admission::Admitted(admitted) => {
                self.service.answer(now, &Call { head, admitted: &admitted, body, fetched: None })
            }
            Admission::Refused(response, _) => response,
        };
        let bytes = match response.body {
            ResponseBody::Bytes(bytes) => bytes,
            ResponseBody::Content(_) => Bytes::new(),
        };
        match response.status {
            StatusCode::OK | StatusCode::CREATED => Ok(bytes),
            status => Err(format!("{method} {path}: {status} {bytes:?}").into()),
        }
    }
}

fn part(name: &str, text: &str) -> Part {
    Part {
        name: name.to_owned(),
        content_type: None,
        file_name: None,
        content: Content::in_memory(Bytes::from(text.to_owned())),
        is_cut: false,
    }
}

/// Processor time of this program. Linux only; zero elsewhere.
pub(crate) fn processor_time() -> Duration {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Resident memory. Linux only; 0 elsewhere.
pub(crate) fn memory_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE_BYTES
}
