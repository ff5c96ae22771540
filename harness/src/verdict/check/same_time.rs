//! Whether two timestamps are the same time, to the precision that both have (question `timestamps`).

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::is_timestamp;

/// The largest difference if one of the two is rounded to a whole second.
const ROUNDED: SignedDuration = SignedDuration::from_secs(1);

/// Whether `a` and `b` are the same time. Texts that are not timestamps must be equal.
pub(super) fn is_same_time(a: &str, b: &str) -> bool {
    if !is_timestamp(a) || !is_timestamp(b) {
        return a == b;
    }
    match (a.parse::<Timestamp>(), b.parse::<Timestamp>()) {
        (Ok(x), Ok(y)) if fraction_digits(a) == fraction_digits(b) => x == y,
        (Ok(x), Ok(y)) => x.duration_since(y).abs() <= ROUNDED,
        _ => a == b,
    }
}

/// The number of digits of the fraction of a second.
fn fraction_digits(timestamp: &str) -> usize {
    let fraction = timestamp.split_once(['.', ',']).map_or("", |(_, fraction)| fraction);
    fraction.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::is_same_time;

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(is_same_time(a, b), expected, "{a} {b}");
        assert_eq!(is_same_time(b, a), expected, "{b} {a}");
    }

    #[test]
    fn times_are_the_same_as_far_as_both_are_precise() {
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30:00Z", true);
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30:00+00:00", true);
        check("2026-03-05T14:30:00Z", "20260305T143000Z", true);
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30:00.417Z", true);
        check("2026-03-05T14:30:01Z", "2026-03-05T14:30:00.917Z", true);
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30:01Z", false);
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30:02.000Z", false);
        check("2026-03-05T14:30:00.417Z", "2026-03-05T14:30:00.418Z", false);
        check("2026-03-05T14:30:00.417Z", "20260305T143000,417-0000", true);
        check("2026-03-05T14:30:00Z", "2026-03-05T14:30Z", true);
        check("2026-03-05T14:30:00Z", "20260305T1430+00", true);
        check("2026-03-05T14:30:00Z", "2026-03-05", false);
        check("yesterday", "yesterday", true);
    }
}
