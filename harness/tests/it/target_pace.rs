//! The token bucket, on time that is only said.

use std::time::{Duration, SystemTime};

use moot_harness::target::pace::{Pace, RETRY_AFTER_MAX, retry_after};
use tokio::time::Instant;

/// When each of `expected.len()` turns is, in milliseconds, all asked for at once.
#[track_caller]
fn check(pace: &Pace, now: Instant, expected: &[u64]) {
    let turns: Vec<u64> = expected
        .iter()
        .map(|_| (pace.reserve(now) - now).as_millis().try_into().expect("it is soon"))
        .collect();
    assert_eq!(turns, expected);
}

#[test]
fn turns_are_evenly_spaced() {
    check(&Pace::new(60, 1), Instant::now(), &[0, 1_000, 2_000, 3_000]);
    check(&Pace::new(600, 1), Instant::now(), &[0, 100, 200]);
}

#[test]
fn a_few_may_leave_at_once_after_a_rest() {
    let pace = Pace::new(60, 3);
    let now = Instant::now();
    check(&pace, now, &[0, 0, 0, 1_000, 2_000]);
    // Five turns are used up after five seconds, and the bucket is full again.
    check(&pace, now + Duration::from_secs(5), &[0, 0, 0, 1_000]);
}

#[test]
fn zero_is_unpaced() {
    check(&Pace::new(0, 1), Instant::now(), &[0, 0, 0, 0]);
}

#[test]
fn no_minute_has_more_turns_than_it_may() {
    let now = Instant::now();
    check(&Pace::a_minute(2), now, &[0, 0, 60_000, 60_000, 120_000]);
    check(&Pace::a_minute(0), now, &[0, 0, 0]);
    // The token endpoint of a service that takes ten a minute, asked as often as a run likes.
    let (pace, mut asked_at) = (Pace::a_minute(8), now);
    let mut turns: Vec<Instant> = Vec::new();
    for number in 0..200_u64 {
        asked_at += Duration::from_millis(number * 37 % 9_000);
        turns.push(pace.reserve(asked_at));
    }
    for first in &turns {
        let minute = *first..*first + Duration::from_secs(60);
        assert!(turns.iter().filter(|turn| minute.contains(turn)).count() <= 8);
    }
}

#[test]
fn a_rest_holds_back_everything_up_to_its_limit() {
    let now = Instant::now();
    for rate in [0, 60] {
        let pace = Pace::new(rate, 1);
        assert_eq!(pace.rest(now, Duration::from_secs(30)), Duration::from_secs(30));
        assert_eq!(pace.rest(now, Duration::from_secs(20)), Duration::ZERO, "it is known");
        assert_eq!(pace.reserve(now) - now, Duration::from_secs(30), "{rate} a minute");
        let pace = Pace::new(rate, 1);
        let _ = pace.rest(now, Duration::from_secs(3_600));
        assert_eq!(pace.reserve(now) - now, RETRY_AFTER_MAX, "{rate} a minute");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date_and_only_of_refusals() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let date = httpdate::fmt_http_date(now + Duration::from_secs(7));
    let rows: [(u16, Option<&str>, Option<u64>); 8] = [
        (429, Some("5"), Some(5)),
        (503, Some(" 5 "), Some(5)),
        (429, Some(&date), Some(7)),
        (429, Some("soon"), None),
        (429, Some("-1"), None),
        (429, None, None),
        (200, Some("5"), None),
        (502, Some("5"), None),
    ];
    for (status, header, expected) in rows {
        let wait = retry_after(status, header, now).map(|wait| wait.as_secs());
        assert_eq!(wait, expected, "{status} {header:?}");
    }
}
