//! The rate limit of §8: exactly 600 calls in any 60 seconds for each address.

use std::net::IpAddr;

use http::{HeaderMap, Method};
use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::{RateLimitBody, RateLimitWindow};
use moot_mock::call::{Admission, Head};
use moot_mock::control::{ControlAction, LimitedClients};
use moot_mock::settings::{ClockSetting, RateLimitMode};
use moot_mock::{Service, Settings, World};
use serde_json::{Value, json};

use crate::support::{Bench, bench_with, get, post, start, world_with};

const CLIENT: &str = "192.0.2.1";

fn enforcing(settings: &mut Settings) {
    settings.rate_limit = RateLimitMode::Enforce;
}

fn at(seconds: i64, milliseconds: i32) -> Timestamp {
    let offset = SignedDuration::new(seconds, milliseconds * 1_000_000);
    start().checked_add(offset).expect("the year 2026")
}

/// Whether a call is within the limit.
fn is_served(world: &World, now: Timestamp, client: &str) -> bool {
    let client: IpAddr = client.parse().expect("an address");
    let (method, headers) = (Method::GET, HeaderMap::new());
    let head =
        Head { method: &method, path: "/", query: None, headers: &headers, client, wire: None };
    match world.admit(now, &head) {
        Admission::Refused(response, _) => response.status != 429,
        Admission::Admitted(_) => true,
    }
}

/// The number of these calls that are within the limit.
fn served(world: &World, now: Timestamp, client: &str, calls: usize) -> usize {
    (0..calls).filter(|_| is_served(world, now, client)).count()
}

/// One call per second for 60 seconds and 540 in the last one: the calls that are served at each later time.
#[track_caller]
fn check(world: &World, rows: &[(Timestamp, usize)]) {
    for (now, expected) in rows {
        assert_eq!(served(world, *now, CLIENT, 700), *expected, "at {now}");
    }
}

#[test]
fn of_5000_calls_at_once_exactly_600_are_served() {
    let world = world_with(enforcing);
    check(&world, &[(at(0, 0), 600)]);
    assert_eq!(served(&world, at(0, 0), CLIENT, 4300), 0);
    assert_eq!(served(&world, at(0, 0), "192.0.2.2", 700), 600, "addresses are counted apart");
    assert_eq!(served(&world, at(0, 0), "::ffff:192.0.2.2", 1), 0, "mapped, it is the same");
}

#[test]
fn a_place_is_free_again_at_exactly_60_seconds() {
    let world = world_with(enforcing);
    check(&world, &[(at(0, 0), 600), (at(59, 999), 0), (at(60, 0), 600), (at(119, 999), 0)]);
}

#[test]
fn the_window_slides_call_by_call() {
    let world = world_with(enforcing);
    for second in 0..60 {
        assert_eq!(served(&world, at(second, 500), CLIENT, 10), 10);
    }
    check(&world, &[(at(60, 499), 0), (at(60, 500), 10), (at(61, 499), 0), (at(63, 0), 20)]);
}

#[test]
fn the_fixed_window_is_aligned_to_the_minute() {
    let world = world_with(|settings| {
        enforcing(settings);
        settings.answers.rate_limit_window = RateLimitWindow::Fixed;
    });
    check(&world, &[(at(59, 999), 600), (at(60, 0), 600), (at(119, 999), 0), (at(120, 0), 600)]);
}

#[test]
fn a_clock_that_steps_back_frees_nothing() {
    let world = world_with(enforcing);
    check(&world, &[(at(100, 0), 600), (at(10, 0), 0), (at(159, 999), 0), (at(160, 0), 600)]);
}

#[test]
fn of_64_threads_with_5000_calls_each_exactly_600_are_served() {
    let world = world_with(enforcing);
    let served: usize = std::thread::scope(|scope| {
        let call = || served(&world, at(0, 0), CLIENT, 5000);
        let threads: Vec<_> = (0..64).map(|_| scope.spawn(call)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(served, 600);
}

#[test]
fn observing_counts_and_off_does_not() {
    for (mode, counted) in [(RateLimitMode::Observe, 600), (RateLimitMode::Off, 0)] {
        let service = Service::new(world_with(|settings| settings.rate_limit = mode));
        let bench = Bench { service, client: CLIENT.parse().expect("an address") };
        assert!((0..700).all(|_| bench.send(&get("/")).status == 404));
        let known = bench.ask(ControlAction::GetRateLimit).expect("a question");
        let clients = known["clients"].as_array().expect("a list");
        let sum: u64 = clients.iter().filter_map(|client| client["counted"].as_u64()).sum();
        assert_eq!(sum, counted, "{mode:?}");
    }
}

#[test]
fn the_refusal_says_when_to_come_back_and_that_the_clock_stands() {
    let bench = bench_with(enforcing);
    assert_eq!((0..600).filter(|_| bench.send(&get("/")).status == 404).count(), 600);
    bench.advance(20);
    let refused = bench.send(&get("/v1/requests"));
    assert_eq!(refused.outcome(), (429, "rate_limit_exceeded".to_owned()));
    assert_eq!(refused.header("retry-after"), "40");
    assert!(refused.text("/detail").contains("frozen"));
    assert_eq!(bench.send(&post("/oauth/token")).status, 429, "the token endpoint counts too");
    bench.advance(39);
    assert_eq!(bench.send(&get("/")).header("retry-after"), "1");
    bench.advance(1);
    assert_eq!(bench.send(&get("/")).status, 404);
}

#[test]
fn the_journal_names_the_operation_of_a_refused_call() {
    let bench = bench_with(enforcing);
    exhaust(&bench);
    for (call, operation) in [
        (get("/v1/requests"), json!("list_legal_requests")),
        (post("/oauth/token"), json!("create_access_token")),
        (get("/nowhere"), Value::Null),
    ] {
        assert_eq!(bench.send(&call).status, 429);
        assert_eq!(bench.exchanges(1)[0]["operation"], operation);
    }
}

#[test]
fn the_refusal_has_the_form_of_the_answers() {
    for (body, content_type, length) in
        [(RateLimitBody::Text, "text/plain; charset=utf-8", 1), (RateLimitBody::Empty, "", 0)]
    {
        let bench = bench_with(|settings| {
            enforcing(settings);
            settings.answers.rate_limit_response.status = 503;
            settings.answers.rate_limit_response.body = body;
            settings.answers.rate_limit_response.retry_after = false;
        });
        exhaust(&bench);
        let refused = bench.send(&get("/"));
        assert_eq!(refused.status, 503);
        assert_eq!(refused.header("content-type"), content_type);
        assert_eq!(refused.body.len().min(1), length);
        assert_eq!(refused.header("retry-after"), "");
    }
}

fn exhaust(bench: &Bench) {
    let exhaust = Some(LimitedClients::All);
    bench.ask(ControlAction::SetRateLimit { mode: None, reset: false, exhaust }).expect("an order");
}

#[test]
fn the_control_plane_exhausts_and_resets() {
    let bench = bench_with(enforcing);
    let set =
        |reset, exhaust| bench.ask(ControlAction::SetRateLimit { mode: None, reset, exhaust });
    set(false, Some(LimitedClients::Client(bench.client))).expect("an order");
    assert_eq!(bench.send(&get("/")).status, 429);
    set(true, None).expect("an order");
    assert_eq!(bench.send(&get("/")).status, 404);
    exhaust(&bench);
    assert_eq!(bench.send(&get("/")).status, 429);
    bench.advance(59);
    assert_eq!(bench.send(&get("/")).status, 429);
    bench.advance(1);
    assert_eq!(bench.send(&get("/")).status, 404);
    let off = Some(RateLimitMode::Off);
    bench
        .ask(ControlAction::SetRateLimit {
            mode: off,
            reset: false,
            exhaust: Some(LimitedClients::All),
        })
        .expect("an order");
    assert_eq!(bench.send(&get("/")).status, 404);
}

#[test]
fn the_token_endpoint_has_a_limit_of_its_own_where_the_answers_say_so() {
    let bench = bench_with(|settings| {
        enforcing(settings);
        settings.answers.token_rate_limit = Some(10);
    });
    let statuses: Vec<u16> =
        (0..12).map(|_| bench.send(&post("/oauth/token")).status.as_u16()).collect();
    assert_eq!(statuses[..10], [400; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    assert_eq!(bench.send(&get("/")).status, 404, "other calls have theirs");
    bench.advance(60);
    assert_eq!(bench.send(&post("/oauth/token")).status, 400);
}

#[test]
fn more_addresses_than_are_kept_stay_served_and_the_busy_one_stays_counted() {
    let world = world_with(|settings| {
        enforcing(settings);
        settings.clock = ClockSetting::Real;
    });
    assert_eq!(served(&world, at(0, 0), CLIENT, 601), 600);
    for number in 0..20_000_u32 {
        let client = IpAddr::from(number.to_be_bytes()).to_string();
        assert!(is_served(&world, at(1, 0), &client));
    }
    assert_eq!(served(&world, at(2, 0), CLIENT, 1), 0);
}
