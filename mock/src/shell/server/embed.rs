//! The mock inside a `wiremock::MockServer`, for Rust tests that override some of its responses.
//!
//! wiremock hides the client's address and buffers bodies: here all callers are one address, and
//! connection faults are left to the HTTP server.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use moot_fixtures::world::SeedWorld;
use tokio::task::coop::unconstrained;
use url::Position;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate};

use crate::shell::response::{SiteBody, problem};
use crate::shell::site::{Site, SiteError, SiteOptions};

/// wiremock's lowest priority, so that mocks that a test mounts come first.
const PRIORITY: u8 = u8::MAX;
/// wiremock does not show the client address, so all calls have this one.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

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
pub fn responder(site: &Site) -> impl Respond + use<> {
    let site = site.clone();
    move |request: &wiremock::Request| {
        let answered = async {
            let response = match request_of(request) {
                Ok(call) => site.call(call, CLIENT).await,
                Err(_) => problem::internal("the call cannot be read"),
            };
            whole(response).await
        };
        // This blocks wiremock's runtime. So a call may wait for other threads (a delivery, a file), but never for
        // that runtime. Without `unconstrained`, tokio would have a long body pause for other tasks of it, and never
        // resume it.
        let (head, body) = futures_executor::block_on(unconstrained(answered)).into_parts();
        ResponseTemplate::new(head.status.as_u16())
            .append_headers(&head.headers)
            .set_body_bytes(body)
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
        Err(_) => Box::pin(whole(problem::internal("a stored document cannot be read"))).await,
    }
}
