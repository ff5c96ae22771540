//! Durations (`10s`, `40m`, `1h`) and sizes (`100 MB`, `64 MiB`), within bounds.

use std::time::Duration;

use super::super::node::{Node, Tree};
use super::reader::Reader;

/// The longest time that anything waits: a day of the sandbox's clock.
const DURATION_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The largest body that is made.
const SIZE_MAX_BYTES: u64 = 1 << 30;

/// Units of size: MB is decimal, MiB binary.
const SIZE_UNITS: [(&str, u64); 7] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

impl Reader {
    /// `10s`, `10m`, `1h`: at least a second, at most a day.
    pub(super) fn duration(&mut self, node: &Node, what: &str) -> Option<Duration> {
        let duration = match &node.value {
            Tree::Text(text) => parse_duration(text),
            _ => None,
        };
        if duration.is_none() {
            self.refuse_with(
                node.span,
                format!("{what} is no duration"),
                Some("write a number and a unit, from `1s` to `24h`: `10s`, `40m`".to_owned()),
            );
        }
        duration
    }

    /// `100 MB`, `64 MiB`, or a number of bytes: at most 1 GiB.
    pub(super) fn size(&mut self, node: &Node, what: &str) -> Option<u64> {
        let size = match &node.value {
            Tree::Text(text) => parse_size(text),
            Tree::Number(bytes) => bytes.as_u64().filter(|bytes| *bytes <= SIZE_MAX_BYTES),
            _ => None,
        };
        if size.is_none() {
            self.refuse_with(
                node.span,
                format!("{what} is no size"),
                Some("write bytes or a number and a unit, up to `1 GiB`: `100 MB`".to_owned()),
            );
        }
        size
    }
}

fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        _ => return None,
    };
    let duration = Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(factor)?);
    (!duration.is_zero() && duration <= DURATION_MAX).then_some(duration)
}

fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text);
    let (_, factor) = SIZE_UNITS.iter().find(|(name, _)| *name == unit)?;
    let size = number.parse::<u64>().ok()?.checked_mul(*factor)?;
    (size <= SIZE_MAX_BYTES).then_some(size)
}

/// Digits and what follows them, without the space between.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::{parse_duration, parse_size};

    #[track_caller]
    fn check(text: &str, seconds: Option<u64>, bytes: Option<u64>) {
        assert_eq!(parse_duration(text).map(|duration| duration.as_secs()), seconds, "{text}");
        assert_eq!(parse_size(text), bytes, "{text}");
    }

    #[test]
    fn durations_have_a_unit_and_bounds() {
        check("1s", Some(1), None);
        check("10m", Some(600), None);
        check("24h", Some(86_400), None);
        check("25h", None, None);
        check("0s", None, None);
        check("10", None, None);
        check("-1s", None, None);
        check("99999999999999999999s", None, None);
    }

    #[test]
    fn megabytes_are_decimal_and_mebibytes_binary() {
        check("100 MB", None, Some(100_000_000));
        check("100MiB", None, Some(104_857_600));
        check("1 GiB", None, Some(1 << 30));
        check("0 B", None, Some(0));
        check("2 GiB", None, None);
        check("1 mb", None, None);
        check("MB", None, None);
    }
}
