//! A fixed sequence of calls to a world, with all its responses and changes.

pub(crate) mod callers;
pub(crate) mod reads;
pub(crate) mod writes;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock, Mutex};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use jiff::Timestamp;
use moot_fixtures::{answers, world};
use moot_mock::call::{Admission, Body, Call, Head, Part};
use moot_mock::content::Content;
use moot_mock::control::ControlAction;
use moot_mock::defect::{self, Defect};
use moot_mock::response::{Response, ResponseBody};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode};
use moot_mock::{SeedData, Service, Settings, World};
use serde_json::Value;

/// The system's time of every call. The world's clock stands still too.
const NOW: &str = "2026-03-05T14:30:00Z";
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The resources with a list, as in its path.
pub(crate) const LISTS: [&str; 4] = ["workflows", "requests", "repository_documents", "webhooks"];
const MULTIPART: &str = "multipart/form-data; boundary=b0";

/// A tour through a world.
pub(crate) struct Tour {
    service: Service,
    now: Timestamp,
    /// The recorded responses and changes.
    pub(crate) seen: String,
}

impl Tour {
    /// A tour at its start, in the seed world of this name.
    pub(crate) fn new(world_name: &str, defects: Vec<&'static Defect>) -> Self {
        let now: Timestamp = NOW.parse().expect("a sound time");
        let settings = Settings {
            seed: 7,
            base_url: "http://moot.test/api".to_owned(),
            answers: answers::default().clone(),
            seed_world: Arc::new(world::named(world_name).expect("it is embedded").clone()),
            clock: ClockSetting::Frozen(now),
            rate_limit: RateLimitMode::Off,
            progression: Progression::Manual,
        };
        let world = World::from_seed_data(seed_data(world_name), settings.run());
        let world = defect::install(world.expect("the settings are sound"), &defects);
        Self { service: Service::new(world), now, seen: String::new() }
    }

    /// Performs an action of the control plane; a refusal is `null`.
    pub(crate) fn ask(&mut self, ask: ControlAction) -> Value {
        self.service.control(self.now, ask).unwrap_or_default()
    }

    /// A token of an application, issued this long ago.
    pub(crate) fn token(&mut self, client_id: &str, age_seconds: i64) -> String {
        let client_id = client_id.to_owned();
        let minted = self.ask(ControlAction::MintToken { client_id, scopes: None, age_seconds });
        minted["access_token"].as_str().unwrap_or_default().to_owned()
    }

    /// Starts the due attempts, and records them.
    pub(crate) fn deliver(&mut self) {
        let attempts = self.service.due_attempts(self.now);
        writeln!(self.seen, "sent {attempts:?}").expect("text takes text");
    }

    /// A `GET` with a token.
    pub(crate) fn get(&mut self, target: &str, token: &str) -> Value {
        self.call(&format!("GET {target}"), &bearer(token), Body::Empty)
    }

    /// Makes a call, and returns the JSON of its response, if any.
    pub(crate) fn call(&mut self, line: &str, headers: &HeaderMap, body: Body) -> Value {
        let (method, target) = line.split_once(' ').expect("a method and a target");
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let head = Head { method: &method, path, query, headers, client: CLIENT, wire: None };
        let response = match self.service.admit(self.now, &head) {
            Admission::Refused(response, _) => response,
            Admission::Admitted(admitted) => self
                .service
                .answer(self.now, &Call { head, admitted: &admitted, body, fetched: None }),
        };
        self.note(line, &response)
    }

    fn note(&mut self, line: &str, response: &Response) -> Value {
        let bytes = match &response.body {
            ResponseBody::Bytes(bytes) => bytes.clone(),
            ResponseBody::Content(content) => Bytes::copy_from_slice(&content.digest),
        };
        let (status, headers) = (response.status, &response.headers);
        writeln!(self.seen, "{line}\n{status} {headers:?}\n{bytes:?}").expect("text takes text");
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

/// The seed rows, built once for all tours.
fn seed_data(world_name: &str) -> Arc<SeedData> {
    static MADE: LazyLock<Mutex<BTreeMap<String, Arc<SeedData>>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().expect("no tour panics here");
    let make = || {
        let world = world::named(world_name).expect("it is embedded");
        Arc::new(SeedData::new(world, answers::default().clone()).expect("it is sound"))
    };
    made.entry(world_name.to_owned()).or_insert_with(make).clone()
}

/// Headers with a bearer token.
pub(crate) fn bearer(token: &str) -> HeaderMap {
    authorization(&format!("Bearer {token}"))
}

/// Headers with this `Authorization`.
pub(crate) fn authorization(value: &str) -> HeaderMap {
    let value = HeaderValue::from_str(value).expect("a header's value");
    HeaderMap::from_iter([(http::header::AUTHORIZATION, value)])
}

/// The same headers with a content type.
pub(crate) fn typed(mut headers: HeaderMap, media_type: &'static str) -> HeaderMap {
    headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers
}

/// A multipart body. Its parts are `name=text` or `name@file name=text`.
pub(crate) fn multipart<S: AsRef<str>>(parts: &[S]) -> Body {
    Body::Multipart(parts.iter().map(|part| self::part(part.as_ref())).collect())
}

fn part(text: &str) -> Part {
    let (name, text) = text.split_once('=').expect("a name and a text");
    let content = Content::in_memory(Bytes::copy_from_slice(text.as_bytes()));
    match name.split_once('@') {
        Some((name, file)) => part_of(name, Some(file), content),
        None => part_of(name, None, content),
    }
}

fn part_of(name: &str, file_name: Option<&str>, content: Content) -> Part {
    let (name, file_name) = (name.to_owned(), file_name.map(str::to_owned));
    Part { name, content_type: None, file_name, content, is_cut: false }
}

/// A support file with this length and without bytes.
pub(crate) fn with_file_of(mut body: Body, length: u64) -> Body {
    if let Body::Multipart(parts) = &mut body {
        let content = Content { length, ..Content::in_memory(Bytes::new()) };
        parts.push(part_of("support_documents[]", Some("large.pdf"), content));
    }
    body
}
