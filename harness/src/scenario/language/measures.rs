//! Forms of durations and sizes: a number with its unit.

use std::time::Duration;

use moot_fixtures::yaml::{YamlNode, YamlValue};
use serde_json::{Value, json};

use super::form::{SchemaDefinitions, YamlForm};
use super::reader::ScenarioReader;

/// The longest duration: a day by the clock of the sandbox.
const DURATION_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The largest size of a generated body, in bytes.
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

/// `10s`, `10m`, `1h`: at least a second, at most a day.
impl YamlForm<Self> for Duration {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let help = "write a number and a unit, from `1s` to `24h`: `10s`, `40m`";
        measure(reader, node, what, "duration", help, parse_duration)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("duration", |_| {
            let description = "A number and a unit, from `1s` to `24h`: `10s`, `40m`.";
            json!({ "type": "string", "pattern": "^[0-9]+ *[smh]$", "description": description })
        })
    }
}

/// `100 MB`, `64 MiB`, or a number of bytes: at most 1 GiB.
pub(in crate::scenario) struct Size;

impl YamlForm<u64> for Size {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<u64> {
        if let YamlValue::Number(bytes) = &node.value
            && let Some(bytes) = bytes.as_u64().filter(|bytes| *bytes <= SIZE_MAX_BYTES)
        {
            return Some(bytes);
        }
        let help = "write bytes or a number and a unit, up to `1 GiB`: `100 MB`";
        measure(reader, node, what, "size", help, parse_size)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let units = SIZE_UNITS.map(|(name, _)| name);
        let text = format!("^[0-9]+ *({})$", units.join("|"));
        let description = format!(
            "Bytes, or a number and a unit, up to `1 GiB`: `100 MB`. The units are {}.",
            units.join(", ")
        );
        definitions.refer("size", |_| {
            json!({
                "description": description,
                "anyOf": [
                    { "type": "integer", "minimum": 0, "maximum": SIZE_MAX_BYTES },
                    { "type": "string", "pattern": text },
                ],
            })
        })
    }
}

fn measure<T>(
    reader: &mut ScenarioReader,
    node: &YamlNode,
    what: &str,
    measure: &str,
    help: &str,
    parse: fn(&str) -> Option<T>,
) -> Option<T> {
    node.as_text().and_then(parse).or_else(|| {
        let message = format!("{what} is not a {measure}");
        reader.refuse_with(node.span, message, Some(help.to_owned()))
    })
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

/// The digits and the unit, without the spaces between them.
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
