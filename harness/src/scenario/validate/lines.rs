//! Whether the contract has the method and the path of a request line.

use moot_fixtures::contract::Operation;
use moot_fixtures::{DataError, nearest};

use crate::scenario::model::{RequestLine, ScenarioFile};
use crate::scenario::text::{Text, TextPiece};

/// The methods of RFC 9110 and RFC 5789.
const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// Stands for a `<name>` in a path, which may have any text as its value.
const ANY: char = '\u{0}';

/// The mistakes of a request line. A scenario that sends an unknown path or method on purpose writes it
/// with a `<name>`.
pub(super) fn mistakes(file: &ScenarioFile, line: &RequestLine) -> Vec<DataError> {
    let RequestLine::Path { method, path } = line else { return Vec::new() };
    [unknown_method(file, method), unknown_path(file, path)].into_iter().flatten().collect()
}

fn unknown_method(file: &ScenarioFile, method: &Text) -> Option<DataError> {
    let word = method.as_literal().filter(|word| !METHODS.contains(word))?;
    let help = nearest::hint_or_all(word, &METHODS);
    let message = format!("unknown method `{word}`");
    Some(file.problem(&method.at, word, message, Some(help)))
}

/// A path without names must be a path of the contract. A path with names must not be a misspelling of
/// one.
fn unknown_path(file: &ScenarioFile, path: &Text) -> Option<DataError> {
    let written: String = path
        .pieces
        .iter()
        .map(|piece| match piece {
            TextPiece::Literal(text) => text.clone(),
            TextPiece::Name(_) => ANY.to_string(),
        })
        .collect();
    let before_query = written.split('?').next().unwrap_or_default();
    let segments: Vec<&str> = before_query.split('/').collect();
    let known = || Operation::ALL.into_iter().map(Operation::path);
    if !before_query.starts_with('/') || known().any(|known| fits(&segments, known)) {
        return None;
    }
    let near = known().find(|known| is_near(&segments, known));
    if near.is_none() && written.contains(ANY) {
        return None;
    }
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "no operation has this path; to send it on purpose, put a name into it".to_owned(),
    };
    let shown = before_query.replace(ANY, "…");
    let message = format!("unknown path `{shown}`");
    Some(file.problem(&path.at, &shown, message, Some(help)))
}

fn fits(segments: &[&str], known: &str) -> bool {
    let known: Vec<&str> = known.split('/').collect();
    known.len() == segments.len()
        && known.iter().zip(segments).all(|(known, segment)| is_one(segment, known))
}

fn is_one(segment: &str, known: &str) -> bool {
    segment == known || segment.contains(ANY) || (known == "{id}" && !segment.is_empty())
}

/// Whether every segment that differs from the known path is a misspelling of the known segment.
fn is_near(segments: &[&str], known: &str) -> bool {
    // A slash at the end adds an empty segment.
    let segments = match segments {
        [rest @ .., ""] if rest.len() > 1 => rest,
        all => all,
    };
    let known: Vec<&str> = known.split('/').collect();
    let pairs = || known.iter().zip(segments);
    let mut wrong = pairs().filter(|(known, segment)| !is_one(segment, known));
    known.len() == segments.len()
        && wrong.all(|(known, segment)| nearest::nearest(segment, [*known]).is_some())
}

#[cfg(test)]
mod tests {
    use super::{ANY, fits, is_near};

    #[test]
    fn a_near_miss_is_one_segment_that_is_spelt_nearly_right() {
        for (path, is_known, near) in [
            ("/v1/requests", true, None),
            ("/v1/requests/abc", true, None),
            ("/v1/request", false, Some("/v1/requests")),
            ("/v1/requests/", false, Some("/v1/requests")),
            ("/v1/request/*", false, Some("/v1/requests/{id}")),
            ("/v1/requests/*/activty", false, Some("/v1/requests/{id}/activity")),
            ("/v1/*", true, None),
            ("/moot-*", false, None),
            ("/nothing/here", false, None),
        ] {
            let path = path.replace('*', &ANY.to_string());
            let segments: Vec<&str> = path.split('/').collect();
            let all = || {
                moot_fixtures::contract::Operation::ALL
                    .into_iter()
                    .map(moot_fixtures::contract::Operation::path)
            };
            assert_eq!(all().any(|known| fits(&segments, known)), is_known, "{path}");
            if !is_known {
                assert_eq!(all().find(|known| is_near(&segments, known)), near, "{path}");
            }
        }
    }
}
