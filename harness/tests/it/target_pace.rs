//! The pace of requests, with a simulated clock.

use std::time::{Duration, SystemTime};

use moot_harness::client::pace::{MINUTE, RETRY_AFTER_MAX, RequestPace, retry_after};
use tokio::time::Instant;

/// Waits for a turn from `now` on, and returns its time.
fn taken(pace: &RequestPace, now: Instant) -> Instant {
    let mut at = now;
    while let Err(later) = pace.take(at) {
        assert!(later > at, "it would be asked for ever");
        at = later;
    }
    at
}

/// Asserts the times of turns that are requested at the same time, in milliseconds.
#[track_caller]
fn check(pace: &RequestPace, now: Instant, expected: &[u64]) {
    let mut at = now;
    let turns: Vec<u64> = expected
        .iter()
        .map(|_| {
            at = taken(pace, at);
            (at - now).as_millis().try_into().expect("it is soon")
        })
        .collect();
    assert_eq!(turns, expected);
}

#[test]
fn turns_are_evenly_spaced() {
    check(&RequestPace::new(60, 1), Instant::now(), &[0, 1_000, 2_000, 3_000]);
    check(&RequestPace::new(600, 1), Instant::now(), &[0, 100, 200]);
}

#[test]
fn a_few_may_leave_at_once_after_a_back_off() {
    let pace = RequestPace::new(60, 3);
    let now = Instant::now();
    check(&pace, now, &[0, 0, 0, 1_000, 2_000]);
    // After five seconds the bucket is full again.
    check(&pace, now + Duration::from_secs(5), &[0, 0, 0, 1_000]);
}

#[test]
fn zero_is_unpaced() {
    check(&RequestPace::new(0, 1), Instant::now(), &[0, 0, 0, 0]);
}

#[test]
fn all_of_a_minute_may_leave_at_once() {
    let minute = u64::try_from(MINUTE.as_millis()).expect("it is a minute");
    check(&RequestPace::a_minute(2), Instant::now(), &[0, 0, minute, minute, 2 * minute]);
    check(&RequestPace::a_minute(0), Instant::now(), &[0, 0, 0]);
}

/// Takes turns at irregular times, sometimes after a back-off. Each request reaches the target up to a second later.
/// Counts the requests at the target in every window of 60 s.
#[track_caller]
fn check_every_minute(pace: &RequestPace, most: usize, pause_ms: u64) {
    let mut at = Instant::now();
    let mut arrivals: Vec<Instant> = Vec::new();
    for number in 0..2_500_u64 {
        at = taken(pace, at + Duration::from_millis(number * 37 % (pause_ms + 1)));
        arrivals.push(at + Duration::from_millis(number * 613 % 1_000));
        if number % 101 == 100 {
            let _ = pace.back_off(at, Duration::from_secs(number % 90));
        }
    }
    arrivals.sort();
    for (index, first) in arrivals.iter().enumerate() {
        let end = *first + Duration::from_secs(60);
        let within = arrivals[index..].iter().take_while(|arrival| **arrival <= end).count();
        assert!(within <= most, "{within} in 60 s, where {most} are the limit");
    }
}

#[test]
fn no_minute_has_more_turns_than_it_may() {
    for pause_ms in [0, 100, 9_000] {
        check_every_minute(&RequestPace::a_minute(8), 8, pause_ms);
        for (rate, burst) in [(1, 10), (8, 10), (60, 10), (540, 10), (600, 1)] {
            let most = usize::try_from(rate).expect("it is small");
            check_every_minute(&RequestPace::new(rate, burst), most, pause_ms);
        }
    }
}

#[test]
fn a_burst_waits_for_the_required_number_of_earlier_requests() {
    let (now, second) = (Instant::now(), Duration::from_secs(1));
    let pace = RequestPace::new(0, 1);
    for number in 0..61 {
        assert_eq!(pace.burst_at(now, 60), now, "{number} others");
        pace.count(now + second * number / 61);
    }
    let now = now + second;
    assert_eq!(pace.burst_at(now, 61), now);
    assert_eq!(pace.burst_at(now, 60), now - second + MINUTE, "the oldest of 61");
    let _ = pace.back_off(now, 2 * MINUTE);
    assert_eq!(pace.burst_at(now, 60), now + RETRY_AFTER_MAX);
}

#[test]
fn spaced_requests_begin_as_soon_as_no_minute_has_more_than_they_are() {
    let pace = RequestPace::new(600, 1);
    let now = Instant::now();
    assert_eq!(pace.spaced_at(now, 540, MINUTE), now);
    for (earlier, pause_ms) in [(1, 0), (540, 0), (600, 100), (2_000, 100), (600, 10), (30, 2_000)]
    {
        let mut at = Instant::now();
        let mut all = Vec::new();
        for _ in 0..earlier {
            at = taken(&pace, at + Duration::from_millis(pause_ms));
            all.push(at);
        }
        let time = Duration::from_secs(60);
        let begin = pace.spaced_at(at, 540, time);
        assert!(begin <= at + MINUTE, "{earlier} {pause_ms}");
        if pause_ms == 100 {
            assert!(begin <= at + Duration::from_secs(10), "{:?}", begin - at);
        }
        all.extend((0..540).map(|number| begin + time * number / 540));
        for (index, first) in all.iter().enumerate().skip(all.len().saturating_sub(600)) {
            let within = all[index..].iter().take_while(|one| **one < *first + time).count();
            assert!(within <= 540 || *first + time <= begin, "{within}");
        }
        // The next round begins without these turns.
        let _ = pace.back_off(at, RETRY_AFTER_MAX);
    }
}

#[tokio::test]
async fn a_turn_that_waits_for_another_is_counted_when_it_leaves() {
    let wait = Duration::from_millis(40);
    let (tokens, requests) = (RequestPace::a_minute(1), RequestPace::new(540, 10));
    let begun = Instant::now();
    requests.back_off(begun, wait);
    tokens.turn_with(&requests).await;
    let next = tokens.take(Instant::now()).expect_err("the minute is used up");
    assert!(next >= begun + wait + MINUTE);
}

#[tokio::test]
async fn turns_are_taken_in_the_order_of_the_requests() {
    let pace = RequestPace::new(6_000, 1);
    let left = parking_lot::Mutex::new(Vec::new());
    let wait = async |name: &'static str| {
        pace.turn().await;
        left.lock().push(name);
    };
    tokio::join!(wait("first"), wait("second"), wait("third"));
    assert_eq!(*left.lock(), ["first", "second", "third"]);
}

#[test]
fn a_back_off_holds_back_all_requests_up_to_its_limit() {
    let now = Instant::now();
    for rate in [0, 60] {
        let pace = RequestPace::new(rate, 1);
        assert_eq!(pace.back_off(now, Duration::from_secs(30)), Duration::from_secs(30));
        assert_eq!(pace.back_off(now, Duration::from_secs(20)), Duration::ZERO, "it is known");
        assert_eq!(taken(&pace, now) - now, Duration::from_secs(30), "{rate} a minute");
        let pace = RequestPace::new(rate, 1);
        let _ = pace.back_off(now, Duration::from_secs(3_600));
        assert_eq!(taken(&pace, now) - now, RETRY_AFTER_MAX, "{rate} a minute");
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
