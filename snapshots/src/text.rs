//! Functions for texts: timestamps, replacing whole words, escaping control characters.

/// Bytes. Shorter words are not replaced inside of longer texts, where they could occur by chance.
const WORD_BYTES_MIN: usize = 4;

/// A path segment with at least this many characters and a digit is regarded as random.
const OPAQUE_CHARACTERS_MIN: usize = 16;

/// In another random word, letters and digits take turns at least this often.
const RANDOM_TURNS_MIN: usize = 3;

/// Replaces a random word.
pub(crate) const OPAQUE: &str = "[opaque]";

/// Whether this is an ISO 8601 date and time, extended or basic.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).count();
    let only =
        |part: &str, more: &str| part.chars().all(|c| c.is_ascii_digit() || more.contains(c));
    digits(date) == 8
        && only(date, "-")
        && digits(time) >= 4
        && time.starts_with(|c: char| c.is_ascii_digit())
        && only(time, ":.,+-Z")
        && (time.ends_with('Z') || time.contains(['+', '-']))
}

/// `text` with every occurrence of `word` as a whole word replaced.
pub(crate) fn replace_word(text: &str, word: &str, by: &str) -> String {
    if word.len() < WORD_BYTES_MIN || !text.contains(word) {
        return text.to_owned();
    }
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let left = before.chars().next_back().or_else(|| out.chars().next_back());
        out.push_str(before);
        out.push_str(if is_part(left) || is_part(after.chars().next()) { word } else { by });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// An address without the parts that differ from run to run: the origin of a loopback address, random
/// path segments, the name of a file, the query.
pub(crate) fn address(text: &str) -> String {
    let (place, query) = match text.split_once('?') {
        Some((place, _)) => (place, "?[query]"),
        None => (text, ""),
    };
    let (origin, path) = match place.find("://").map(|at| at + 3) {
        Some(start) => {
            let end = place[start..].find('/').map_or(place.len(), |at| start + at);
            place.split_at(end)
        }
        None => ("", place),
    };
    let mut segments: Vec<&str> =
        path.split('/').map(|s| if is_opaque(s) { OPAQUE } else { s }).collect();
    if let Some(last) = segments.last_mut().filter(|last| is_file_name(last)) {
        *last = "[file]";
    }
    format!("{}{}{query}", without_loopback(origin), segments.join("/"))
}

/// `text` without a loopback origin at its beginning, because the port differs from run to run.
pub(crate) fn without_loopback(text: &str) -> String {
    for scheme in ["http://", "https://"] {
        let Some(rest) = text.strip_prefix(scheme) else { continue };
        let end = rest.find('/').unwrap_or(rest.len());
        let host = &rest[..end];
        if ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| {
            host.strip_prefix(known).is_some_and(|p| p.is_empty() || p.starts_with(':'))
        }) {
            return format!("[origin]{}", &rest[end..]);
        }
    }
    text.to_owned()
}

fn is_file_name(segment: &str) -> bool {
    segment.split_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
}

/// Whether this is a long word with a digit.
fn is_opaque(word: &str) -> bool {
    word.len() >= OPAQUE_CHARACTERS_MIN
        && word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~=%".contains(c))
}

/// Whether this looks random, such as a UUID or the id of a trace: a long word in which letters and digits take turns.
/// A version, a code with a number, and `max-age=31536000` are not random.
pub(crate) fn is_random(word: &str) -> bool {
    let is_digit: Vec<bool> =
        word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.is_ascii_digit()).collect();
    let turns = is_digit.windows(2).filter(|pair| pair[0] != pair[1]).count();
    is_opaque(word) && turns >= RANDOM_TURNS_MIN
}

/// `text` with control characters and characters that reorder a line escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let steers = (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if steers {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{address, is_random, is_timestamp, printable, replace_word};

    #[test]
    fn random_words_are_told_from_versions_and_codes() {
        for (text, expected) in [
            ("01890a5d-ac96-774b-bcce-b302099a8057", true),
            ("4bf92f3577b34da6", true),
            ("4bf92f3577b34da", false),
            ("V1StGXR8_Z5jdHi6B", true),
            ("max-age=31536000", false),
            ("2026-11-01-preview", false),
            ("LEGAL-REQUEST-4041", false),
            ("request_not_found_v2", false),
            ("contract-2026-final.pdf", false),
            ("4bf92f3577b34da6 and more", false),
        ] {
            assert_eq!(is_random(text), expected, "{text}");
        }
    }

    #[test]
    fn timestamps_are_told_from_other_texts() {
        for (text, expected) in [
            ("2026-03-05T14:30:00Z", true),
            ("2026-03-05T14:30:00.123456+00:00", true),
            ("20260305T143000Z", true),
            ("2026-03-05T14:30Z", true),
            ("2026-03-05", false),
            ("2026-03-05 14:30:00Z", false),
            ("2026-03-05T14:30:00", false),
            ("Tomorrow", false),
            ("T", false),
            ("12345678T-Zebra", false),
        ] {
            assert_eq!(is_timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_replaced_only_where_it_stands_alone() {
        for (text, expected) in [
            ("request ab12 is unknown", "request [x] is unknown"),
            ("/v1/requests/ab12/activity", "/v1/requests/[x]/activity"),
            ("ab12", "[x]"),
            ("ab12ab12 ab12", "ab12ab12 [x]"),
            ("xab12 ab12x ab12-x", "xab12 ab12x ab12-x"),
        ] {
            assert_eq!(replace_word(text, "ab12", "[x]"), expected);
        }
        assert_eq!(replace_word("a b", "a", "[x]"), "a b", "too short to be meant");
    }

    #[test]
    fn an_address_keeps_what_is_stable() {
        for (text, expected) in [
            ("http://127.0.0.1:4010/a/b", "[origin]/a/b"),
            ("http://localhost/a?x=1", "[origin]/a?[query]"),
            ("http://localhost.example.com/a", "http://localhost.example.com/a"),
            (
                "https://files.example.com/d/0123456789abcdef",
                "https://files.example.com/d/[opaque]",
            ),
            (
                "https://files.example.com/d/0123456789abcde",
                "https://files.example.com/d/0123456789abcde",
            ),
            ("https://files.example.com", "https://files.example.com"),
            (
                "https://files.example.com/d/my%20nda.pdf?x=1",
                "https://files.example.com/d/[file]?[query]",
            ),
        ] {
            assert_eq!(address(text), expected);
        }
    }

    #[test]
    fn control_and_bidi_characters_are_escaped() {
        assert_eq!(
            printable("a\u{1b}[2Jb\u{202e}c\nd\te\u{9b}"),
            "a\\u{1b}[2Jb\\u{202e}c\nd\te\\u{9b}"
        );
    }
}
