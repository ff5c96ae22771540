//! Text forms of times: timestamps in bodies (question `timestamps`), and the headers `Date` and
//! `Retry-After`.

use std::time::{Duration, SystemTime};

use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::TimestampForm;

/// A timestamp in a form of §2.
pub(crate) fn text(form: TimestampForm, at: Timestamp) -> String {
    let pattern = match form {
        TimestampForm::Seconds => "%Y-%m-%dT%H:%M:%SZ",
        TimestampForm::Milliseconds => "%Y-%m-%dT%H:%M:%S.%3fZ",
        TimestampForm::Offset => "%Y-%m-%dT%H:%M:%S+00:00",
        TimestampForm::Basic => "%Y%m%dT%H%M%SZ",
    };
    at.strftime(pattern).to_string()
}

/// Tolerance for calls before a `Retry-After` date: a date has whole seconds, and clocks differ.
const RETRY_DATE_SLACK: SignedDuration = SignedDuration::from_millis(500);

/// A `Retry-After` date: the first whole second after `seconds` from `now`.
pub(crate) fn retry_date(now: Timestamp, seconds: u64) -> HeaderValue {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_add(1);
    let at = now.checked_add(SignedDuration::from_secs(seconds));
    date_header(at.unwrap_or(Timestamp::MAX))
}

/// The whole seconds from `now` to a `Retry-After` date, less [`RETRY_DATE_SLACK`].
pub(crate) fn seconds_to(now: Timestamp, date: &str) -> Option<u64> {
    let since_1970 = httpdate::parse_http_date(date).ok()?.duration_since(SystemTime::UNIX_EPOCH);
    let at = Timestamp::from_second(i64::try_from(since_1970.ok()?.as_secs()).ok()?).ok()?;
    let left = at.duration_since(now) - RETRY_DATE_SLACK;
    u64::try_from(left.as_secs()).ok()
}

/// The value of the header `Date` at `now`. Before 1970 it is the beginning of 1970, because `httpdate`
/// has no earlier times.
pub(crate) fn date_header(now: Timestamp) -> HeaderValue {
    let since_1970 = Duration::from_secs(now.as_second().max(0).unsigned_abs());
    HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_1970))
        .unwrap_or_else(|_| HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"))
}
