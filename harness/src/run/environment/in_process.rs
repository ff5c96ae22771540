//! The mock in this process, without a socket.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt;
use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use moot_fixtures::{answers, world};
use moot_mock::defect::{self, Defect};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode, Settings};
use moot_mock::shell::{Site, SiteOptions};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use crate::client::http_request::HttpRequest;
use crate::client::response::{self, BodyReader};
use crate::client::target_file::{self, TargetFile};
use crate::client::transport::RequestTransport;
use crate::exchange::{ReceivedResponse, Trouble};
use crate::run::environment::choice::TargetOptions;

/// The base address of the mock in process: nothing listens there, but its path is served.
pub(crate) const BASE_URL: &str = "http://localhost/api";

/// The target file of a deployment in this process.
const DEPLOYMENT: &str = include_str!("deployment.yaml");

/// A mock in this process.
#[derive(Clone)]
pub(crate) struct InProcess {
    site: Site,
}

impl InProcess {
    /// Starts one with the seed, the world and the answers of `options`. If it counts calls, it still refuses none.
    ///
    /// # Errors
    /// Where it cannot start.
    pub(crate) fn start(options: &TargetOptions, counts_calls: bool) -> Result<Self, String> {
        let rate_limit = if counts_calls { RateLimitMode::Observe } else { RateLimitMode::Off };
        let seed_world = match &options.world {
            Some(chosen) => chosen.clone(),
            None => {
                let demo = world::named("demo").ok_or("the world `demo` is not embedded")?;
                Arc::new(demo.clone())
            }
        };
        let answers = options.answers.clone().unwrap_or_else(|| answers::default().clone());
        let defects = options.defects.iter().map(|id| known(id)).collect::<Result<_, _>>()?;
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
        let site = Site::new(options).map_err(|error| error.to_string())?;
        Ok(Self { site })
    }

    /// The target file of a careful user: all credentials, bindings and consents of the world `demo`, no
    /// control plane, no pace, an expired and a revoked token.
    ///
    /// # Errors
    /// Where the tokens cannot be had.
    pub(crate) async fn target_file(&self) -> Result<TargetFile, String> {
        let file = target_file::from_text(DEPLOYMENT, Path::new("deployment.yaml"), &|_| None);
        let mut file = file.map_err(|error| error.to_string())?;
        file.expired_token = Some(self.minted(TOKEN_LIFETIME_SECONDS).await?);
        let revoked = self.minted(0).await?;
        let order = json!({ "token": revoked.expose_secret() });
        self.admin("/tokens/revoke", &order).await?;
        file.revoked_token = Some(revoked);
        Ok(file)
    }

    /// A token of the application `main` that was issued this many seconds ago.
    async fn minted(&self, age_seconds: i64) -> Result<SecretString, String> {
        let order = json!({ "client_id": "demo-main", "scopes": ["read", "write"], "age_seconds": age_seconds });
        let answer = self.admin("/tokens", &order).await?;
        let token = answer.get("access_token").and_then(Value::as_str);
        let token = token.ok_or("the control plane minted no `access_token`")?;
        Ok(SecretString::from(token.to_owned()))
    }

    async fn admin(&self, path: &str, order: &Value) -> Result<Value, String> {
        let request = Request::post(format!("{BASE_URL}/__admin{path}"))
            .header(http::header::HOST, "localhost")
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(reqwest::Body::from(order.to_string()))
            .map_err(|error| error.to_string())?;
        let response = self.site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let is_success = response.status().is_success();
        let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
        let body = body.to_bytes();
        match is_success {
            true => Ok(serde_json::from_slice(&body).unwrap_or_default()),
            false => Err(format!("the control plane answered {}", String::from_utf8_lossy(&body))),
        }
    }

    async fn exchange(&self, http_request: HttpRequest) -> Result<ReceivedResponse, Trouble> {
        let request = request(http_request)
            .map_err(|error| Trouble::Withheld(format!("the request cannot be sent: {error}")))?;
        // HTTP sends no body after HEAD (RFC 9110 §9.3.2).
        let has_body = request.method() != http::Method::HEAD;
        let response = self.site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
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
}

impl RequestTransport for InProcess {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>> {
        Box::pin(self.exchange(request))
    }
}

fn known(id: &str) -> Result<&'static Defect, String> {
    defect::named(id).ok_or_else(|| format!("there is no defect `{id}`"))
}

fn request(http_request: HttpRequest) -> Result<Request<reqwest::Body>, http::Error> {
    let host = &http_request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut request = Request::builder()
        .method(Method::from_bytes(http_request.method.as_bytes())?)
        .uri(http_request.url.as_str().parse::<Uri>()?)
        .header(http::header::HOST, host);
    for (name, value) in &http_request.headers {
        let value = HeaderValue::from_str(value)?;
        request = request.header(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    if let Some(length) = http_request.content_length() {
        request = request.header(http::header::CONTENT_LENGTH, length);
    }
    request.body(reqwest::Body::wrap_stream(http_request.body.into_stream()))
}
