//! How times are written: timestamps of bodies (question `timestamps`) and the `date` header.

use std::time::{Duration, SystemTime};

use http::HeaderValue;
use jiff::Timestamp;
use moot_fixtures::contract::TimestampForm;
use parking_lot::Mutex;

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

/// The form of the control plane, whatever the answers say: `2026-03-05T14:30:00Z`, with fractions
/// where there are some.
pub(crate) fn exact(at: Timestamp) -> String {
    at.to_string()
}

/// The value of the `date` header, written once a second.
#[derive(Debug)]
pub(crate) struct DateHeader(Mutex<(i64, HeaderValue)>);

impl DateHeader {
    /// Nothing written yet.
    pub(crate) fn new() -> Self {
        Self(Mutex::new((0, written(0))))
    }

    /// The value at `now`; before 1970 it is that of 1970, since the format knows no earlier.
    pub(crate) fn at(&self, now: Timestamp) -> HeaderValue {
        let second = now.as_second().max(0);
        let mut cached = self.0.lock();
        if cached.0 != second {
            *cached = (second, written(second));
        }
        cached.1.clone()
    }
}

fn written(second: i64) -> HeaderValue {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second.unsigned_abs());
    HeaderValue::from_str(&httpdate::fmt_http_date(at))
        .unwrap_or_else(|_| HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"))
}
