//! Defects that act before the body is read: paths, the rate limit, tokens, scopes and unusual methods.

use std::net::{IpAddr, Ipv4Addr};

use http::header::AUTHORIZATION;
use http::{Method, StatusCode};
use jiff::SignedDuration;
use moot_fixtures::contract::{Operation, ProblemType, TOKEN_LIFETIME_SECONDS};
use serde_json::json;

use super::DefectCode::{self, Admit};
use crate::defect::call::ArrivingCall;
use crate::defect::edit;
use crate::value::message::call::{Admission, Head, Principal};
use crate::value::message::route::RouteMatch;

/// A path without an operation.
const NOWHERE: &str = "/v1/nowhere";
/// Age in seconds at which `bearer.expires-after-an-hour` lets tokens expire.
const SHORT_AGE: i64 = 3600;
/// The second of each minute from which `limits.forgets-after-30-seconds` serves again.
const HALF_MINUTE: i64 = 30;

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("service.token-endpoint-elsewhere", Admit(token_endpoint_elsewhere)),
    ("service.without-version", Admit(without_version)),
    (
        "service.version-2",
        Admit(|call, admission| unknown_if(call.head.path.starts_with("/v1/"), call, admission)),
    ),
    (
        "identifier.not-decoded",
        Admit(|call, admission| unknown_if(call.head.path.contains('%'), call, admission)),
    ),
    (
        "http.head-unknown",
        Admit(|call, admission| unknown_if(*call.head.method == Method::HEAD, call, admission)),
    ),
    (
        "hostile.head-is-500",
        Admit(|call, admission| fail_if(*call.head.method == Method::HEAD, call, admission)),
    ),
    (
        "hostile.options-is-500",
        Admit(|call, admission| fail_if(*call.head.method == Method::OPTIONS, call, admission)),
    ),
    (
        "hostile.trailing-slash-is-500",
        Admit(|call, admission| fail_if(call.head.path.ends_with('/'), call, admission)),
    ),
    ("limits.token-endpoint-free", Admit(token_endpoint_free)),
    ("limits.forgets-after-30-seconds", Admit(forgets_after_30_seconds)),
    ("limits.for-ten-seconds", Admit(limited_for_ten_seconds)),
    ("limits.refusals-count", Admit(refusals_count)),
    ("limits.by-application", Admit(limited_by_application)),
    ("limits.by-path", Admit(limited_by_path)),
    (
        "bearer.missing-taken",
        Admit(|call, admission| admit_anybody_if(!has_authorization(call), call, admission)),
    ),
    (
        "bearer.missing-taken-at-activity",
        Admit(|call, admission| {
            let is_activity = call.head.path.ends_with("/activity");
            admit_anybody_if(is_activity && !has_authorization(call), call, admission)
        }),
    ),
    (
        "bearer.existence-first",
        Admit(|call, admission| admit_anybody_if(is_unknown_id(call), call, admission)),
    ),
    (
        "bearer.invalid-taken",
        Admit(|call, admission| {
            let is_unknown = call.bearer().is_some() && call.grant().is_none();
            admit_anybody_if(is_unknown, call, admission)
        }),
    ),
    (
        "bearer.malformed-taken",
        Admit(|call, admission| {
            let is_malformed = has_authorization(call) && call.bearer().is_none();
            admit_anybody_if(is_malformed, call, admission)
        }),
    ),
    ("bearer.expires-a-second-late", Admit(expires_a_second_late)),
    ("bearer.expires-after-an-hour", Admit(expires_after_an_hour)),
    ("bearer.scheme-in-one-case", Admit(scheme_in_one_case)),
    ("scope.read-application-writes", Admit(read_application_writes)),
    (
        "scope.write-token-invalid",
        Admit(|call, admission| {
            let only_writes = call.grant().is_some_and(|grant| !grant.scopes.read);
            scope_invalid_if(only_writes, call, admission)
        }),
    ),
    ("scope.insufficient-is-401", Admit(|call, admission| scope_invalid_if(true, call, admission))),
];

fn token_endpoint_elsewhere(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    match call.head.path {
        "/v1/oauth/token" => call.at_path("/oauth/token"),
        "/oauth/token" => call.at_path(NOWHERE),
        _ => admission,
    }
}

fn without_version(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    match call.operation() {
        Some(_) => admission,
        None => call.at_path(&format!("/v1{}", call.head.path)),
    }
}

fn token_endpoint_free(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let is_token = call.operation() == Some(Operation::CreateAccessToken);
    match is_token && ArrivingCall::problem(&admission) == Some(ProblemType::RateLimitExceeded) {
        true => call.admit_as(None, admission),
        false => admission,
    }
}

fn forgets_after_30_seconds(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let is_late = call.now.as_second().rem_euclid(60) >= HALF_MINUTE;
    if !is_late || ArrivingCall::problem(&admission) != Some(ProblemType::RateLimitExceeded) {
        return admission;
    }
    call.world.limiter.reset();
    call.world.admit_unhooked(call.now, call.head)
}

fn refusals_count(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    if ArrivingCall::problem(&admission) == Some(ProblemType::RateLimitExceeded) {
        call.world.limiter.exhaust(call.head.client, call.now);
    }
    admission
}

/// Counts the calls of each ten seconds as calls from an address of its own.
fn limited_for_ten_seconds(call: &ArrivingCall<'_>, _: Admission) -> Admission {
    let tens = call.now.as_second().div_euclid(10);
    let client = IpAddr::V4(Ipv4Addr::from(u32::try_from(tens).unwrap_or_default()));
    call.world.admit_unhooked(call.now, &Head { client, ..*call.head })
}

/// Counts the calls of each application as calls from an address of its own.
fn limited_by_application(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let Some(grant) = call.grant() else { return admission };
    let client = IpAddr::V4(Ipv4Addr::from(grant.application));
    call.world.admit_unhooked(call.now, &Head { client, ..*call.head })
}

/// Counts the calls of each operation as calls from an address of its own.
fn limited_by_path(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let Some(operation) = call.operation() else { return admission };
    let client = IpAddr::V4(Ipv4Addr::from(operation as u32));
    call.world.admit_unhooked(call.now, &Head { client, ..*call.head })
}

fn expires_a_second_late(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    match age_seconds(call) == Some(TOKEN_LIFETIME_SECONDS) {
        true => call.admit_despite(ProblemType::TokenExpired, admission),
        false => admission,
    }
}

fn expires_after_an_hour(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    if age_seconds(call).is_none_or(|age| age < SHORT_AGE) {
        return admission;
    }
    let missing = SignedDuration::from_secs(TOKEN_LIFETIME_SECONDS - SHORT_AGE);
    let later = call.now.checked_add(missing).unwrap_or(call.now);
    call.world.admit_unhooked(later, call.head)
}

fn scheme_in_one_case(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let sent = call.head.headers.get(AUTHORIZATION);
    let is_exact = sent.is_none_or(|sent| sent.as_bytes().starts_with(b"Bearer "));
    match &admission {
        Admission::Admitted(admitted) if admitted.principal.is_some() && !is_exact => {
            call.with_invalid_token(admission)
        }
        _ => admission,
    }
}

fn read_application_writes(call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let grant = call.grant();
    let application = grant.and_then(|it| call.world.seed_data().application(it.application));
    match application.is_some_and(|it| !it.scopes.write) {
        true => call.admit_despite(ProblemType::InsufficientScope, admission),
        false => admission,
    }
}

/// Refuses a call as one of an unknown path.
fn unknown_if(is_unknown: bool, call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    if is_unknown { call.at_path(NOWHERE) } else { admission }
}

/// Refuses a call without the scope as one with an invalid token.
fn scope_invalid_if(is_invalid: bool, call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let is_insufficient = ArrivingCall::problem(&admission) == Some(ProblemType::InsufficientScope);
    if is_invalid && is_insufficient { call.with_invalid_token(admission) } else { admission }
}

/// Admits a call with an invalid token as a call of the first application.
fn admit_anybody_if(is_taken: bool, call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    let Some(first) = call.world.seed_data().application(0) else { return admission };
    if !is_taken || ArrivingCall::problem(&admission) != Some(ProblemType::InvalidToken) {
        return admission;
    }
    let principal = Principal { application: 0, company: first.company, scopes: first.scopes };
    call.admit_as(Some(principal), admission)
}

/// Whether the path has an id that no object has.
fn is_unknown_id(call: &ArrivingCall<'_>) -> bool {
    let routed = call.world.seed_data().router.find(call.head.method, call.head.path);
    let RouteMatch::Found(operation, Some(id)) = routed else { return false };
    call.world.missing(operation, &id).is_some()
}

fn has_authorization(call: &ArrivingCall<'_>) -> bool {
    call.head.headers.contains_key(AUTHORIZATION)
}

/// The age of the token of a call, in seconds.
fn age_seconds(call: &ArrivingCall<'_>) -> Option<i64> {
    call.grant().map(|grant| call.now.as_second().saturating_sub(grant.issued_at))
}

/// Refuses a hostile call with 500, before any other decision.
fn fail_if(is_hostile: bool, call: &ArrivingCall<'_>, admission: Admission) -> Admission {
    if !is_hostile {
        return admission;
    }
    let head = call.head;
    let elsewhere = Head { method: &Method::GET, path: NOWHERE, ..*head };
    let refused = call.world.admit_unhooked(call.now, &elsewhere);
    let Admission::Refused(mut response, serial) = refused else { return admission };
    response.status = StatusCode::INTERNAL_SERVER_ERROR;
    edit::rewrite(&mut response, |body| {
        let instance = body["instance"].as_str().unwrap_or_default().replace(NOWHERE, head.path);
        body["type"] = json!("internal_error");
        body["title"] = json!("Internal Server Error");
        body["status"] = json!(500);
        body["instance"] = json!(instance);
    });
    Admission::Refused(response, serial)
}
