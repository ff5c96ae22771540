//! A pattern for the path of a call.

use crate::value::limits::PATH_PATTERN_BYTES_MAX;

/// A path below the base address. `*` in it stands for any characters, `/` included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(String);

impl PathPattern {
    /// Reads a pattern; `None` if it does not begin with `/` or `*`, or is too long.
    pub fn new(text: &str) -> Option<Self> {
        let is_pattern = text.starts_with(['/', '*']) && text.len() <= PATH_PATTERN_BYTES_MAX;
        is_pattern.then(|| Self(text.to_owned()))
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a path, without its query, matches this pattern.
    pub fn matches(&self, path: &str) -> bool {
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let Some(last) = pieces.next_back() else { return rest.is_empty() };
        for piece in pieces {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, path, is_match) in [
            ("/v1/requests", "/v1/requests", true),
            ("/v1/requests", "/v1/requests/1", false),
            ("/v1/requests", "/v1/request", false),
            ("/v1/requests*", "/v1/requests/1/activity", true),
            ("/v1/requests/*", "/v1/requests", false),
            ("/v1/*/activity", "/v1/requests/1/activity", true),
            ("/v1/*/activity", "/v1/activity", false),
            ("*activity", "/v1/requests/1/activity", true),
            ("*", "/", true),
            ("/a*a", "/a", false),
            ("/*b*b*", "/ab", false),
            ("/*b*b*", "/abab", true),
            ("/*/*", "/a/b/c", true),
        ] {
            let matches = PathPattern::new(pattern).map(|pattern| pattern.matches(path));
            assert_eq!(matches, Some(is_match), "{pattern} {path}");
        }
        assert_eq!(PathPattern::new("v1/requests"), None);
        assert_eq!(PathPattern::new(""), None);
    }
}
