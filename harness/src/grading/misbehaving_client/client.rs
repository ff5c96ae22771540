//! Sending calls: tokens, retries, pauses, and reading responses.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode, header};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::service::{MisbehaviourError, ServicePlace};
use crate::client::http::new_builder;

/// The path of legal requests.
pub(super) const LIST: &str = "/v1/requests";
/// The path of repository documents.
pub(super) const DOCUMENTS: &str = "/v1/repository_documents";
/// The content of an uploaded file.
pub(super) const FILE: &[u8] = b"Their standard terms.\n";

const USER_AGENT: &str = concat!("moot-selftest-client/", env!("CARGO_PKG_VERSION"));
/// Timeout of a call: longer than the ten seconds of `too-short-timeout`, and shorter than the fault of the drill
/// `stalled`.
const TIMEOUT: Duration = Duration::from_secs(11);
/// The timeout that breaks `too-short-timeout`.
const SHORT_TIMEOUT: Duration = Duration::from_secs(2);
/// Tries of one call at most.
const TRIES_MAX: u32 = 5;
/// The number of tries that breaks `retry-storm`.
const STORM_TRIES: u32 = 8;
/// The pause before the first retry. It doubles with each further one.
const PAUSE: Duration = Duration::from_millis(200);
/// Added to the time of `Retry-After`, since clocks differ.
const RESERVE: Duration = Duration::from_millis(100);
/// All headers that a client accepts while it breaks `breaks-on-header`.
const KNOWN_HEADERS: [&str; 8] = [
    "content-type",
    "content-length",
    "date",
    "retry-after",
    "connection",
    "location",
    "transfer-encoding",
    "www-authenticate",
];

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum CallOutcome {
    Answered(ServiceResponse),
    /// No complete response came, or the service failed. The call may or may not have been processed.
    Lost(String),
}

/// A complete response.
#[derive(Debug)]
pub(super) struct ServiceResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// Null if it is not JSON.
    pub(super) body: Value,
}

/// A client of the service with a token.
pub(super) struct TrialClient {
    pub(super) service: ServicePlace,
    pub(super) http: reqwest::Client,
    /// The rule that it breaks.
    broken: Option<&'static str>,
    token: Option<String>,
}

impl CallOutcome {
    /// The body of a response that reports success. The inner error says why no response came.
    ///
    /// # Errors
    /// The call was refused.
    pub(super) fn success(self) -> Result<Result<Value, String>, MisbehaviourError> {
        match self {
            Self::Answered(response) if response.status.is_success() => Ok(Ok(response.body)),
            Self::Answered(response) => Err(response.refused()),
            Self::Lost(why) => Ok(Err(why)),
        }
    }
}

impl ServiceResponse {
    fn problem(&self) -> &str {
        self.body["type"].as_str().or(self.body["error"].as_str()).unwrap_or("no problem body")
    }

    fn retry_after(&self) -> Option<Duration> {
        let value = self.headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
        match value.parse() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(SystemTime::now()).ok(),
        }
    }

    /// An error that names the response.
    pub(super) fn refused(&self) -> MisbehaviourError {
        format!("{} {}", self.status, self.problem()).into()
    }
}

impl TrialClient {
    pub(super) fn new(
        service: ServicePlace,
        broken: Option<&'static str>,
    ) -> Result<Self, MisbehaviourError> {
        let mut http = new_builder().no_proxy().redirect(Policy::none());
        http = match broken {
            Some("no-timeout") => http,
            Some("too-short-timeout") => http.timeout(SHORT_TIMEOUT),
            _ => http.timeout(TIMEOUT),
        };
        if broken != Some("nameless") {
            http = http.user_agent(USER_AGENT);
        }
        if broken == Some("connection-per-call") {
            http = http.pool_max_idle_per_host(0);
        }
        Ok(Self { service, http: http.build()?, broken, token: None })
    }

    /// Whether it breaks this rule.
    pub(super) fn breaks(&self, rule: &str) -> bool {
        self.broken == Some(rule)
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.service.base_url))
    }

    pub(super) fn token_request(&self, fields: &[(&str, &str)]) -> RequestBuilder {
        self.request(Method::POST, "/oauth/token").form(fields)
    }

    /// The fields of a token request.
    fn credentials(&self) -> [(&str, &str); 4] {
        [
            ("grant_type", "client_credentials"),
            ("client_id", &self.service.client_id),
            ("client_secret", &self.service.client_secret),
            ("scope", "read write"),
        ]
    }

    /// The current token, or a new one.
    pub(super) async fn token(&mut self) -> Result<String, MisbehaviourError> {
        if let Some(token) = &self.token {
            return Ok(token.clone());
        }
        for attempt in 1..=TRIES_MAX {
            match self.once(self.token_request(&self.credentials())).await? {
                CallOutcome::Answered(response) if response.status.is_success() => {
                    let token = response.body["access_token"].as_str().ok_or("no token came")?;
                    self.token = Some(token.to_owned());
                    return Ok(token.to_owned());
                }
                CallOutcome::Answered(response)
                    if response.status == StatusCode::TOO_MANY_REQUESTS =>
                {
                    self.pause(&response, attempt).await;
                }
                CallOutcome::Answered(response) => return Err(response.refused()),
                CallOutcome::Lost(_) => back_off(attempt).await,
            }
        }
        Err("no token came".into())
    }

    async fn renew(&mut self) -> Result<(), MisbehaviourError> {
        self.token = None;
        if self.breaks("renewal-stampede") {
            let fields = self.credentials();
            let one = || self.once(self.token_request(&fields));
            let _ = tokio::join!(one(), one(), one());
        }
        self.token().await.map(drop)
    }

    /// A GET. It is repeated while its outcome is unknown.
    pub(super) async fn get(&mut self, path: &str) -> Result<Value, MisbehaviourError> {
        let tries = if self.breaks("retry-storm") { STORM_TRIES } else { TRIES_MAX };
        let mut why = String::new();
        for attempt in 1..=tries {
            let outcome = self.send(&Method::GET, path, |call| call).await?;
            match &outcome {
                CallOutcome::Answered(response) if response.status.is_redirection() => {
                    return self.redirected(response).await;
                }
                _ => match outcome.success()? {
                    Ok(body) => return Ok(body),
                    Err(lost) => why = lost,
                },
            }
            if self.breaks("gives-up") {
                break;
            }
            back_off(attempt).await;
        }
        Err(format!("GET {path}: {why}").into())
    }

    /// Follows a redirect only to break `token-to-stranger`.
    async fn redirected(&mut self, response: &ServiceResponse) -> Result<Value, MisbehaviourError> {
        if self.breaks("token-to-stranger") {
            let token = self.token().await?;
            let location = response.headers.get(header::LOCATION).ok_or("a redirect to nowhere")?;
            self.http.get(location.to_str()?).bearer_auth(token).send().await?;
        }
        Err("the service redirects to another host".into())
    }

    /// One call with a token, which is renewed once. It waits if the service limits the rate. A failure of the service
    /// counts as a lost response.
    pub(super) async fn send(
        &mut self,
        method: &Method,
        path: &str,
        with_content: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<CallOutcome, MisbehaviourError> {
        let (mut is_renewed, mut dead_calls) = (false, 0);
        for attempt in 1..=TRIES_MAX {
            let token = self.token().await?;
            let call = self.request(method.clone(), path).bearer_auth(token);
            let response = match self.once(with_content(call)).await? {
                CallOutcome::Answered(response) => response,
                lost @ CallOutcome::Lost(_) => return Ok(lost),
            };
            match response.status.as_u16() {
                401 if self.breaks("dead-token") && dead_calls < 3 => dead_calls += 1,
                401 if !is_renewed && !self.breaks("token-not-renewed") => {
                    is_renewed = true;
                    self.renew().await?;
                }
                429 => self.pause(&response, attempt).await,
                500.. => return Ok(CallOutcome::Lost(self.failed(&response)?)),
                _ => return Ok(CallOutcome::Answered(response)),
            }
        }
        Err(format!("{method} {path}: no success after {TRIES_MAX} tries").into())
    }

    /// A failure of the service as text. It is an error while the client breaks a rule about unknown failures.
    fn failed(&self, response: &ServiceResponse) -> Result<String, MisbehaviourError> {
        let content_type = response.headers.get(header::CONTENT_TYPE);
        let is_json = content_type.is_some_and(|it| it.as_bytes().ends_with(b"json"));
        let is_known = matches!(response.status.as_u16(), 500 | 502..=504);
        let is_known_type = response.problem() != "moot_unknown_problem";
        let ends = (self.breaks("breaks-on-status") && !is_known)
            || (self.breaks("breaks-on-problem-type") && !is_known_type)
            || (self.breaks("breaks-on-foreign-error") && !is_json);
        if ends { Err(response.refused()) } else { Ok(response.refused().to_string()) }
    }

    async fn pause(&self, response: &ServiceResponse, attempt: u32) {
        if self.breaks("no-back-off") {
            return;
        }
        match response.retry_after().filter(|_| !self.breaks("impatient-retry")) {
            Some(pause) => tokio::time::sleep(pause + RESERVE).await,
            None => back_off(attempt).await,
        }
    }

    /// Sends a call once, and reads the response.
    pub(super) async fn once(
        &self,
        call: RequestBuilder,
    ) -> Result<CallOutcome, MisbehaviourError> {
        let response = match call.send().await {
            Ok(response) => response,
            Err(error) => return Ok(CallOutcome::Lost(error.to_string())),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = match response.bytes().await {
            Ok(bytes) => bytes,
            Err(_) if self.breaks("trusts-truncation") => bytes::Bytes::new(),
            Err(error) => return Ok(CallOutcome::Lost(error.to_string())),
        };
        let body = serde_json::from_slice(&bytes);
        let is_whole = body.is_ok() || bytes.is_empty() || !status.is_success();
        if !is_whole && !self.breaks("trusts-truncation") {
            return Ok(CallOutcome::Lost("the response is not JSON".to_owned()));
        }
        let response = ServiceResponse { status, headers, body: body.unwrap_or_default() };
        self.check_strictly(&response)?;
        Ok(CallOutcome::Answered(response))
    }

    /// Fails for an unknown header or member while the client breaks that rule.
    fn check_strictly(&self, response: &ServiceResponse) -> Result<(), MisbehaviourError> {
        let unknown_header =
            response.headers.keys().find(|name| !KNOWN_HEADERS.contains(&name.as_str()));
        if let Some(name) = unknown_header.filter(|_| self.breaks("breaks-on-header")) {
            return Err(format!("unknown header {name}").into());
        }
        let members = response.body.as_object().filter(|body| body.contains_key("pagination"));
        let unknown_member = members.and_then(|body| {
            body.keys().find(|name| !["data", "pagination"].contains(&name.as_str()))
        });
        match unknown_member.filter(|_| self.breaks("breaks-on-member")) {
            Some(name) => Err(format!("unknown member {name}").into()),
            None => Ok(()),
        }
    }

    /// The fields of a legal request, with a signer from the schema of its workflow.
    pub(super) fn fields(&self, schema: &Value, counterparty: &str) -> Vec<(String, String)> {
        let variables =
            json!({ "purpose": "talks", "duration": 1, "duration_unit": "years" }).to_string();
        let options = &schema["fields_properties"]["internal_signer_email"]["properties"];
        let signer = options["options"][0].as_str().unwrap_or("legal@northwind.example");
        let fields = [
            ("workflow_id", self.service.workflow_id.as_str()),
            ("requester_email", &self.service.requester_email),
            ("counterparty_name", counterparty),
            ("counterparty_email", "signer@granite.invalid"),
            ("counterparty_organization_name", counterparty),
            ("internal_signer_email", signer),
            ("variables", &variables),
        ];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }
}

async fn back_off(attempt: u32) {
    tokio::time::sleep(PAUSE * 2_u32.pow(attempt.min(4) - 1)).await;
}

/// A multipart form of these fields and a text file, given by its name and bytes.
pub(super) fn form(fields: &[(String, String)], file: Option<(&str, &[u8])>) -> Form {
    let mut form = Form::new();
    for (name, value) in fields {
        form = form.text(name.clone(), value.clone());
    }
    let Some((name, bytes)) = file else { return form };
    let part = Part::bytes(bytes.to_vec()).file_name(name.to_owned());
    form.part("file", part.mime_str("text/plain").expect("it is a media type"))
}
