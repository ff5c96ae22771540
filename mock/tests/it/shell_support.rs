//! Helpers for tests of the shell: sites, calls, and servers on loopback.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use jiff::Timestamp;
use moot_fixtures::{answers, world};
use moot_mock::Settings;
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode};
use moot_mock::shell::{ServeLimits, Site, SiteOptions, serve};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The client address of calls by default.
pub(crate) const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The default base address of sites.
pub(crate) const BASE_URL: &str = "http://moot.test/api";
/// Base path of [`BASE_URL`].
pub(crate) const BASE: &str = "/api";
/// The first application of the demo world: read and write.
pub(crate) const MAIN: &str = "demo-main";

/// The demo world with a stopped clock and without a limit.
pub(crate) fn settings() -> Settings {
    let now: Timestamp = "2026-03-05T14:30:00Z".parse().expect("a sound time");
    Settings {
        seed: 7,
        base_url: BASE_URL.to_owned(),
        answers: answers::default().clone(),
        seed_world: Arc::new(world::named("demo").expect("it is embedded").clone()),
        clock: ClockSetting::Frozen(now),
        rate_limit: RateLimitMode::Off,
        progression: Progression::Manual,
    }
}

/// A site of [`settings`].
pub(crate) fn site() -> Site {
    site_of(settings())
}

/// A site of these settings or options.
pub(crate) fn site_of(options: impl Into<SiteOptions>) -> Site {
    Site::new(options.into()).expect("the settings are sound")
}

/// A site of [`settings`], and a token of its first application.
pub(crate) async fn site_with_token() -> (Site, String) {
    let site = site();
    let token = token(&site, BASE, MAIN).await;
    (site, token)
}

/// A response, with its whole body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestResponse {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The value at a JSON pointer, as text.
    #[track_caller]
    pub(crate) fn text(&self, pointer: &str) -> String {
        let json = self.json();
        let found = json.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("no text at {pointer}: {json}")).to_owned()
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.is_success(), "{self:?}");
        self
    }
}

/// A call `METHOD /path`, with a bearer token unless it is empty, and a body with a content type.
pub(crate) fn request(
    line: &str,
    token: &str,
    body: Option<(&str, Vec<u8>)>,
) -> Request<Full<Bytes>> {
    let (method, target) = line.split_once(' ').expect("a method and a target");
    let mut request = Request::builder().method(method).uri(target);
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let bytes = match body {
        Some((content_type, bytes)) => {
            request = request.header("content-type", content_type);
            bytes
        }
        None => Vec::new(),
    };
    request.body(Full::new(Bytes::from(bytes))).expect("a sound request")
}

/// Sends a request through a site.
pub(crate) async fn send(site: &Site, request: Request<Full<Bytes>>) -> TestResponse {
    let (head, body) = site.call(request, CLIENT).await.into_parts();
    let body = body.collect().await.expect("a response's body is readable").to_bytes();
    TestResponse { status: head.status, headers: head.headers, body }
}

/// A call without a body, such as a `GET`.
pub(crate) async fn call(site: &Site, line: &str, token: &str) -> TestResponse {
    send(site, request(line, token, None)).await
}

/// Performs an action of the control plane below `base`, such as `POST /clock`.
#[track_caller]
pub(crate) fn admin(
    site: &Site,
    base: &str,
    line: &str,
    json: Value,
) -> impl Future<Output = TestResponse> + Send + use<> {
    let (site, request) = (site.clone(), admin_request(base, line, "", &json));
    async move { send(&site, request).await }
}

fn admin_request(base: &str, line: &str, token: &str, json: &Value) -> Request<Full<Bytes>> {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let body = (!json.is_null()).then(|| ("application/json", json.to_string().into_bytes()));
    request(&format!("{method} {base}/__admin{path}"), token, body)
}

/// As [`done`], with the token of the control plane.
pub(crate) async fn done_with(site: &Site, token: &str, line: &str, json: Value) -> Value {
    send(site, admin_request(BASE, line, token, &json)).await.ok().json()
}

/// Performs an action of the main world's control plane, which must succeed, and returns its response.
pub(crate) async fn done(site: &Site, line: &str, json: Value) -> Value {
    admin(site, BASE, line, json).await.ok().json()
}

/// Creates a sandbox, and returns its base path and its description.
pub(crate) async fn sandbox(site: &Site, asked: Value) -> (String, Value) {
    let described = done(site, "POST /sandboxes", asked).await;
    (own_path(described["base_url"].as_str().expect("an address")), described)
}

/// The path of an address of [`BASE_URL`]'s site.
pub(crate) fn own_path(url: &str) -> String {
    url.strip_prefix("http://moot.test").expect("an address of the site").to_owned()
}

/// A token of an application of the world below `base`, from the control plane.
pub(crate) async fn token(site: &Site, base: &str, client_id: &str) -> String {
    let json = serde_json::json!({ "client_id": client_id });
    admin(site, base, "POST /tokens", json).await.ok().text("/access_token")
}

/// Parts of a form, as `name=text` or `name@file name=text`.
pub(crate) fn form(parts: &[&str]) -> (&'static str, Vec<u8>) {
    let mut body = String::new();
    for part in parts {
        let (name, text) = part.split_once('=').expect("a name and a text");
        let (name, file) = match name.split_once('@') {
            Some((name, file)) => (name, format!("; filename=\"{file}\"")),
            None => (name, String::new()),
        };
        body.push_str(&format!(
            "--b0\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n"
        ));
        body.push_str(&format!("\r\n{text}\r\n"));
    }
    body.push_str("--b0--\r\n");
    ("multipart/form-data; boundary=b0", body.into_bytes())
}

/// A valid legal request of the demo world.
pub(crate) const LEGAL_REQUEST: &[&str] = &[
    "workflow_id=wfMutualNda1",
    "requester_email=requester@northwind.example",
    "counterparty_name=Ada Sample",
    "counterparty_email=ada@sample.example",
    "counterparty_organization_name=Sample Works Ltd",
    "internal_signer_email=legal@northwind.example",
    "variables={\"purpose\":\"Test\",\"duration\":2,\"duration_unit\":\"years\"}",
];

/// Creates [`LEGAL_REQUEST`] in the world below `base`.
pub(crate) async fn create(site: &Site, base: &str, token: &str) -> TestResponse {
    let line = format!("POST {base}/v1/requests");
    send(site, request(&line, token, Some(form(LEGAL_REQUEST)))).await
}

/// Uploads a repository document to the world below `base`.
pub(crate) async fn upload(site: &Site, base: &str, token: &str, parts: &[&str]) -> TestResponse {
    let line = format!("POST {base}/v1/repository_documents");
    send(site, request(&line, token, Some(form(parts)))).await
}

/// Asks the token endpoint of the world below `base` for a token. `scope` is form-encoded.
pub(crate) async fn ask_token(
    site: &Site,
    base: &str,
    scope: &str,
    (id, secret): (&str, &str),
) -> TestResponse {
    let client = format!("client_id={id}&client_secret={secret}");
    let body = format!("grant_type=client_credentials&scope={scope}&{client}").into_bytes();
    let body = Some(("application/x-www-form-urlencoded", body));
    send(site, request(&format!("POST {base}/oauth/token"), "", body)).await
}

/// Forces a legal request of the world below `base` to `signed`.
pub(crate) async fn sign(site: &Site, base: &str, id: &str) {
    let signed = serde_json::json!({ "status": "signed", "force": true });
    admin(site, base, &format!("POST /legal_requests/{id}/status"), signed).await.ok();
}

/// Registers a webhook in the world below `base`.
pub(crate) async fn register(
    site: &Site,
    base: &str,
    token: &str,
    webhook: &Value,
) -> TestResponse {
    let body = Some(("application/json", webhook.to_string().into_bytes()));
    send(site, request(&format!("POST {base}/v1/webhooks"), token, body)).await
}

/// A builder of clients without a proxy.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // Fails only if another test has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}

/// A site behind a real socket.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Served {
    /// Tells the server to stop, without waiting for it.
    pub(crate) fn stop(self) -> JoinHandle<()> {
        // The socket listens until the server has stopped.
        let _ = self.stop.send(());
        self.server
    }
}

/// Serves a site on a free port of loopback.
pub(crate) async fn served(site: &Site, limits: ServeLimits) -> Served {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("a bound address");
    let (stop, stopped) = oneshot::channel::<()>();
    let site = site.clone();
    let server = tokio::spawn(async move {
        let ending = Box::pin(async {
            let _ = stopped.await;
        });
        serve(listener, site, limits, None, ending).await;
    });
    Served { address, stop, server }
}

/// A site behind a socket, a token for it, and a client that reuses no connection.
pub(crate) struct SocketSite {
    pub(crate) site: Site,
    pub(crate) served: Served,
    pub(crate) token: String,
    pub(crate) client: reqwest::Client,
}

impl SocketSite {
    pub(crate) async fn new() -> Self {
        let (site, token) = site_with_token().await;
        let served = served(&site, ServeLimits::default()).await;
        let redirect = reqwest::redirect::Policy::none();
        let client = client().pool_max_idle_per_host(0).redirect(redirect).build();
        Self { site, served, token, client: client.expect("a client") }
    }

    /// Arms a fault, and returns the response.
    pub(crate) async fn arm(&self, fault: Value) -> Value {
        let response = admin(&self.site, BASE, "POST /faults", fault).await;
        assert_eq!(response.status, 201, "{response:?}");
        response.json()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{BASE}{path}", self.served.address)
    }
}
