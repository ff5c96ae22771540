//! Whole numbers as values of options.

use std::num::IntErrorKind;
use std::ops::RangeInclusive;

/// A parser of the numbers in `range`. Its errors say in words which numbers are accepted.
pub(super) fn number<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let (least, most) = (range.start(), range.end());
        let parsed = text.parse::<u64>();
        if parsed.as_ref().is_err_and(|error| *error.kind() == IntErrorKind::PosOverflow) {
            return Err(format!("give a whole number of at most {most}"));
        }
        let accepted = parsed.ok().filter(|number| range.contains(number));
        accepted.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match *most {
            u64::MAX => format!("give a whole number of at least {least}"),
            _ => format!("give a whole number from {least} to {most}"),
        })
    }
}

/// A parser of ports.
pub(super) fn port(text: &str) -> Result<u16, String> {
    number(0..=u16::MAX.into())(text)
}

/// A parser of seeds, and of other numbers without a limit.
pub(super) fn any_number(text: &str) -> Result<u64, String> {
    number(0..=u64::MAX)(text)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_refusal_says_which_numbers_are_accepted() {
        let refusals = [
            ("0", 1..=u64::MAX),
            ("x", 0..=u64::MAX),
            ("99999999999999999999", 0..=u64::MAX),
            ("300", 1..=256),
            ("", 1..=256),
        ]
        .map(|(text, range)| format!("{text}: {:?}", number::<u64>(range)(text)));
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        0: Err("give a whole number of at least 1")
        x: Err("give a whole number of at least 0")
        99999999999999999999: Err("give a whole number of at most 18446744073709551615")
        300: Err("give a whole number from 1 to 256")
        : Err("give a whole number from 1 to 256")
        "#);
        for (text, accepted) in [("1", Some(1)), ("256", Some(256)), ("0", None), ("257", None)] {
            assert_eq!(number::<u16>(1..=256)(text).ok(), accepted, "{text}");
        }
    }
}
