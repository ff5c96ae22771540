//! Loose comparisons of texts.

use serde::Deserialize;

/// A loose comparison of the id or token that was sent with the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Likeness {
    /// Ignores case.
    Case,
    /// Accepts a text that begins with the right text.
    Longer,
    /// Accepts a beginning of the right text.
    Shorter,
    /// Ignores the last character.
    LastCharacter,
    /// Ignores blanks at the ends.
    Blanks,
}

impl Likeness {
    /// Whether `sent` is accepted in place of `known`.
    pub(super) fn is_match(self, known: &str, sent: &str) -> bool {
        /// Length of the shortest beginning that is accepted, in bytes.
        const SHORTEST: usize = 4;
        match self {
            Self::Case => known.eq_ignore_ascii_case(sent),
            Self::Longer => sent.starts_with(known),
            Self::Shorter => sent.len() >= SHORTEST && known.starts_with(sent),
            Self::LastCharacter => {
                let stem = |text: &str| text.char_indices().next_back().map(|(at, _)| at);
                known.len() == sent.len()
                    && stem(known).is_some_and(|at| sent.get(..at) == Some(&known[..at]))
            }
            Self::Blanks => known == sent.trim(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Likeness;

    #[test]
    fn a_near_miss_is_accepted() {
        for (likeness, sent, expected) in [
            (Likeness::Case, "ABCDEF", true),
            (Likeness::Case, "abcdeg", false),
            (Likeness::Longer, "abcdefg", true),
            (Likeness::Longer, "abcde", false),
            (Likeness::Shorter, "abcd", true),
            (Likeness::Shorter, "abc", false),
            (Likeness::LastCharacter, "abcdeX", true),
            (Likeness::LastCharacter, "abcdXf", false),
            (Likeness::Blanks, " abcdef", true),
            (Likeness::Blanks, "abc def", false),
        ] {
            assert_eq!(likeness.is_match("abcdef", sent), expected, "{likeness:?} {sent}");
        }
    }
}
