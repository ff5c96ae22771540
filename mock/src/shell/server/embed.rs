//! The mock inside a `wiremock::MockServer`, for Rust tests that override some of its responses.
//!
//! wiremock hides the client's address and buffers bodies: here all callers are one address, and
//! connection faults are left to the HTTP server. It answers one call at a time: while a call waits for another one,
//! or for a delivery to the same server, no other call is answered.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use moot_fixtures::world::SeedWorld;
use tokio::runtime::{self, Runtime};
use url::Position;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate};

use crate::shell::response::{SiteBody, problem};
use crate::shell::site::{Site, SiteError, SiteOptions};

/// wiremock's lowest priority, so that mocks that a test mounts come first.
const PRIORITY: u8 = u8::MAX;
/// wiremock does not show the client address, so all calls have this one.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The detail of a response whose body ends with an error.
const BROKEN_BODY: &str =
    "a fault of the connection, which wiremock cannot carry out, or a document that cannot be read";

/// A mock server that answers as the service with this world and
/// [default settings](crate::shell::settings::defaults).
///
/// # Errors
/// As [`start_with`].
pub async fn start(world: Arc<SeedWorld>) -> Result<MockServer, SiteError> {
    start_with(crate::shell::settings::defaults("http://localhost", world)).await
}

/// A mock server that answers as the service with these [`Settings`](crate::world::Settings), or these
/// [`SiteOptions`]. Its world has the server's address: the base address of the settings gives only
/// the base path.
///
/// # Errors
/// No free port, or [`SiteError`] by the settings.
pub async fn start_with(options: impl Into<SiteOptions>) -> Result<MockServer, SiteError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut options = options.into();
    let base_path = crate::world::settings::base_path(&options.settings.base_url)?;
    options.settings.base_url = format!("http://{}{base_path}", listener.local_addr()?);
    let site = Site::new(options)?;
    let server = MockServer::builder().listener(listener).start().await;
    Mock::given(any()).respond_with(responder(&site)).with_priority(PRIORITY).mount(&server).await;
    Ok(server)
}

/// A responder that answers as `site`, to be mounted on the test's own server.
///
/// It makes `ring` the TLS provider of the process, unless there is one: with our features a `reqwest` of the test
/// has none.
pub fn responder(site: &Site) -> impl Respond + use<> {
    // This fails only if a provider is already installed, which works as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (site, runtime) = (site.clone(), CallRuntime::new());
    move |request: &wiremock::Request| {
        let (site, call) = (site.clone(), request_of(request));
        let answered = async move {
            let response = match call {
                Ok(call) => site.call(call, CLIENT).await,
                Err(_) => problem::internal("the call cannot be read"),
            };
            whole(response).await
        };
        let Ok(response) = runtime.wait_for(answered) else {
            return ResponseTemplate::new(500).set_body_string("the runtime of the mock has ended");
        };
        let (head, body) = response.into_parts();
        ResponseTemplate::new(head.status.as_u16())
            .append_headers(&head.headers)
            .set_body_bytes(body)
    }
}

/// The runtime of the calls. wiremock's own runtime waits for the responder, so its tasks and timers stand still.
/// `None` if it could not be started, or is ending.
struct CallRuntime(Option<Runtime>);

impl CallRuntime {
    fn new() -> Self {
        let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self(runtime.ok())
    }

    /// Blocks this thread until `work` is done.
    fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, mpsc::RecvError> {
        let Some(runtime) = &self.0 else { return Err(mpsc::RecvError) };
        let (done, result) = mpsc::channel();
        runtime.spawn(async move { done.send(work.await) });
        result.recv()
    }
}

impl Drop for CallRuntime {
    fn drop(&mut self) {
        // Waiting for its end would panic on a thread of another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// The call as it was sent, as far as wiremock shows it.
fn request_of(request: &wiremock::Request) -> http::Result<Request<Full<Bytes>>> {
    let target = &request.url[Position::BeforePath..Position::AfterQuery];
    let body = Full::new(Bytes::copy_from_slice(&request.body));
    let mut call = Request::builder().method(&request.method).uri(target).body(body)?;
    *call.headers_mut() = request.headers.clone();
    Ok(call)
}

async fn whole(response: Response<SiteBody>) -> Response<Bytes> {
    let (head, body) = response.into_parts();
    match body.collect().await {
        Ok(body) => Response::from_parts(head, body.to_bytes()),
        Err(_) => Box::pin(whole(problem::internal(BROKEN_BODY))).await,
    }
}
