//! The console: static files for a browser at `/__admin/console/`. They hold no data. The page calls the
//! control plane by relative addresses.

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Response, StatusCode};

use super::response::{SiteBody, problem};
use crate::control::Refusal;

/// The path of the console, below `/__admin`.
const CONSOLE: &str = "/console";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const ICON: &str = "image/svg+xml";

macro_rules! file {
    ($name:literal, $media_type:expr) => {
        ($name, $media_type, include_str!(concat!("../../console/", $name)))
    };
}

/// All files of the console: name, media type and text. The name of the page is empty.
pub(crate) const FILES: &[(&str, &str, &str)] = &[
    ("", HTML, include_str!("../../console/index.html")),
    file!("theme.css", STYLE),
    file!("style.css", STYLE),
    file!("icon.svg", ICON),
    file!("act.js", SCRIPT),
    file!("api.js", SCRIPT),
    file!("app.js", SCRIPT),
    file!("call.js", SCRIPT),
    file!("calls.js", SCRIPT),
    file!("clock.js", SCRIPT),
    file!("conduct.js", SCRIPT),
    file!("deliveries.js", SCRIPT),
    file!("dom.js", SCRIPT),
    file!("drills.js", SCRIPT),
    file!("events.js", SCRIPT),
    file!("faults.js", SCRIPT),
    file!("journal.js", SCRIPT),
    file!("limit.js", SCRIPT),
    file!("requests.js", SCRIPT),
    file!("sandboxes.js", SCRIPT),
    file!("timeline.js", SCRIPT),
];

/// Headers of every file. They forbid resources of other sites, inline scripts and styles, and showing the
/// console in a frame.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-cache"),
];

/// The name of the console's file at a path below `/__admin`; empty for the page, `None` outside the console.
pub(crate) fn name(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(CONSOLE)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Answers a call for the file `name`; `path` is the whole path of the call.
pub(crate) fn answer(method: &Method, path: &str, name: &str) -> Response<SiteBody> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let problem = Refusal::method_not_allowed("the console takes GET");
        let mut response = problem.respond(path);
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    if path.ends_with(CONSOLE) {
        return to_folder();
    }
    let Some((_, media_type, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        let detail = format!("the console has no file `{name}`");
        return Refusal::unknown(detail).respond(path);
    };
    let mut response = problem::respond(StatusCode::OK, media_type, (*text).to_owned());
    for (header, value) in HEADERS {
        response.headers_mut().insert(header, HeaderValue::from_static(value));
    }
    response
}

/// Redirects to the path with a final `/`, because addresses in the page are relative to its folder. The
/// redirect is relative, because a gateway may serve the mock under another path.
fn to_folder() -> Response<SiteBody> {
    let mut response =
        problem::respond(StatusCode::PERMANENT_REDIRECT, "text/plain", String::new());
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("console/"));
    response
}
