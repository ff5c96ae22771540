//! Settings as text on the command line and in the control plane.

use jiff::Timestamp;
use moot_mock::shell::settings::{SettingError, answers, clock, progression, rate_limit, world};

/// Compares the value that was read, or the error.
#[track_caller]
fn check<T: std::fmt::Debug>(found: Result<T, SettingError>, expected: &str) {
    let found = found.map_or_else(|error| error.to_string(), |value| format!("{value:?}"));
    assert_eq!(found, expected);
}

fn now() -> Timestamp {
    "2026-03-05T14:30:00.75Z".parse().expect("a sound time")
}

#[test]
fn clocks_are_read() {
    check(clock("real", now()), "Real");
    check(clock("frozen", now()), "Frozen(2026-03-05T14:30:00Z)");
    check(clock("frozen:2026-01-01T00:00:00+01:00", now()), "Frozen(2025-12-31T23:00:00Z)");
    check(
        clock("frozen:noon", now()),
        "clock `frozen:noon` wants a time such as `frozen:2026-03-05T14:30:00Z`",
    );
    check(
        clock("forzen", now()),
        "unknown clock `forzen`: there are `real`, `frozen`, `frozen:TIME`; did you mean `frozen`?",
    );
}

#[test]
fn progressions_are_read() {
    check(progression("manual"), "Manual");
    check(progression("immediate"), "Immediate");
    check(progression("timed:1"), "Timed { seconds: 1 }");
    check(progression("on-read:3"), "OnRead { reads: 3 }");
    let wanted = "wants whole seconds from 1, such as `timed:5`";
    check(progression("timed:0"), &format!("progression `timed:0` {wanted}"));
    check(progression("timed:-1"), &format!("progression `timed:-1` {wanted}"));
    check(
        progression("on-read:x"),
        "progression `on-read:x` wants a number of reads from 1, such as `on-read:3`",
    );
    check(
        progression("timed"),
        "unknown progression `timed`: there are `manual`, `timed:SECONDS`, `on-read:N`, `immediate`",
    );
}

#[test]
fn rate_limits_are_read() {
    check(rate_limit("enforce"), "Enforce");
    check(rate_limit("observe"), "Observe");
    check(rate_limit("off"), "Off");
    check(
        rate_limit("obserwe"),
        "unknown rate limit `obserwe`: there are `enforce`, `observe`, `off`; did you mean `observe`?",
    );
}

#[test]
fn answers_and_worlds_are_found_by_name() {
    check(answers("default").map(|found| found.per_page), "25");
    check(answers("random:7").map(|found| found == moot_fixtures::answers::draw(7)), "true");
    check(
        answers("random:x").map(|_| ()),
        "answers `random:x` wants a number as its seed, such as `random:7`",
    );
    check(
        answers("documentd").map(|_| ()),
        "unknown answers `documentd`: there are `default`, `documented`, `random:SEED`; \
         did you mean `documented`?",
    );
    check(world("demo").map(|found| found.companies.len()), "2");
    check(
        world("dem").map(|_| ()),
        "unknown world `dem`: there are `bench`, `demo`, `empty`; did you mean `demo`?",
    );
}
