//! Routes a call by its path: to a world, or to a control plane.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::HOST;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use http_body::Body;
use moot_fixtures::contract::Operation;

use crate::control::Refusal;
use crate::operation::oauth;
use crate::shell::answer::{SiteBody, problem, sent};
use crate::shell::sandbox::Realm;
use crate::shell::site::{Site, WatchedCall};
use crate::shell::{body, clock, console, control};
use crate::value::message::call::{self, Admission, Call, Head};
use crate::value::message::unserved::Unserved;
use crate::value::message::wire::WireCall;

/// Prefix of a control plane, below a base path.
const ADMIN: &str = "/__admin";
/// The health check, at the root and below the base path.
const HEALTH: &str = "/health";
/// Prefix of sandboxes, below the base path.
const SANDBOXES: &str = "/sandboxes/";

impl Site {
    /// Answers a call that comes from `client`. Only the path of its target counts, not the origin. Must run on a
    /// tokio runtime with time. The body is read to its end, up to a limit, before the answer. So a client that
    /// writes its whole body first still receives the answer.
    ///
    /// A panic is a bug of the mock. Its call is answered 500, and other calls go on.
    pub async fn call(
        &self,
        request: Request<impl Body<Data = Bytes> + Send + Unpin>,
        client: IpAddr,
    ) -> Response<SiteBody> {
        let (parts, body) = request.into_parts();
        let answer = AssertUnwindSafe(answer(self, &parts, body, client)).catch_unwind().await;
        answer.unwrap_or_else(|_| problem::internal("a bug in the mock"))
    }

    /// As [`Self::call`], for a call that came over HTTP: it must name one host (RFC 9112, section 3.2).
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
        body::drain(body, &parts.headers, self.times).await;
        if is_admin(parts.uri.path()) {
            return Refusal::malformed(detail).respond(parts.uri.path());
        }
        unserved(self, &parts, client, Unserved::Malformed(detail)).await
    }
}

/// Refuses a call that no world serves. No limiter counts it.
async fn unserved(
    site: &Site,
    parts: &Parts,
    client: IpAddr,
    why: Unserved<'_>,
) -> Response<SiteBody> {
    let path = parts.uri.path();
    let (realm, path) = match destination(site, path) {
        Destination::Service { realm, path } | Destination::Admin { realm, path } => (realm, path),
        Destination::NoSandbox { .. } | Destination::Outside => (site.main.clone(), path),
    };
    let (method, query, headers) = (&parts.method, parts.uri.query(), &parts.headers);
    let wire = parts.extensions.get::<WireCall>();
    let head = Head { method, path, query, headers, client, wire };
    let response = {
        let world = realm.service.world();
        world.unserved(world.now(clock::now()), &head, why)
    };
    let mut response = sent(response).await;
    response.body_mut().set_member("instance", parts.uri.path());
    realm.called.notify_waiters();
    response
}

/// Whether a path is one of a control plane, whatever is before it.
fn is_admin(path: &str) -> bool {
    path.split('/').any(|segment| Some(segment) == ADMIN.strip_prefix('/'))
}

async fn answer(
    site: &Site,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> Response<SiteBody> {
    if is_health_check(site, parts) {
        body::drain(body, &parts.headers, site.times).await;
        return problem::respond(StatusCode::OK, "text/plain", "ok".to_owned());
    }
    match destination(site, parts.uri.path()) {
        Destination::Service { realm, path } => {
            serve(site, &realm, path, parts, body, client).await
        }
        Destination::Admin { realm, path } => {
            administer(site, &realm, path, parts, body, client).await
        }
        Destination::NoSandbox { why } => match is_admin(parts.uri.path()) {
            true => {
                body::drain(body, &parts.headers, site.times).await;
                let access = site.access.check(parts, client);
                let problem = access.err().unwrap_or_else(|| Refusal::unknown(why));
                problem.respond(parts.uri.path())
            }
            false => {
                body::drain(body, &parts.headers, site.times).await;
                unserved(site, parts, client, Unserved::NoSandbox(&why)).await
            }
        },
        // The core has no route at the empty path, so it refuses the call. Then the path that was sent is put into
        // the refusal.
        Destination::Outside => {
            let mut response = serve(site, &site.main, "", parts, body, client).await;
            response.body_mut().set_member("instance", parts.uri.path());
            response
        }
    }
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
    body::drain(body, &parts.headers, site.times).await;
    match access {
        Ok(_) => console::answer(&parts.method, parts.uri.path(), file.unwrap_or_default()),
        Err(problem) => problem.respond(parts.uri.path()),
    }
}

async fn serve(
    site: &Site,
    realm: &Realm,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> Response<SiteBody> {
    let Some(watch) = &site.watch else {
        return serve_unwatched(site, realm, path, parts, body, client).await.0;
    };
    let at = clock::now();
    let (response, serial) = serve_unwatched(site, realm, path, parts, body, client).await;
    let client = client.to_canonical();
    // A refused call has no number here. An equal call was refused for the same reason.
    let entry = realm.service.newest_entry(|entry| match serial {
        Some(serial) => entry.serial == serial,
        None => {
            (entry.client, entry.method.as_str()) == (client, parts.method.as_str())
                && entry.path == path
                && entry.refused_by.is_some()
        }
    });
    if let Some(entry) = entry {
        let decision = entry.decision();
        let query = entry.query.map(|query| format!("?{query}")).unwrap_or_default();
        let form = entry.request.text.as_deref();
        let named =
            is_about_tokens(entry.operation).then(|| oauth::named_client(&parts.headers, form));
        let named = named.flatten();
        let lasted = clock::now().duration_since(at).as_millis();
        watch(WatchedCall {
            at,
            sandbox: realm.sandbox.clone(),
            method: entry.method,
            path: format!("{}{query}", parts.uri.path()),
            operation: entry.operation,
            application: entry.application.or(named),
            status: entry.status,
            decision,
            problem: entry.problem,
            fault: entry.fault,
            milliseconds: u64::try_from(lasted).unwrap_or_default(),
        });
    }
    response
}

/// Whether calls of an operation name their application by client id instead of a token.
fn is_about_tokens(operation: Option<Operation>) -> bool {
    matches!(operation, Some(Operation::CreateAccessToken | Operation::RevokeToken))
}

/// The answer, and the number of the call if it was admitted.
async fn serve_unwatched(
    site: &Site,
    realm: &Realm,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
    client: IpAddr,
) -> (Response<SiteBody>, Option<u64>) {
    let (query, headers, times) = (parts.uri.query(), &parts.headers, site.times);
    let wire = parts.extensions.get::<WireCall>();
    let head = Head { method: &parts.method, path, query, headers, client, wire };
    let service = &realm.service;
    let admitted = match service.admit(clock::now(), &head) {
        Admission::Admitted(admitted) => admitted,
        Admission::Refused(response) => {
            realm.called.notify_waiters();
            body::drain(body, headers, times).await;
            return (sent(response).await, None);
        }
    };
    let serial = Some(admitted.serial);
    let read = body::read(body, headers, admitted.reading, times, &site.store).await;
    let mut call = Call { head, admitted: &admitted, body: call::Body::Empty, fetched: None };
    match read {
        Ok(body) => call.body = body,
        Err(error) => {
            let why = format!("a temporary file can't be written: {error}");
            let response = service.unstored(clock::now(), &call, &why);
            realm.called.notify_waiters();
            return (sent(response).await, serial);
        }
    }
    if let Some(fetcher) = &site.fetcher
        && let Some(fetch) = service.needs(clock::now(), &call)
    {
        call.fetched = Some(fetcher.fetch(fetch, &site.store).await);
    }
    let response = service.answer(clock::now(), &call);
    realm.called.notify_waiters();
    if parts.method == Method::DELETE {
        // After the answer no attempt for a deleted webhook may begin (§4.13), even if a fault replaced the answer
        // by a failure.
        site.deliverer.abort_unwanted(realm).await;
    }
    (sent(response).await, serial)
}

/// Whether it is a health check, as container runtimes send them. The answer has no other information, so the call
/// needs no token, and neither limiter nor journal counts it.
fn is_health_check(site: &Site, parts: &Parts) -> bool {
    let path = parts.uri.path();
    let is_path = path == HEALTH || below(path, &site.base_path) == Some(HEALTH);
    is_path && matches!(parts.method, Method::GET | Method::HEAD)
}

/// Destination of a path.
enum Destination<'p> {
    Service {
        realm: Arc<Realm>,
        path: &'p str,
    },
    Admin {
        realm: Arc<Realm>,
        path: &'p str,
    },
    /// A sandbox that does not exist.
    NoSandbox {
        why: String,
    },
    Outside,
}

fn destination<'p>(site: &Site, path: &'p str) -> Destination<'p> {
    let Some(path) = below(path, &site.base_path) else { return Destination::Outside };
    if let Some(rest) = path.strip_prefix(SANDBOXES) {
        let (id, _) = rest.split_once('/').unwrap_or((rest, ""));
        site.collect();
        if let Some(realm) = site.sandboxes.get(id) {
            return in_realm(realm, &rest[id.len()..]);
        }
        return Destination::NoSandbox { why: site.sandboxes.absence(id) };
    }
    in_realm(site.main.clone(), path)
}

fn in_realm(realm: Arc<Realm>, path: &str) -> Destination<'_> {
    match below(path, ADMIN) {
        Some(path) => Destination::Admin { realm, path },
        None => Destination::Service { realm, path },
    }
}

/// The path after `prefix`, if `prefix` ends at the end of a segment.
fn below<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
