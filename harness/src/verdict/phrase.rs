//! Parts of sentences: a number with its noun, the start of a sentence.

use std::fmt::Display;

/// `1 scenario`, `2 scenarios`, `0 scenarios`.
pub(crate) fn pluralize(number: impl Display, noun: &str) -> String {
    match number.to_string().as_str() {
        "1" => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// The text with a capital letter at the start.
pub(crate) fn sentence_case(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::pluralize;

    #[test]
    fn one_is_singular() {
        for (number, expected) in [(0, "0 calls"), (1, "1 call"), (2, "2 calls")] {
            assert_eq!(pluralize(number, "call"), expected);
        }
    }
}
