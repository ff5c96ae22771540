//! Names that stand for identifiers, such as `[request:1]`, in the texts of two sides.

use std::collections::BTreeMap;

/// Which name of one side stands for which of the other. `[request:1]` may be `[request:2]` there, but then
/// always.
#[derive(Debug, Default)]
pub(super) struct NamePairs {
    there: BTreeMap<String, String>,
    here: BTreeMap<String, String>,
}

impl NamePairs {
    /// Whether two texts are the same, apart from names that always stand for each other.
    pub(super) fn agree(&mut self, one: &str, other: &str) -> bool {
        let (one, other) = (split(one), split(other));
        one.len() == other.len()
            && one.iter().zip(&other).all(|pair| match pair {
                (TextPart::Text(a), TextPart::Text(b)) => a == b,
                (TextPart::Name(a), TextPart::Name(b)) => self.are_paired(a, b),
                (TextPart::Text(_), TextPart::Name(_)) | (TextPart::Name(_), TextPart::Text(_)) => {
                    false
                }
            })
    }

    fn are_paired(&mut self, here: &str, there: &str) -> bool {
        let kind = |name: &str| name.split(':').next().map(str::to_owned);
        match (self.there.get(here), self.here.get(there)) {
            (None, None) if kind(here) == kind(there) => {
                self.there.insert(here.to_owned(), there.to_owned());
                self.here.insert(there.to_owned(), here.to_owned());
                true
            }
            (Some(known), Some(_)) => known == there,
            (_, _) => false,
        }
    }
}

/// A part of a text with names in it.
enum TextPart<'a> {
    Text(&'a str),
    /// `[request:1]`.
    Name(&'a str),
}

fn split(text: &str) -> Vec<TextPart<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('[').map(|at| from + at) {
        let Some(close) = rest[open..].find(']').map(|at| open + at + 1) else { break };
        if is_name(&rest[open + 1..close - 1]) {
            pieces.push(TextPart::Text(&rest[..open]));
            pieces.push(TextPart::Name(&rest[open..close]));
            (rest, from) = (&rest[close..], 0);
        } else {
            from = open + 1;
        }
    }
    pieces.push(TextPart::Text(rest));
    pieces
}

/// Whether this is the content of the brackets of a name: `request:1`.
pub(super) fn is_name(inner: &str) -> bool {
    inner.split_once(':').is_some_and(|(kind, number)| {
        !kind.is_empty()
            && kind.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
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
