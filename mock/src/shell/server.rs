//! Serves a site: over HTTP/1.1, over TLS, and inside a `wiremock::MockServer`.
//!
//! A call goes through this file from top to bottom. Its path selects a world or a control plane, and
//! [`answer_in_world`] has the stages of a call to a world.

mod destination;
#[cfg(feature = "embed")]
pub mod embed;
mod watched;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::HOST;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use http_body::Body;
use tokio::net::TcpListener;

use super::listener::{ServeLimits, Tls, accept_all};
#[cfg(feature = "postgres")]
use super::node::Node;
use super::response::{SiteBody, problem, sent};
use super::sandbox::Realm;
use super::site::Site;
use super::{body, clock, console, control};
use crate::control::Refusal;
use crate::value::message::call::{self, Admission, Call, Head};
use crate::value::message::wire::WireCall;
use crate::world::admit::UnservedReason;
use destination::{Destination, destination, is_admin, is_health_check};

/// Serves `site` on `listener` until `stop` is ready. Then it closes idle connections and waits for running calls, for
/// [`ServeLimits::stop_max`] at most. If the future is dropped, it ends at once. A TLS handshake has the same timeout
/// as the head of a call.
///
/// The future is boxed, because generic code would be compiled by the crate that calls it, with the optimisation of that
/// crate.
pub fn serve(
    listener: TcpListener,
    site: Site,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: BoxFuture<'_, ()>,
) -> BoxFuture<'_, ()> {
    let ending = site.clone();
    let stop = async move {
        stop.await;
        ending.end_streams();
    };
    accept_all(listener, limits, tls, stop, move |peer, request| {
        let site = site.clone();
        // An IPv4 peer of a dual-stack socket counts as itself (§8: the limit is per address).
        async move { site.call_over_http(request, peer.ip().to_canonical()).await }
    })
    .boxed()
}

/// Time for which a node that gave up its lease still answers 503. A proxy that checks health at least once in this
/// time stops sending calls before the socket closes.
#[cfg(feature = "postgres")]
const DRAIN: std::time::Duration = std::time::Duration::from_secs(1);

/// As [`serve`], for one of several nodes that share their state. When `stop` is ready, it first lets
/// another node take over, and answers 503 for a second.
#[cfg(feature = "postgres")]
pub fn serve_node(
    listener: TcpListener,
    node: Node,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: BoxFuture<'_, ()>,
) -> BoxFuture<'_, ()> {
    let ending = node.clone();
    let stop = async move {
        stop.await;
        ending.resign().await;
        tokio::time::sleep(DRAIN).await;
    };
    accept_all(listener, limits, tls, stop, move |peer, request| {
        let node = node.clone();
        async move { node.call_over_http(request, peer.ip().to_canonical()).await }
    })
    .boxed()
}

impl Site {
    /// Answers a call that came over HTTP from `client`: it must name one host (RFC 9112, section 3.2).
    pub(crate) async fn call_over_http(
        &self,
        request: Request<impl Body<Data = Bytes> + Send + Unpin>,
        client: IpAddr,
    ) -> Response<SiteBody> {
        let hosts = request.headers().get_all(HOST).iter().count();
        let detail = match hosts {
            1 => return self.call(request, client).await,
            0 if request.version() < Version::HTTP_11 => return self.call(request, client).await,
            0 => "The header `Host` is missing.",
            _ => "The header `Host` was sent more than once; send it once.",
        };
        let (parts, body) = request.into_parts();
        body::drain(body, &parts.headers, self.options.body_times).await;
        if is_admin(parts.uri.path()) {
            return Refusal::malformed(detail).respond(parts.uri.path());
        }
        refuse_unserved(self, &parts, client, UnservedReason::Malformed(detail)).await
    }

    /// Answers a call that comes from `client`. Only the path of its target counts, not the origin. Must run on a
    /// tokio runtime with time. The body is read to its end, up to a limit, before the response. So a client that
    /// writes its whole body first still receives the response.
    ///
    /// A panic is a bug of the mock. Its call is answered 500, and other calls go on.
    pub async fn call(
        &self,
        request: Request<impl Body<Data = Bytes> + Send + Unpin>,
        client: IpAddr,
    ) -> Response<SiteBody> {
        let (parts, body) = request.into_parts();
        let response = AssertUnwindSafe(route(self, &parts, body, client)).catch_unwind().await;
        response.unwrap_or_else(|_| problem::internal("a bug in the mock"))
    }
}

/// Answers a call by its path.
async fn route(
    site: &Site,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> Response<SiteBody> {
    let whole_path = parts.uri.path();
    if is_health_check(site, parts) {
        body::drain(body, &parts.headers, site.options.body_times).await;
        return problem::respond(StatusCode::OK, "text/plain", "ok".to_owned());
    }
    match destination(site, whole_path) {
        Destination::Service { realm, path } => {
            call_world(site, &realm, path, parts, body, client).await
        }
        Destination::Admin { realm, path } => {
            administer(site, &realm, path, parts, body, client).await
        }
        Destination::NoSandbox { why } => {
            body::drain(body, &parts.headers, site.options.body_times).await;
            if is_admin(whole_path) {
                let access = site.access.check(parts, client);
                let problem = access.err().unwrap_or_else(|| Refusal::unknown(why));
                return problem.respond(whole_path);
            }
            refuse_unserved(site, parts, client, UnservedReason::NoSandbox(&why)).await
        }
        // The core has no route at the empty path, so it refuses the call. Then the path that was sent is put into
        // the refusal.
        Destination::Outside => {
            let mut response = call_world(site, &site.main, "", parts, body, client).await;
            response.body_mut().set_member("instance", whole_path);
            response
        }
    }
}

/// Answers a call to a world, and reports it to the watch.
async fn call_world(
    site: &Site,
    realm: &Realm,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> Response<SiteBody> {
    let at = clock::now();
    let head = head(parts, path, client);
    let (response, serial) = answer_in_world(site, realm, head, body).await;
    if let Some(watch) = &site.options.watch
        && let Some(call) = watched::watched_call(realm, head.headers, serial, parts.uri.path(), at)
    {
        watch(call);
    }
    response
}

/// The stages of a call to a world: admission, body, document at an address, operation, response. Returns the
/// response, and the number of the call.
async fn answer_in_world(
    site: &Site,
    realm: &Realm,
    head: Head<'_>,
    body: impl Body<Data = Bytes> + Send + Unpin,
) -> (Response<SiteBody>, u64) {
    let (service, times) = (&realm.service, site.options.body_times);
    let admitted = match service.admit(clock::now(), &head) {
        Admission::Admitted(admitted) => admitted,
        Admission::Refused(response, serial) => {
            body::drain(body, head.headers, times).await;
            return (sent(response).await, serial);
        }
    };
    let serial = admitted.serial;
    let read = body::read(body, head.headers, admitted.reading, times, &site.store).await;
    let mut call = Call { head, admitted: &admitted, body: call::Body::Empty, fetched: None };
    match read {
        Ok(body) => call.body = body,
        Err(error) => {
            let why = format!("a temporary file cannot be written: {error}");
            let response = service.unstored(clock::now(), &call, &why);
            return (sent(response).await, serial);
        }
    }
    if let Some(fetcher) = &site.options.fetcher
        && let Some(fetch) = service.document_to_fetch(clock::now(), &call)
    {
        call.fetched = Some(fetcher.fetch(fetch, &site.store).await);
    }
    let response = service.answer(clock::now(), &call);
    if head.method == Method::DELETE {
        // After the response no attempt for a deleted webhook may begin (§4.13), even if a fault replaced the
        // response by a failure.
        site.deliverer.abort_unwanted(realm).await;
    }
    (sent(response).await, serial)
}

/// Answers a call to the control plane of `realm`, or for a file of its console.
async fn administer(
    site: &Site,
    realm: &Arc<Realm>,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> Response<SiteBody> {
    let file = console::name(path);
    let access = match file {
        Some(_) => site.access.check_page(parts, client),
        None => site.access.check(parts, client),
    };
    if let (Ok(rights), None) = (&access, file) {
        return control::call(site, realm, *rights, path, parts, body).await;
    }
    body::drain(body, &parts.headers, site.options.body_times).await;
    match access {
        Ok(_) => console::answer(&parts.method, parts.uri.path(), file.unwrap_or_default()),
        Err(problem) => problem.respond(parts.uri.path()),
    }
}

/// Refuses a call that no world serves. No limiter counts it.
async fn refuse_unserved(
    site: &Site,
    parts: &Parts,
    client: IpAddr,
    why: UnservedReason<'_>,
) -> Response<SiteBody> {
    let path = parts.uri.path();
    let (realm, path) = match destination(site, path) {
        Destination::Service { realm, path } | Destination::Admin { realm, path } => (realm, path),
        Destination::NoSandbox { .. } | Destination::Outside => (site.main.clone(), path),
    };
    let head = head(parts, path, client);
    let response = {
        let world = realm.service.world();
        world.unserved(world.now(clock::now()), &head, why)
    };
    let mut response = sent(response).await;
    response.body_mut().set_member("instance", parts.uri.path());
    response
}

/// The head of a call to the world that has `path`.
fn head<'a>(parts: &'a Parts, path: &'a str, client: IpAddr) -> Head<'a> {
    Head {
        method: &parts.method,
        path,
        query: parts.uri.query(),
        headers: &parts.headers,
        client,
        wire: parts.extensions.get::<WireCall>(),
    }
}
