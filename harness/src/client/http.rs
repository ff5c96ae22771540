//! The HTTP transport, with reqwest. It follows no redirects, does not retry, and uses no proxy for loopback. It asks for
//! gzip, as most clients do. For a deployment each request has its own connection.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use reqwest::{Certificate, Client, ClientBuilder, Method, redirect};
use url::Url;

use crate::client::http_request::HttpRequest;
use crate::client::response;
use crate::client::short_body;
use crate::client::target_file::address;
use crate::client::target_file::model::TargetFile;
use crate::client::tls_mistake;
use crate::client::transport::RequestTransport;
use crate::exchange::{ReceivedResponse, Trouble};

/// Timeout `connect`: the time for connecting, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A builder of clients that can speak TLS.
pub(crate) fn new_builder() -> ClientBuilder {
    // Without a provider `build` panics. A second installation fails, which is harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
}

/// The clients for one target.
#[derive(Debug)]
pub(crate) struct Http {
    /// Timeout `silence`: the time until the first byte of a response, and between two pieces of it.
    silence: Duration,
    /// Timeout `exchange`: the time from the first byte sent to the last byte received.
    exchange: Duration,
    /// Whether to use no proxy, because the target is on loopback.
    is_direct: bool,
    /// Root certificates in addition to those of this machine.
    authorities: Vec<Certificate>,
    connections: ConnectionUse,
    /// The client without TLS, created on demand.
    plain: OnceLock<Result<Client, String>>,
    /// The client with TLS, created on demand: loading the root certificates of this machine takes longer than a small
    /// run.
    secure: OnceLock<Result<Client, String>>,
}

/// Whether a connection is used for more than one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionUse {
    /// Idle connections are reused. This is for a mock, which never closes them.
    Kept,
    /// Each request has its own connection. A service may close an idle connection while a request is on its way.
    /// Then the client cannot know whether the request had an effect. It may repeat a POST only if there was none
    /// (RFC 9110 §9.2.2).
    Single,
}

impl Http {
    /// Clients for the base address, timeouts and root certificates of this file.
    ///
    /// # Errors
    /// `tls.ca_file` or the certificates of this machine cannot be read, or the file has no certificate.
    pub(crate) fn new(file: &TargetFile, connections: ConnectionUse) -> Result<Self, String> {
        let http = Self {
            silence: Duration::from_secs(file.limits.silence_seconds.into()),
            exchange: Duration::from_secs(file.limits.exchange_seconds.into()),
            is_direct: address::is_loopback(&file.base_url),
            authorities: file.ca_file.as_deref().map_or(Ok(Vec::new()), authorities)?,
            connections,
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        };
        http.client(&file.base_url)?;
        Ok(http)
    }

    /// The client for this address. A proxy may need TLS even for an http address.
    fn client(&self, url: &Url) -> Result<&Client, String> {
        let is_plain = url.scheme() != "https" && self.is_direct;
        let client = if is_plain { &self.plain } else { &self.secure };
        client.get_or_init(|| self.new_client(is_plain)).as_ref().map_err(Clone::clone)
    }

    fn new_client(&self, is_plain: bool) -> Result<Client, String> {
        let builder = new_builder()
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(self.silence)
            .timeout(self.exchange)
            .tcp_nodelay(true);
        let builder = match self.connections {
            ConnectionUse::Kept => builder,
            ConnectionUse::Single => builder.pool_max_idle_per_host(0),
        };
        let builder = if self.is_direct { builder.no_proxy() } else { builder };
        let builder = match (is_plain, self.authorities.as_slice()) {
            (true, _) => builder.tls_certs_only([]),
            (false, []) => builder,
            (false, authorities) => builder.tls_certs_merge(authorities.to_vec()),
        };
        builder.build().map_err(|error| response::innermost(&error))
    }

    async fn exchange(&self, http_request: HttpRequest) -> Result<ReceivedResponse, Trouble> {
        if http_request.body.declared_length().is_some() {
            let exchange = self.exchange;
            return short_body::send(http_request, CONNECT_TIMEOUT, exchange).await;
        }
        let started = Instant::now();
        let trouble = |error: reqwest::Error| self.trouble(&error, started.elapsed());
        let response = self.request(http_request)?.send().await.map_err(trouble)?;
        response::read(response, trouble).await
    }

    fn request(&self, http_request: HttpRequest) -> Result<reqwest::RequestBuilder, Trouble> {
        let method = Method::from_bytes(http_request.method.as_bytes()).map_err(|_| {
            Trouble::Withheld(format!("`{}` is not an HTTP method", http_request.method))
        })?;
        let client = self.client(&http_request.url).map_err(Trouble::Tls)?;
        let length = http_request.content_length();
        let mut request = client.request(method, http_request.url);
        // A range would be a part of the compressed body.
        let has =
            |wanted| http_request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if !has("accept-encoding") && !has("range") {
            request = request.header(http::header::ACCEPT_ENCODING, "gzip");
        }
        for (name, value) in http_request.headers {
            request = request.header(name, value.into_bytes());
        }
        if let Some(length) = length {
            request = request.header(http::header::CONTENT_LENGTH, length);
        }
        if !http_request.body.is_empty() {
            request = request.body(reqwest::Body::wrap_stream(http_request.body.into_stream()));
        }
        Ok(request)
    }

    /// Converts an error of reqwest, which has one kind of error for both timeouts. `elapsed` decides which one
    /// passed.
    fn trouble(&self, error: &reqwest::Error, elapsed: Duration) -> Trouble {
        if error.is_builder() {
            let reason = response::innermost(error);
            return Trouble::Withheld(format!("the request cannot be sent: {reason}"));
        }
        if let Some(tls) = tls_error(error) {
            return Trouble::Tls(tls_mistake::describe(tls));
        }
        match (error.is_timeout(), error.is_connect()) {
            (true, true) => Trouble::timeout("no connection", CONNECT_TIMEOUT, "connect"),
            (true, false) if elapsed >= self.exchange => {
                Trouble::timeout("no whole response", self.exchange, "limits.exchange_seconds")
            }
            (true, false) => Trouble::timeout(
                "no whole head, or no further byte of the body,",
                self.silence,
                "limits.silence_seconds",
            ),
            (false, true) => Trouble::Unreachable(response::innermost(error)),
            (false, false) => response::broken(error),
        }
    }
}

impl RequestTransport for Http {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>> {
        Box::pin(self.exchange(request))
    }
}

/// The certificates in a file.
fn authorities(path: &Path) -> Result<Vec<Certificate>, String> {
    let shown = path.display();
    let pem = std::fs::read(path)
        .map_err(|error| format!("`tls.ca_file` {shown} cannot be read: {error}"))?;
    let certificates = Certificate::from_pem_bundle(&pem)
        .map_err(|error| format!("`tls.ca_file` {shown} is not PEM: {error}"))?;
    if certificates.is_empty() {
        return Err(format!("`tls.ca_file` {shown} holds no certificate"));
    }
    Ok(certificates)
}

fn tls_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    // A rustls error is inside an `io::Error`. The `source` of that error is the source of the rustls error.
    let within = || error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error
        .downcast_ref::<rustls::Error>()
        .or_else(|| within().and_then(|within| tls_error(within)))
        .or_else(|| error.source().and_then(tls_error))
}

#[cfg(test)]
mod tests {
    use super::{ConnectionUse, Http};
    use crate::client::target_file;

    #[test]
    fn root_certificates_are_read_only_where_tls_may_be_needed() {
        let is_secure = |address: &str| {
            let target = target_file::from_url(address, &|_| None).expect("an address");
            let http = Http::new(&target, ConnectionUse::Single);
            http.expect("clients").secure.get().is_some()
        };
        assert!(!is_secure("http://127.0.0.1:1"));
        assert!(is_secure("https://127.0.0.1:1"));
        assert!(is_secure("http://legal.example.com"), "a proxy may use TLS");
    }
}
