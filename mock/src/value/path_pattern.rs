//! A pattern for the path of a call.

use moot_fixtures::pattern;

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
        pattern::matches(&self.0, path)
    }
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    #[test]
    fn a_pattern_begins_with_a_slash_or_a_star() {
        for (text, is_pattern) in
            [("/v1/requests", true), ("*activity", true), ("v1/requests", false), ("", false)]
        {
            assert_eq!(PathPattern::new(text).is_some(), is_pattern, "{text}");
        }
    }
}
