//! The mock in this process, without a socket.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt;
use moot_fixtures::{answers, world};
use moot_mock::defect::{self, Defect};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode, Settings};
use moot_mock::shell::{Site, SiteOptions};

use crate::client::http_request::HttpRequest;
use crate::client::response::{self, BodyReader};
use crate::client::transport::{RequestTransport, TransportAnswer};
use crate::environment::choice::TargetOptions;
use crate::exchange::Trouble;

/// The base address of the mock in process: nothing listens there, but its path is served.
pub(crate) const BASE_URL: &str = "http://localhost/api";

/// A mock in this process.
#[derive(Clone)]
pub(crate) struct InProcess {
    site: Site,
}

impl InProcess {
    /// Starts one with the seed, the world and the answers of `options`.
    ///
    /// # Errors
    /// Where it cannot start.
    pub(crate) fn start(options: &TargetOptions) -> Result<Self, String> {
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
            rate_limit: RateLimitMode::Observe,
            progression: Progression::Manual,
        };
        let options = SiteOptions { defects, ..SiteOptions::new(settings) };
        let site = Site::new(options).map_err(|error| error.to_string())?;
        Ok(Self { site })
    }

    async fn exchange(&self, http_request: HttpRequest) -> Result<TransportAnswer, Trouble> {
        let request = request(http_request)
            .map_err(|error| Trouble::Withheld(format!("the request cannot be sent: {error}")))?;
        let response = self.site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let (parts, mut body) = response.into_parts();
        let mut reader = BodyReader::default();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| Trouble::Broken(error.to_string()))?;
            if let Ok(piece) = frame.into_data()
                && !reader.take(&piece)
            {
                return Err(response::endless());
            }
        }
        let response = reader.finish(parts.status.as_u16(), response::headers(&parts.headers));
        Ok(TransportAnswer { response, peer: None })
    }
}

impl RequestTransport for InProcess {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<TransportAnswer, Trouble>> {
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
