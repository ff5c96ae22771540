//! Pairs of names in the texts of two sides. A name such as `[request:1]` stands for an identifier.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A name, and its kind.
pub(super) static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([a-z-]+):[0-9]+\]").expect("the pattern is sound"));

/// A text with the kinds of its names, without their numbers.
pub(super) fn unnumbered(text: &str) -> Cow<'_, str> {
    NAME.replace_all(text, "[$1]")
}

/// The names of both sides that stand for the same identifier. `[request:1]` may be `[request:2]` on the other side,
/// but then everywhere.
#[derive(Debug, Default)]
pub(super) struct NamePairs {
    there: BTreeMap<String, String>,
    here: BTreeMap<String, String>,
}

impl NamePairs {
    /// Whether two texts are the same, apart from paired names. Pairs new names.
    pub(super) fn agree(&mut self, one: &str, other: &str) -> bool {
        NAME.split(one).eq(NAME.split(other))
            && NAME
                .captures_iter(one)
                .zip(NAME.captures_iter(other))
                .all(|(a, b)| self.pair(&a, &b))
    }

    /// Whether two names are a pair. Two new names become a pair.
    fn pair(&mut self, here: &Captures<'_>, there: &Captures<'_>) -> bool {
        match (self.there.get(&here[0]), self.here.get(&there[0])) {
            (None, None) if here[1] == there[1] => {
                self.there.insert(here[0].to_owned(), there[0].to_owned());
                self.here.insert(there[0].to_owned(), here[0].to_owned());
                true
            }
            (Some(known), Some(_)) => *known == there[0],
            (_, _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NamePairs;

    #[test]
    fn names_may_differ_as_long_as_they_always_differ_in_the_same_way() {
        let mut names = NamePairs::default();
        for (one, other, expected) in [
            ("/v1/requests/[request:1]", "/v1/requests/[request:3]", true),
            ("[request:1]", "[request:3]", true),
            ("[request:1]", "[request:1]", false),
            ("[request:2]", "[request:3]", false),
            ("[workflow:1]", "[token:1]", false),
            ("a [x] [request:1]", "a [x] [request:3]", true),
            ("a [x]", "a [y]", false),
            ("[", "[", true),
        ] {
            assert_eq!(names.agree(one, other), expected, "{one} {other}");
        }
    }
}
