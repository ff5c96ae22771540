//! The mock in this process, without a socket.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt;
use moot_fixtures::contract::{Scopes, TOKEN_LIFETIME_SECONDS};
use moot_fixtures::{answers, world};
use moot_mock::defect::{self, Defect};
pub(crate) use moot_mock::settings::RateLimitMode;
use moot_mock::settings::{ClockSetting, Progression, Settings};
use moot_mock::shell::{Site, SiteOptions};
use secrecy::SecretString;
use serde_json::json;

use crate::client::control_plane::ControlPlane;
use crate::client::http_request::HttpRequest;
use crate::client::response::{self, BodyReader};
use crate::client::sender::RequestSender;
use crate::client::target_file::{self, TargetFile};
use crate::client::transport::RequestTransport;
use crate::exchange::{ReceivedResponse, Trouble};
use crate::run::environment::choice::TargetOptions;

/// The base address of the mock in process: nothing listens there, but its path is served.
pub(crate) const BASE_URL: &str = "http://localhost/api";

/// The target file of the mock in this process as a deployment.
const DEPLOYMENT: &str = include_str!("deployment.yaml");

/// Starts a mock with the seed, the world and the answers of `options`. The rate limit is never enforced: it is observed or off.
///
/// # Errors
/// The mock cannot start.
pub(crate) fn start(options: &TargetOptions, rate_limit: RateLimitMode) -> Result<Site, String> {
    let seed_world = match &options.world {
        Some(chosen) => chosen.clone(),
        None => {
            let demo = world::named("demo").ok_or("the world `demo` is not embedded")?;
            Arc::new(demo.clone())
        }
    };
    let answers = options.answers.clone().unwrap_or_else(|| answers::default().clone());
    let defects = options.defects.iter().map(|id| defect_of(id)).collect::<Result<_, _>>()?;
    let settings = Settings {
        seed: options.seed,
        base_url: BASE_URL.to_owned(),
        answers,
        seed_world,
        clock: ClockSetting::Real,
        rate_limit,
        progression: Progression::Manual,
    };
    let options = SiteOptions { defects, ..SiteOptions::new(settings) };
    Site::new(options).map_err(|error| error.to_string())
}

async fn exchange(site: &Site, http_request: HttpRequest) -> Result<ReceivedResponse, Trouble> {
    let request = request(http_request)
        .map_err(|error| Trouble::Withheld(format!("the request cannot be sent: {error}")))?;
    // HTTP sends no body after HEAD (RFC 9110 §9.3.2).
    let has_body = request.method() != http::Method::HEAD;
    let response = site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
    let (parts, mut body) = response.into_parts();
    let mut reader = BodyReader::default();
    while has_body && let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Trouble::Broken(error.to_string()))?;
        if let Ok(piece) = frame.into_data()
            && !reader.take(&piece)
        {
            return Err(response::endless());
        }
    }
    Ok(reader.finish(parts.status.as_u16(), response::headers(&parts.headers)))
}

impl RequestTransport for Site {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>> {
        Box::pin(exchange(self, request))
    }
}

fn defect_of(id: &str) -> Result<&'static Defect, String> {
    defect::named(id).ok_or_else(|| format!("there is no defect `{id}`"))
}

fn request(http_request: HttpRequest) -> Result<Request<reqwest::Body>, http::Error> {
    let host = &http_request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut request = Request::builder()
        .method(Method::from_bytes(http_request.method.as_bytes())?)
        .uri(http_request.url.as_str().parse::<Uri>()?)
        .header(http::header::HOST, host);
    for (name, value) in &http_request.headers {
        let value = HeaderValue::from_bytes(value.as_bytes())?;
        request = request.header(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    if let Some(length) = http_request.content_length() {
        request = request.header(http::header::CONTENT_LENGTH, length);
    }
    request.body(reqwest::Body::wrap_stream(http_request.body.into_stream()))
}

/// A target file for the mock in this process: all credentials, bindings and consents of the world `demo`, no control
/// plane, no pace, an expired and a revoked token.
///
/// # Errors
/// The control plane issues no tokens.
pub(crate) async fn target_file(sender: &RequestSender) -> Result<TargetFile, String> {
    let file = target_file::from_text(DEPLOYMENT, Path::new("deployment.yaml"), &|_| None);
    let mut file = file.map_err(|error| error.to_string())?;
    let control_plane = ControlPlane::below(&file.base_url, None);
    let failed = |trouble: Trouble| trouble.details().to_owned();
    let issue = |age_seconds| {
        control_plane.issue_token(sender, "demo-main", Scopes::READ_WRITE, age_seconds)
    };
    let expired = issue(TOKEN_LIFETIME_SECONDS).await.map_err(failed)?;
    file.expired_token = Some(SecretString::from(expired));
    let revoked = issue(0).await.map_err(failed)?;
    let order = json!({ "token": revoked });
    let revocation = control_plane.send(sender, "POST", "/tokens/revoke", Some(&order));
    revocation.await.map_err(failed)?;
    file.revoked_token = Some(SecretString::from(revoked));
    Ok(file)
}
