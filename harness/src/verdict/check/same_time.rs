//! Whether two timestamps are the same time, to the precision that both have (question `timestamps`).

use jiff::Timestamp;
use moot_fixtures::contract::is_timestamp;

/// The number of digits of a date and a time without fractions of a second.
const SECOND_DIGITS: usize = 14;

/// The largest difference if one of the two is rounded to a whole second.
const ROUNDED_SECONDS: i64 = 1;

/// Whether `a` and `b` are the same time. Texts that are not timestamps must be equal.
pub(super) fn is_same_time(a: &str, b: &str) -> bool {
    if !is_timestamp(a) || !is_timestamp(b) {
        return a == b;
    }
    let (a, b) = (digits(a), digits(b));
    if a.len() == b.len() {
        return a == b;
    }
    match (instant(&a), instant(&b)) {
        (Some(a), Some(b)) => {
            let apart = a.duration_since(b).abs();
            apart <= jiff::SignedDuration::from_secs(ROUNDED_SECONDS)
        }
        _ => false,
    }
}

/// The digits of date and time, without the offset. The offset of a timestamp is always zero.
fn digits(timestamp: &str) -> String {
    let (date, time) = timestamp.split_once('T').unwrap_or((timestamp, ""));
    let time = time.split(['Z', '+', '-']).next().unwrap_or_default();
    let mut digits: String =
        date.chars().chain(time.chars()).filter(char::is_ascii_digit).collect();
    while digits.len() < SECOND_DIGITS {
        digits.push('0');
    }
    digits
}

fn instant(digits: &str) -> Option<Timestamp> {
    let (second, fraction) = digits.split_at_checked(SECOND_DIGITS)?;
    let part = |range| second.get(range);
    let text = format!(
        "{}-{}-{}T{}:{}:{}.{:0<1}Z",
        part(0..4)?,
        part(4..6)?,
        part(6..8)?,
        part(8..10)?,
        part(10..12)?,
        part(12..14)?,
        &fraction[..fraction.len().min(9)],
    );
    text.parse().ok()
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
        check("2026-03-05T14:30:00Z", "2026-03-05", false);
        check("yesterday", "yesterday", true);
    }
}
