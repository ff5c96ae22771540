//! Carries the table of routes on an axum router, and every error as a problem.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Extension, RawPathParams};
use axum::response::{IntoResponse, Response as AxumResponse};
use axum::routing::{MethodFilter, MethodRouter, on};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body::Body;
use http_body_util::BodyExt;
use tower::ServiceExt;

use super::actions::{Asked, Reply, act};
use super::members;
use super::routes::{Action, ROUTES, Route};
use crate::message::call::{self, BodyFault, Reading};
use crate::shell::answer::{Problem, SiteBody, problem};
use crate::shell::body::{self, Store};
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;
use moot_fixtures::nearest::{ending, nearest};

/// Bytes of a request; the bytes of an address are the largest.
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The router, built once and shared by every world.
static ROUTER: LazyLock<Router> = LazyLock::new(router);

/// What the router can't know of a call; the body is read before, by the reader of every shell.
#[derive(Clone)]
struct Scope {
    site: Site,
    realm: Realm,
    headers: HeaderMap,
    body: Bytes,
}

/// A problem on its way through axum, where nobody reads it but [`call`].
#[derive(Clone)]
struct Failed(Problem);

fn router() -> Router {
    let rows = ROUTES
        .iter()
        .fold(Router::new(), |router, route| router.route(route.path, method_router(route)));
    rows.method_not_allowed_fallback(wrong_method).fallback(unknown_path)
}

/// Answers a call to the control plane of `realm`; `path` is what follows `/__admin`.
pub(crate) async fn call<B>(
    site: &Site,
    realm: &Realm,
    path: &str,
    parts: &Parts,
    body: B,
) -> Response<SiteBody>
where
    B: Body<Data = Bytes> + Send + Unpin,
{
    let reading = Reading::Whole { bytes_max: BODY_BYTES_MAX };
    // Nothing read whole touches a store.
    let read = body::read(body, &parts.headers, reading, site.times(), &Store::default()).await;
    let fault = match read {
        Ok(call::Body::Whole(bytes)) => Ok(bytes),
        Ok(call::Body::Empty) => Ok(Bytes::new()),
        Ok(call::Body::Broken(BodyFault::TooLarge)) => {
            Err(Problem::too_large(format!("a body has at most {BODY_BYTES_MAX} bytes")))
        }
        Ok(call::Body::Broken(_) | call::Body::Multipart(_)) | Err(_) => {
            Err(Problem::malformed("the body ends too early"))
        }
    };
    let answer = match fault {
        Ok(body) => {
            let (site, realm, headers) = (site.clone(), realm.clone(), parts.headers.clone());
            let scope = Scope { site, realm, headers, body };
            routed(ROUTER.clone(), path, parts, scope).await
        }
        Err(problem) => Err(problem),
    };
    answer.unwrap_or_else(|problem| problem.respond(parts.uri.path()))
}

async fn routed(
    router: Router,
    path: &str,
    parts: &Parts,
    scope: Scope,
) -> Result<Response<SiteBody>, Problem> {
    let path = if path.is_empty() { "/" } else { path };
    let target = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let uri: Uri = target.parse().map_err(|_| Problem::malformed("the path can't be read"))?;
    let mut request = Request::new(axum::body::Body::empty());
    *request.method_mut() = parts.method.clone();
    *request.uri_mut() = uri;
    request.extensions_mut().insert(scope);
    let Ok(answer) = router.oneshot(request).await;
    if let Some(Failed(problem)) = answer.extensions().get::<Failed>() {
        let mut response = problem.respond(parts.uri.path());
        // axum names the methods that a path takes.
        for (name, value) in
            answer.headers().iter().filter(|(name, _)| *name == http::header::ALLOW)
        {
            response.headers_mut().insert(name, value.clone());
        }
        return Ok(response);
    }
    let (status, body) = (answer.status(), answer.into_body());
    match body.collect().await {
        Ok(body) => {
            let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
            Ok(problem::respond(status, "application/json", text))
        }
        Err(_) => Ok(problem::internal("an answer that can't be read")),
    }
}

fn method_router(route: &'static Route) -> MethodRouter {
    let method = MethodFilter::try_from(route.method.clone());
    let method = method.expect("the table names methods that axum knows");
    on(
        method,
        move |Extension(scope): Extension<Scope>, params: RawPathParams, uri: Uri| async move {
            let Scope { site, realm, headers, body } = scope;
            if route.is_at_root_only && realm.sandbox().is_some() {
                return failed(Problem::not_found("sandboxes are made and deleted at the root"));
            }
            let id = params.iter().next().map(|(_, id)| id.to_owned()).unwrap_or_default();
            let query = uri.query().map(str::to_owned);
            // A receiver takes any body.
            if route.action != Action::Receive
                && let Err(problem) = members::check(route.fields, &body)
            {
                return failed(problem);
            }
            match act(route.action, Asked { site, realm, id, query, headers, body }).await {
                Ok(reply) => replied(reply),
                Err(problem) => failed(problem),
            }
        },
    )
}

async fn unknown_path(uri: Uri) -> AxumResponse {
    let path = uri.path();
    let hint = ending(nearest(path, ROUTES.iter().map(|route| route.path)));
    failed(Problem::not_found(format!("there is no `{path}` below `/__admin`{hint}")))
}

async fn wrong_method(method: Method, uri: Uri) -> AxumResponse {
    let path = uri.path();
    let rows = ROUTES.iter().filter(|route| is_at(route.path, path));
    let taken: Vec<&str> = rows.map(|route| route.method.as_str()).collect();
    let detail = format!("`{path}` does not take {method}, but {}", taken.join(" and "));
    failed(Problem::method_not_allowed(detail))
}

/// Whether a path is one of a row's, whose ids may be anything.
fn is_at(row: &str, path: &str) -> bool {
    let (row, path) = (row.split('/'), path.split('/'));
    row.clone().count() == path.clone().count()
        && row.zip(path).all(|(row, path)| row == path || row.starts_with('{'))
}

fn replied((status, value): Reply) -> AxumResponse {
    // Only a planned status is such, and its body would end the connection (RFC 9110 §6.4.1).
    if matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        return status.into_response();
    }
    (status, value.to_string()).into_response()
}

fn failed(problem: Problem) -> AxumResponse {
    let mut response = StatusCode::NOT_FOUND.into_response();
    *response.status_mut() = problem.status;
    response.extensions_mut().insert(Failed(problem));
    response
}
