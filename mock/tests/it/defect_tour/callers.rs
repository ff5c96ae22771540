//! Calls that show who is admitted: token requests, tokens, unusual calls, and the rate limit.

use http::HeaderMap;
use moot_mock::call::{Body, BodyFault};
use moot_mock::control::{ClockMove, ControlAction};
use moot_mock::settings::RateLimitMode;

use super::{MULTIPART, Tour, authorization, bearer, multipart, typed};
use crate::shell_support::LEGAL_REQUEST;

const FORM: &str = "application/x-www-form-urlencoded";
const MAIN: &str = "client_id=demo-main&client_secret=demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
const READER: &str = "client_id=demo-reader&client_secret=demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T";
const WRITER: &str = "client_id=demo-writer&client_secret=demo-writer-secret-Cb6Rx1Qe8Ma3Vk5N";

pub(crate) fn tokens(tour: &mut Tour) {
    let form = |text: &str| (typed(HeaderMap::new(), FORM), Body::Whole(text.to_owned().into()));
    let grant = "grant_type=client_credentials";
    let calls = [
        format!("{grant}&scope=read+write&{MAIN}"),
        format!("{grant}&scope=write+read&{MAIN}"),
        format!("{grant}&scope=read&{MAIN}"),
        format!("{grant}&{MAIN}"),
        format!("{grant}&{READER}"),
        format!("{grant}&{WRITER}"),
        format!("{grant}&scope=write&{READER}"),
        format!("{grant}&scope=admin&{MAIN}"),
        format!("scope=read&{MAIN}"),
        format!("{grant}&scope=read&{MAIN}+"),
        format!("{grant}&{grant}&scope=read&{MAIN}"),
        format!("grant_type=password&scope=read&{MAIN}"),
        format!("{grant}&scope=read&client_id=demo-main"),
        format!("{grant}&scope=read&client_secret=secret"),
        format!("{grant}&scope=read&client_id=demo-main&client_secret=wrong"),
        format!("{grant}&scope=read&{}", MAIN.replace("Vr8K", "vR8k")),
        format!("{grant}&scope=read&client_id=nobody&client_secret=wrong"),
    ];
    for call in &calls {
        let (headers, body) = form(call);
        let token = tour.call("POST /oauth/token", &headers, body)["access_token"].clone();
        tour.get("/v1/workflows", token.as_str().unwrap_or("none"));
    }
}

pub(crate) fn bearers(tour: &mut Tour) {
    let body = Body::Whole(format!("grant_type=client_credentials&scope=read&{MAIN}").into());
    let issued = tour.call("POST /oauth/token", &typed(HeaderMap::new(), FORM), body);
    let main = issued["access_token"].as_str().unwrap_or("none").to_owned();
    let mut callers = vec![
        HeaderMap::new(),
        authorization("Token abc"),
        authorization(&format!("bearer {main}")),
        bearer("none"),
        bearer(&format!("{main}x")),
        bearer(&in_other_case(&main)),
    ];
    for age in [3599, 3600, 7199, 7200, 7201] {
        callers.push(bearer(&tour.token("demo-main", age)));
    }
    for client in ["demo-reader", "demo-writer", "other-main"] {
        callers.push(bearer(&tour.token(client, 0)));
    }
    let revoked = tour.token("demo-main", 0);
    let body = Body::Whole(format!("token={revoked}&{MAIN}").into());
    tour.call("POST /oauth/revoke", &typed(HeaderMap::new(), FORM), body);
    callers.push(bearer(&revoked));
    let in_address = format!("GET /v1/workflows?access_token={main}");
    tour.call(&in_address, &HeaderMap::new(), Body::Empty);
    let first = tour.get("/v1/requests", &main)["data"][0]["id"].clone();
    let first_id = first.as_str().unwrap_or("none");
    tour.call(&format!("GET /v1/requests/{first_id}"), &HeaderMap::new(), Body::Empty);
    let activity = format!("GET /v1/requests/{}/activity", first.as_str().unwrap_or("none"));
    for headers in callers {
        let headers = typed(headers, MULTIPART);
        tour.call("GET /v1/requests", &headers, Body::Empty);
        tour.call(&activity, &headers, Body::Empty);
        tour.call("POST /v1/requests", &headers, multipart(LEGAL_REQUEST));
        tour.call("POST /v1/repository_documents", &headers, multipart(&["file@a.pdf=a"]));
        tour.call("DELETE /v1/webhooks/none", &headers, Body::Empty);
    }
}

fn in_other_case(text: &str) -> String {
    let turned = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    text.chars().map(turned).collect()
}

pub(crate) fn odd_calls(tour: &mut Tour) {
    hostile_calls(tour);
    let token = tour.token("demo-main", 0);
    let headers = bearer(&token);
    for line in [
        "PATCH /v1/workflows/wfLease5",
        "PUT /v1/requests",
        "GET /v1/nothing",
        "GET /workflows",
        "POST /v1/oauth/token",
    ] {
        tour.call(line, &headers, Body::Empty);
    }
    let faults = [
        BodyFault::TooLarge,
        BodyFault::NoBoundary,
        BodyFault::WrongMediaType,
        BodyFault::Malformed("no end"),
        BodyFault::Truncated,
    ];
    for path in ["/v1/requests", "/v1/repository_documents"] {
        for fault in faults {
            let headers = typed(headers.clone(), MULTIPART);
            tour.call(&format!("POST {path}"), &headers, Body::Broken(fault));
        }
    }
}

fn hostile_calls(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    for target in [
        "/v1/requests/".to_owned(),
        "/v1/requests?page=1&page=2".to_owned(),
        "/v1/requests?page=400000000000000000".to_owned(),
        format!("/v1/requests/{}", "0".repeat(200)),
        "/v1/requests/%F0%9F%93%84".to_owned(),
    ] {
        tour.get(&target, &token);
    }
    for method in ["HEAD", "OPTIONS"] {
        tour.call(&format!("{method} /v1/requests"), &bearer(&token), Body::Empty);
    }
    let headers = typed(bearer(&token), MULTIPART);
    let twice = ["workflow_id=a", "workflow_id=b"];
    tour.call("POST /v1/requests", &headers, multipart(&twice));
}

pub(crate) fn limits(tour: &mut Tour) {
    let (token, reader) = (tour.token("demo-main", 0), tour.token("demo-reader", 0));
    let mode = Some(RateLimitMode::Enforce);
    tour.ask(ControlAction::SetRateLimit { mode, reset: true, exhaust: None });
    for _ in 0..602 {
        tour.get("/v1/workflows/wfLease5", &token);
    }
    tour.get("/v1/workflows/wfLease5", &reader);
    tour.call("POST /oauth/token", &typed(HeaderMap::new(), FORM), Body::Empty);
    for seconds in [45, 14, 1] {
        tour.ask(ControlAction::MoveClock(ClockMove::Advance(seconds)));
        tour.get("/v1/workflows/wfLease5", &token);
    }
}
