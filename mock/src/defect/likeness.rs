//! Texts that are taken for one another.

use serde::Deserialize;

/// How an id or a token is compared, instead of exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Likeness {
    /// Without regard to case.
    Case,
    /// What was sent begins with the right text.
    Longer,
    /// The right text begins with what was sent.
    Shorter,
    /// Without regard to the last character.
    LastCharacter,
    /// Without regard to blanks at the ends.
    Blanks,
}

impl Likeness {
    /// Whether `sent` is taken for `known`.
    pub(super) fn is_match(self, known: &str, sent: &str) -> bool {
        /// A shorter text is taken for the whole one if it has this many bytes.
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
    fn a_near_miss_is_taken_for_the_right_text() {
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
