//! Named formats of texts.

use moot_fixtures::contract::is_timestamp;

use crate::scenario::model::TextFormat;

/// Whether `text` has the format.
pub(super) fn has(text: &str, format: TextFormat) -> bool {
    match format {
        TextFormat::DateTime => is_timestamp(text),
        TextFormat::Email => is_email(text),
        TextFormat::Uri => is_absolute_address(text),
        TextFormat::HttpDate => httpdate::parse_http_date(text).is_ok(),
    }
}

/// The name of the format, for people.
pub(super) const fn name(format: TextFormat) -> &'static str {
    match format {
        TextFormat::DateTime => "date-time: an ISO 8601 date and time in UTC",
        TextFormat::Email => "email: an e-mail address",
        TextFormat::Uri => "uri: an absolute address",
        TextFormat::HttpDate => "http-date: a date of RFC 9110 §5.6.7",
    }
}

/// Whether the text is `local@domain`: a part without spaces and `@`, then labels.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    !local.is_empty()
        && local.chars().all(|c| is_plain(c) && c != '@')
        && domain.split('.').all(is_label)
}

/// Whether the text is an address with a scheme. `Url` would repair characters that are not allowed.
fn is_absolute_address(text: &str) -> bool {
    let has_allowed_characters =
        text.chars().all(|c| !c.is_whitespace() && !c.is_control() && !"<>\"{}|\\^`".contains(c));
    has_allowed_characters
        && url::Url::parse(text).is_ok_and(|url| url.cannot_be_a_base() || text.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::{TextFormat, has};

    #[track_caller]
    fn check(format: TextFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(has(text, format), "{text}");
        }
        for text in bad {
            assert!(!has(text, format), "{text}");
        }
    }

    #[test]
    fn date_times_are_iso_8601_in_utc() {
        check(
            TextFormat::DateTime,
            &["2026-03-05T14:30:00Z", "2026-03-05T14:30:00.123+00:00", "20260305T143000Z"],
            &["2026-03-05", "2026-03-05T14:30:00+02:00", "2026-13-05T14:30:00Z", "yesterday", ""],
        );
    }

    #[test]
    fn emails_have_a_local_part_and_a_domain() {
        check(
            TextFormat::Email,
            &["a@b.example", "first.last+tag@sub.b-c.test", "a@localhost"],
            &["", "a", "@b.example", "a@", "a b@c.example", "a@b..c", "a@@b.c", "a@-b.c"],
        );
    }

    #[test]
    fn addresses_are_absolute() {
        check(
            TextFormat::Uri,
            &["https://a.example/x?y#z", "http://127.0.0.1:4010/", "mailto:a@b.example"],
            &["", "/path", "a.example/x", "https://", "https://a b/", "https:/a.example"],
        );
    }

    #[test]
    fn http_dates_are_those_of_the_standard() {
        check(
            TextFormat::HttpDate,
            &["Thu, 05 Mar 2026 14:30:00 GMT"],
            &["", "2026-03-05T14:30:00Z", "Thu, 05 Mar 2026 14:30:00 CET"],
        );
    }
}
