//! Helpers for tests of the core: a world without a socket, calls, and their responses.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus};
use moot_fixtures::journal::RuleGroup;
use moot_fixtures::{answers, world};
use moot_mock::call::{Admission, Body, Call, Head, Part};
use moot_mock::content::Content;
use moot_mock::control::{ClockMove, ControlAction, ExchangeFilter, Refusal};
use moot_mock::response::{Response, ResponseBody};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode};
use moot_mock::{Service, Settings, World};
use serde_json::Value;

/// Base address of the worlds. Its path is the base path.
pub(crate) const BASE_URL: &str = "http://moot.test/api";
/// A user of the first company.
pub(crate) const USER: &str = "requester@northwind.example";
/// Workflows of the first company, named by their special features.
pub(crate) const SINGLE_SIGNER: &str = "wfMutualNda1";
pub(crate) const MULTI_SIGNER: &str = "wfConsulting2";
pub(crate) const THIRD_PARTY: &str = "wfThirdParty3";
pub(crate) const UNPUBLISHED: &str = "wfLease5";
/// A workflow of the second company.
pub(crate) const FOREIGN: &str = "wfLieferant6";

/// The time of the worlds' stopped clocks.
pub(crate) fn start() -> Timestamp {
    "2026-03-05T14:30:00Z".parse().expect("a sound time")
}

/// The demo world with a stopped clock and without a limit.
pub(crate) fn settings() -> Settings {
    Settings {
        seed: 7,
        base_url: BASE_URL.to_owned(),
        answers: answers::default().clone(),
        seed_world: Arc::new(world::named("demo").expect("it is embedded").clone()),
        clock: ClockSetting::Frozen(start()),
        rate_limit: RateLimitMode::Off,
        progression: Progression::Manual,
    }
}

/// A world with changed settings.
pub(crate) fn world_with(change: impl FnOnce(&mut Settings)) -> World {
    let mut settings = settings();
    change(&mut settings);
    World::new(settings).expect("the settings are sound")
}

/// A service, and the address of its caller.
pub(crate) struct Bench {
    pub(crate) service: Service,
    pub(crate) client: IpAddr,
}

/// A response, with its whole body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) rule_group: Option<RuleGroup>,
}

/// A call.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// A bench with the default settings.
pub(crate) fn bench() -> Bench {
    bench_with(|_| {})
}

/// A bench with changed settings.
pub(crate) fn bench_with(change: impl FnOnce(&mut Settings)) -> Bench {
    let service = Service::new(world_with(change));
    Bench { service, client: IpAddr::V4(Ipv4Addr::LOCALHOST) }
}

/// A bench with changed answers.
pub(crate) fn bench_answering(change: impl FnOnce(&mut Answers)) -> Bench {
    bench_with(|settings| change(&mut settings.answers))
}

impl Bench {
    /// Makes a call.
    pub(crate) fn send(&self, sent: &Sent) -> TestResponse {
        let head = Head {
            method: &sent.method,
            path: &sent.path,
            query: sent.query.as_deref(),
            headers: &sent.headers,
            client: self.client,
            wire: None,
        };
        TestResponse::of(match self.service.admit(start(), &head) {
            Admission::Refused(response, _) => response,
            Admission::Admitted(admitted) => {
                let call =
                    Call { head, admitted: &admitted, body: sent.body.clone(), fetched: None };
                self.service.answer(start(), &call)
            }
        })
    }

    /// A token of the first company's application with both scopes.
    pub(crate) fn token(&self) -> String {
        self.token_of("demo-main", "read write")
    }

    /// A token of an application of the demo world.
    pub(crate) fn token_of(&self, client_id: &str, scope: &str) -> String {
        let secret = secret(client_id);
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client_id),
            ("client_secret", secret.as_str()),
            ("scope", scope),
        ];
        self.send(&post("/oauth/token").form(&form)).ok().text("/access_token")
    }

    /// Makes a `GET` with a token with both scopes.
    pub(crate) fn get(&self, target: &str) -> TestResponse {
        self.send(&get(target).token(&self.token()))
    }

    /// Performs an action of the control plane.
    pub(crate) fn ask(&self, ask: ControlAction) -> Result<Value, Refusal> {
        self.service.control(start(), ask)
    }

    /// A token of this age from the control plane, because answers may make the token endpoint refuse.
    pub(crate) fn minted(&self, client_id: &str, age_seconds: i64) -> String {
        let client_id = client_id.to_owned();
        let minted = self.ask(ControlAction::MintToken { client_id, scopes: None, age_seconds });
        let minted = minted.expect("the application exists");
        minted["access_token"].as_str().expect("a token").to_owned()
    }

    /// Sets the status of a request, also if that is no legal change.
    #[track_caller]
    pub(crate) fn set_status(&self, id: &str, status: LegalRequestStatus) {
        let (id, comment) = (id.to_owned(), None);
        let order = ControlAction::SetStatus { id, status, comment, force: true };
        self.ask(order).expect("it is forced");
    }

    /// The newest calls in the journal.
    pub(crate) fn exchanges(&self, limit: usize) -> Value {
        let filter = ExchangeFilter::default();
        let all = self.ask(ControlAction::ListExchanges { filter, limit }).expect("a question");
        all["exchanges"].clone()
    }

    /// Moves the clock.
    #[track_caller]
    pub(crate) fn advance(&self, seconds: u64) -> Value {
        self.ask(ControlAction::MoveClock(ClockMove::Advance(seconds))).expect("time goes forward")
    }

    /// Creates a request and returns its id.
    #[track_caller]
    pub(crate) fn create(&self, fields: &[(&str, &str)]) -> String {
        let response =
            self.send(&post("/v1/requests").token(&self.token()).multipart(texts(fields)));
        response.ok().text("/data/id")
    }

    /// A request as the control plane shows it.
    #[track_caller]
    pub(crate) fn known(&self, id: &str) -> Value {
        self.ask(ControlAction::GetLegalRequest { id: id.to_owned() }).expect("the request exists")
    }

    /// The status of a request, without a read through the API.
    #[track_caller]
    pub(crate) fn status(&self, id: &str) -> String {
        self.known(id)["status"].as_str().expect("a status").to_owned()
    }
}

impl TestResponse {
    fn of(response: Response) -> Self {
        let body = match response.body {
            ResponseBody::Bytes(bytes) => bytes,
            ResponseBody::Content(content) => match content.place {
                moot_mock::content::ContentPlace::Memory(bytes) => bytes,
                moot_mock::content::ContentPlace::File { .. }
                | moot_mock::content::ContentPlace::Apart => Bytes::new(),
            },
        };
        Self {
            status: response.status,
            headers: response.headers.into_iter().collect(),
            body,
            rule_group: response.refused.map(|refused| refused.rule_group),
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The value at a JSON pointer.
    #[track_caller]
    pub(crate) fn value(&self, pointer: &str) -> Value {
        let json = self.json();
        json.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}: {json}")).clone()
    }

    /// The text at a JSON pointer.
    #[track_caller]
    pub(crate) fn text(&self, pointer: &str) -> String {
        self.value(pointer).as_str().unwrap_or_else(|| panic!("no text at {pointer}")).to_owned()
    }

    /// A header; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.is_success(), "{self:?}");
        self
    }

    /// The status, and the problem type or the `error` of a token failure; empty for a success.
    pub(crate) fn outcome(&self) -> (u16, String) {
        let json: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let named = json.get("type").or_else(|| json.get("error")).and_then(Value::as_str);
        (self.status.as_u16(), named.unwrap_or("").to_owned())
    }

    /// The ids of a list.
    #[track_caller]
    pub(crate) fn ids(&self) -> Vec<String> {
        let data = self.value("/data");
        let members = data.as_array().expect("a list").iter();
        members.map(|member| member["id"].as_str().expect("an id").to_owned()).collect()
    }
}

/// A `GET`.
pub(crate) fn get(target: &str) -> Sent {
    sent(Method::GET, target)
}

/// A `POST`.
pub(crate) fn post(target: &str) -> Sent {
    sent(Method::POST, target)
}

/// A `DELETE`.
pub(crate) fn delete(target: &str) -> Sent {
    sent(Method::DELETE, target)
}

/// A call without headers and body.
pub(crate) fn sent(method: Method, target: &str) -> Sent {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    let headers = HeaderMap::new();
    Sent { method, path: path.to_owned(), query, headers, body: Body::Empty }
}

impl Sent {
    /// With a bearer token.
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// With one more header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = HeaderValue::from_str(value).expect("a sound header");
        self.headers.append(name, value);
        self
    }

    /// With a form as body.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Self {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let body = form.extend_pairs(fields).finish();
        let sent = self.header("content-type", "application/x-www-form-urlencoded");
        Self { body: Body::Whole(body.into()), ..sent }
    }

    /// With JSON as body.
    pub(crate) fn json(self, body: &Value) -> Self {
        let sent = self.header("content-type", "application/json");
        Self { body: Body::Whole(body.to_string().into()), ..sent }
    }

    /// With a multipart body.
    pub(crate) fn multipart(self, parts: Vec<Part>) -> Self {
        let sent = self.header("content-type", "multipart/form-data; boundary=moot");
        Self { body: Body::Multipart(parts), ..sent }
    }
}

/// Text fields.
pub(crate) fn texts(fields: &[(&str, &str)]) -> Vec<Part> {
    fields.iter().map(|(name, value)| text(name, value)).collect()
}

/// A text field.
pub(crate) fn text(name: &str, value: &str) -> Part {
    Part {
        name: name.to_owned(),
        content_type: None,
        file_name: None,
        content: Content::in_memory(Bytes::copy_from_slice(value.as_bytes())),
        is_cut: false,
    }
}

/// A small file.
pub(crate) fn file(name: &str, file_name: &str) -> Part {
    let content = Content::in_memory(Bytes::from_static(b"some bytes"));
    file_with(name, file_name, content)
}

/// A file with this content.
pub(crate) fn file_with(name: &str, file_name: &str, content: Content) -> Part {
    Part {
        name: name.to_owned(),
        content_type: Some("application/octet-stream".to_owned()),
        file_name: Some(file_name.to_owned()),
        content,
        is_cut: false,
    }
}

/// A file with this length and without bytes.
pub(crate) fn file_of(name: &str, file_name: &str, length: u64) -> Part {
    file_with(name, file_name, Content { length, ..Content::in_memory(Bytes::new()) })
}

/// The same parts; the last is a file of which more was sent.
pub(crate) fn as_cut(mut parts: Vec<Part>) -> Vec<Part> {
    parts.last_mut().expect("a file").is_cut = true;
    parts
}

/// A valid request against the workflow with one signer of several options.
pub(crate) fn sound() -> Vec<(&'static str, &'static str)> {
    vec![
        ("workflow_id", SINGLE_SIGNER),
        ("requester_email", USER),
        ("counterparty_name", "Avery Sample"),
        ("counterparty_email", "avery@birchwood.example"),
        ("counterparty_organization_name", "Birchwood Sample AG"),
        ("variables", r#"{"purpose": "Due diligence", "duration": 2, "duration_unit": "years"}"#),
        ("internal_signer_email", "legal@northwind.example"),
    ]
}

/// As [`sound`], with this counterparty address.
pub(crate) fn sound_with_counterparty(email: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut fields = sound();
    fields.retain(|(name, _)| *name != "counterparty_email");
    fields.push(("counterparty_email", email));
    fields
}

/// The secret of an application of the demo world.
pub(crate) fn secret(client_id: &str) -> String {
    let world = world::named("demo").expect("it is embedded");
    let mut applications = world.companies.iter().flat_map(|company| &company.applications);
    let found = applications.find(|application| application.client_id == client_id);
    found.expect("the demo world has it").client_secret.clone()
}
