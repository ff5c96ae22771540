//! Does a response have the headers that HTTP, OAuth and §7 ask for?

use super::answered_exchange::{AnsweredExchange, PROBLEM};
use crate::exchange::date_seconds;
use crate::verdict::check::document::is_json;
use crate::verdict::check::{Judgement, MismatchKind, ResponsePart};

/// The clock of a service may be wrong, and a test may move it forward. It never goes back by more than
/// this.
const BACK_SECONDS_MAX: i64 = 24 * 60 * 60;

fn fails(
    header: &str,
    kind: MismatchKind,
    message: &str,
    expected: &str,
    actual: impl Into<String>,
) -> Judgement {
    let part = ResponsePart::Header(header.to_owned());
    Judgement::fails(kind, message, expected, actual).in_part(part)
}

/// Does the response have a valid `Date` (RFC 9110 §6.6.1), of a clock that does not go back?
pub(super) fn date(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    // The standard does not ask for it in server errors.
    if answered.status() >= 500 {
        return None;
    }
    let expected = "Date: an HTTP-date";
    let Some(date) = answered.header("date") else {
        let message = "the response has no `Date`";
        return Some(fails("date", MismatchKind::Absent, message, expected, "absent"));
    };
    Some(match date_seconds(&date) {
        Some(at) if is_steady(answered, at) => Judgement::Holds,
        Some(_) => {
            let message = "`Date` is more than a day before that of an earlier response";
            fails("date", MismatchKind::TooFar, message, "the time of the response", date)
        }
        None => fails("date", MismatchKind::Format, "`Date` is not an HTTP-date", expected, date),
    })
}

/// Whether the clock of the service did not go back since the first response.
fn is_steady(answered: &AnsweredExchange<'_>, at: i64) -> bool {
    let ahead = at - answered.exchange.sent_at_seconds;
    ahead >= answered.context.dates.or_remember(answered.base(), "date", ahead) - BACK_SECONDS_MAX
}

/// Is a JSON body sent with a JSON media type (RFC 9110 §8.3)?
pub(super) fn json_media_type(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    // A text can be a JSON number or word by chance, but not an object or an array.
    let json = answered.response.json.as_deref()?;
    if !(json.is_object() || json.is_array()) || answered.is_limit() {
        return None;
    }
    let expected = "application/json, or a type with the suffix +json";
    Some(match answered.media_type() {
        Some(media_type) if is_json(&media_type) => Judgement::Holds,
        Some(media_type) => {
            let message = "a JSON body is sent with another media type";
            fails("content-type", MismatchKind::MediaType, message, expected, media_type)
        }
        None => {
            let message = "a JSON body is sent without a media type";
            fails("content-type", MismatchKind::Absent, message, expected, "absent")
        }
    })
}

/// Is a problem sent with the media type of problems (RFC 9457 §3)?
pub(super) fn problem_media_type(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let failed = |actual: &str| {
        let message = match answered.response.body.is_empty() {
            true => "an error has no body, and so no problem",
            false => "an error is not sent as a problem",
        };
        fails("content-type", MismatchKind::MediaType, message, PROBLEM, actual)
    };
    let media_type = answered.media_type();
    let actual = media_type.as_deref().unwrap_or("absent");
    answered.is_api_error().then(|| match actual {
        PROBLEM => Judgement::Holds,
        // The question `problem_content_type` allows JSON. It is still a warning, as is an error of `other_errors`
        // without a problem.
        _ if is_json(actual) || answered.is_other_error() => failed(actual).tolerated(),
        _ => failed(actual),
    })
}

/// Does a 405 list the methods of the path in `Allow` (RFC 9110 §15.5.6)?
pub(super) fn allow(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    (answered.status() == 405).then(|| match answered.header("allow") {
        // The list may be empty, because a path may accept no method at all.
        Some(_) => Judgement::Holds,
        None => {
            let expected = "Allow: the methods of the path";
            fails("allow", MismatchKind::Absent, "a 405 has no `Allow`", expected, "absent")
        }
    })
}

/// Does a 401 of an operation with a token have a Bearer challenge (RFC 6750 §3)?
pub(super) fn challenge(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    const HEADER: &str = "www-authenticate";
    if answered.status() != 401 || !answered.takes_token() {
        return None;
    }
    let expected = "WWW-Authenticate: Bearer …";
    Some(match answered.header(HEADER) {
        None => {
            let message = "a 401 has no `WWW-Authenticate`";
            fails(HEADER, MismatchKind::Absent, message, expected, "absent")
        }
        Some(challenges) if has_bearer(&challenges) => Judgement::Holds,
        Some(challenges) => {
            let message = "a 401 does not ask for the scheme Bearer";
            fails(HEADER, MismatchKind::Value, message, expected, challenges)
        }
    })
}

/// Whether one of the challenges has the scheme Bearer. Upper and lower case are the same.
fn has_bearer(challenges: &str) -> bool {
    challenges.split(',').any(|part| {
        let scheme = part.split_whitespace().next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("bearer")
    })
}

/// Does a token response forbid caches to store it (RFC 6749 §5.1)?
pub(super) fn no_store(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    if !answered.is_new_token() {
        return None;
    }
    let value = answered.header("cache-control");
    let mut directives = value.iter().flat_map(|value| value.split(','));
    if directives.any(|directive| directive.trim().eq_ignore_ascii_case("no-store")) {
        return Some(Judgement::Holds);
    }
    let actual = value.unwrap_or_else(|| "absent".to_owned());
    let message = "a token response may be stored";
    Some(fails("cache-control", MismatchKind::Value, message, "Cache-Control: no-store", actual))
}

/// Does the response to a call with a token stay out of shared caches (RFC 9111 §3.5)?
pub(super) fn not_public(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let mut headers = answered.exchange.request.headers.iter();
    if !headers.any(|(name, _)| name == "authorization") || !answered.takes_token() {
        return None;
    }
    let value = answered.header("cache-control").unwrap_or_default();
    let is_public = value.split(',').map(str::trim).any(|directive| {
        let name = directive.split('=').next().unwrap_or(directive);
        name.eq_ignore_ascii_case("public") || name.eq_ignore_ascii_case("s-maxage")
    });
    if !is_public {
        return Some(Judgement::Holds);
    }
    let message = "shared caches may store the response to a call with a token";
    Some(fails("cache-control", MismatchKind::Value, message, "no `public`, no `s-maxage`", value))
}

/// Is a 204 without `Content-Length` (RFC 9110 §8.6)?
pub(super) fn no_length(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    (answered.status() == 204).then(|| match answered.header("content-length") {
        None => Judgement::Holds,
        Some(length) => {
            let message = "a 204 has a `Content-Length`";
            fails("content-length", MismatchKind::Present, message, "absent", length)
        }
    })
}
