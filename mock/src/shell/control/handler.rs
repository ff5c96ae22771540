//! Answers a call to the control plane: finds its route, reads its action, and performs it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body::Body;
use moot_fixtures::nearest::{ending, nearest};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::events;
use super::members;
use super::perform::{ControlCall, on_site, on_world};
use super::routes::{ROUTES, Route, WAIT_MEMBER};
use super::site_action::SiteAction;
use crate::control::{Refusal, sent_member};
use crate::shell::body;
use crate::shell::response::{SiteBody, problem};
use crate::shell::sandbox::Realm;
use crate::shell::site::{ControlRights, Site};
use crate::value::message::call::BodyFault;

/// The largest body of a request, in bytes. The largest ones register the content of an address.
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Default of [`WAIT_MEMBER`].
const WAIT_SECONDS: u64 = 10;
/// Largest value of [`WAIT_MEMBER`].
const WAIT_SECONDS_MAX: u64 = 600;

/// Answers a call to the control plane of `realm`; `path` is the part after `/__admin`.
pub(crate) async fn call(
    site: &Site,
    realm: &Arc<Realm>,
    rights: ControlRights,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
) -> Response<SiteBody> {
    let path = if path.is_empty() { "/" } else { path };
    match answer(site, realm, rights, path, parts, body).await {
        Ok(response) => response,
        Err(problem) => {
            let mut response = problem.respond(parts.uri.path());
            if problem.status == 405 {
                response.headers_mut().insert(ALLOW, allow(path));
            }
            response
        }
    }
}

async fn answer(
    site: &Site,
    realm: &Arc<Realm>,
    rights: ControlRights,
    path: &str,
    parts: &Parts,
    body: impl Body<Data = Bytes> + Send + Unpin,
) -> Result<Response<SiteBody>, Refusal> {
    let body =
        body::read_whole(body, &parts.headers, BODY_BYTES_MAX, site.options.body_times).await;
    let body = body.map_err(|fault| match fault {
        BodyFault::TooLarge => {
            Refusal::too_large(format!("a body has at most {BODY_BYTES_MAX} bytes"))
        }
        _ => Refusal::malformed("the body ends too early"),
    })?;
    let (route, id) = route(site, realm, path, &parts.method)?;
    check_rights(site, route, rights)?;
    let members = members::read(route, parts, id, &body)?;
    let patience = patience(&members)?;
    let call = ControlCall { site, realm, parts, body, patience };
    let (status, text) = if route.is_of_site {
        let action = action(members)?;
        if let SiteAction::Events { filter, timeout_seconds } = action {
            let timeout = timeout_seconds.map(Duration::from_secs);
            return Ok(events::stream(site, realm, parts, filter, timeout));
        }
        let (status, value) = on_site(&call, action).await?;
        (status, value.to_string())
    } else {
        let action = action(members)?;
        let sent = sent_member(&realm.service.world(), &action);
        let (status, value) = on_world(&call, action).await?;
        (status, text(&value, sent))
    };
    let text = match status {
        // These responses have no body (RFC 9110 §6.4.1). Only the built-in receiver answers them, as planned.
        Some(StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) => String::new(),
        _ => text,
    };
    Ok(problem::respond(status.unwrap_or(route.status), "application/json", text))
}

/// Refuses a route that is not open to the caller. Counts the call for the account of the client.
fn check_rights(site: &Site, route: &'static Route, rights: ControlRights) -> Result<(), Refusal> {
    let is_refused = rights == ControlRights::Offered && !route.is_offered;
    // If the client has its own token, calls with another token are not its calls.
    if rights == ControlRights::Offered || !site.access.is_offering() {
        let mut uses = site.control_uses.lock();
        let (calls, refused) = uses.entry((&*route.path, route.method.as_str())).or_default();
        *calls += 1;
        *refused += u64::from(is_refused);
    }
    if is_refused {
        let detail =
            format!("`{} {}` is not offered to a client that is graded", route.method, route.path);
        return Err(Refusal::foreign(detail));
    }
    Ok(())
}

/// The JSON text of a response. `sent` is a member that a client sent, with its exact text.
fn text(value: &Value, sent: Option<(&str, Box<RawValue>)>) -> String {
    let (Value::Object(members), Some((sent, exact))) = (value, sent) else {
        return value.to_string();
    };
    let members = members.iter().map(|(name, value)| match name == sent {
        true => format!("{}:{}", Value::from(name.as_str()), exact.get()),
        false => format!("{}:{value}", Value::from(name.as_str())),
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// The longest time without a response of a receiver, for an action that waits for deliveries.
fn patience(members: &Value) -> Result<Duration, Refusal> {
    let seconds = members[WAIT_MEMBER].as_u64().unwrap_or(WAIT_SECONDS);
    if seconds > WAIT_SECONDS_MAX {
        let detail = format!("`{WAIT_MEMBER}` is {WAIT_SECONDS_MAX} at most, not {seconds}");
        return Err(Refusal::invalid(detail));
    }
    Ok(Duration::from_secs(seconds))
}

/// Finds the route of a call, and the id in its path.
fn route<'p>(
    site: &Site,
    realm: &Realm,
    path: &'p str,
    method: &Method,
) -> Result<(&'static Route, &'p str), Refusal> {
    let mut at_path = at(path).peekable();
    if at_path.peek().is_none() {
        let hint = ending(nearest(path, ROUTES.iter().map(|route| route.path.as_str())));
        let detail = format!("there is no `{path}` below `/__admin`{hint}");
        return Err(Refusal::unknown(detail));
    }
    // `HEAD` is `GET` without the body (RFC 9110 §9.3.2).
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let Some((route, id)) = at_path.find(|(route, _)| route.method == *method) else {
        let known: Vec<&str> = at(path).map(|(route, _)| route.method.as_str()).collect();
        let detail = format!("`{path}` does not take {method}, but {}", known.join(" and "));
        return Err(Refusal::method_not_allowed(detail));
    };
    if !route.is_of(site, realm) {
        let detail = match realm.settings.sandbox {
            Some(_) => "sandboxes are made and deleted at the root",
            None => "this mock judges no clients: `moot mock` does",
        };
        return Err(Refusal::unknown(detail));
    }
    Ok((route, id))
}

/// The routes at a path, each with the id in it. A literal path such as `/exchanges/count` matches no route with an id.
fn at(path: &str) -> impl Iterator<Item = (&'static Route, &str)> {
    let is_literal = ROUTES.iter().any(|route| route.path == path);
    let routes = ROUTES.iter().filter(move |route| !is_literal || route.path == path);
    routes.filter_map(move |route| Some((route, route.id_of(path)?)))
}

/// The header `Allow` of a path.
fn allow(path: &str) -> HeaderValue {
    let methods = at(path).map(|(route, _)| match route.method {
        Method::GET => "GET,HEAD",
        ref method => method.as_str(),
    });
    let methods = methods.collect::<Vec<_>>().join(",");
    HeaderValue::from_str(&methods).unwrap_or(HeaderValue::from_static(""))
}

/// Reads an action. The types of all members were checked before, so an error is about a value.
fn action<A: DeserializeOwned>(members: Value) -> Result<A, Refusal> {
    serde_json::from_value(members).map_err(|error| Refusal::invalid(error.to_string()))
}
