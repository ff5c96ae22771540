//! Searches a text for thousands of other texts. More of them can be added at any time.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::memmem;

/// Shorter texts are ignored.
pub(crate) const BYTES_MIN: usize = 4;

/// An automaton cannot grow. At most this number of new texts is searched one by one. Then a new automaton is built.
const PLAIN_MAX: usize = 256;

/// The texts to search for, each with a number.
#[derive(Debug, Default)]
pub(crate) struct Needles {
    texts: Vec<(String, usize)>,
    known: HashSet<String>,
    /// Finds the first `indexed` texts.
    automaton: Option<AhoCorasick>,
    indexed: usize,
}

/// A place where a text was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeedleMatch {
    /// The number of the text.
    pub(crate) number: usize,
    pub(crate) place: Range<usize>,
}

impl Needles {
    /// Searches for these texts. Of equal texts the first counts.
    pub(crate) fn of(texts: impl IntoIterator<Item = (String, usize)>) -> Self {
        let mut needles = Self::default();
        for (text, number) in texts {
            needles.push(&text, number);
        }
        needles.index();
        needles
    }

    /// Adds `text`. Returns `false` if it is known already, or shorter than [`BYTES_MIN`].
    pub(crate) fn add(&mut self, text: &str, number: usize) -> bool {
        let is_new = self.push(text, number);
        if self.texts.len() - self.indexed > PLAIN_MAX {
            self.index();
        }
        is_new
    }

    fn push(&mut self, text: &str, number: usize) -> bool {
        let is_new = text.len() >= BYTES_MIN && self.known.insert(text.to_owned());
        if is_new {
            self.texts.push((text.to_owned(), number));
        }
        is_new
    }

    /// Builds the automaton of all texts. If they are too many for one, they are searched one by one.
    fn index(&mut self) {
        self.automaton = AhoCorasick::new(self.texts.iter().map(|(text, _)| text)).ok();
        self.indexed = self.automaton.as_ref().map_or(0, AhoCorasick::patterns_len);
    }

    /// The matches in `text` without overlaps: the leftmost, and at the same place the longest.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<NeedleMatch> {
        let mut all: Vec<NeedleMatch> = self.matches(text).collect();
        all.sort_unstable_by_key(|found| (found.place.start, Reverse(found.place.end)));
        let mut end = 0;
        all.retain(|found| {
            let is_next = found.place.start >= end;
            if is_next {
                end = found.place.end;
            }
            is_next
        });
        all
    }

    /// `text` with each match replaced.
    pub(crate) fn replaced(&self, text: &[u8], by: impl Fn(usize) -> String) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut from = 0;
        for NeedleMatch { number, place } in self.find(text) {
            out.extend_from_slice(&text[from..place.start]);
            out.extend_from_slice(by(number).as_bytes());
            from = place.end;
        }
        out.extend_from_slice(&text[from..]);
        out
    }

    /// The numbers of all texts that occur in `text`, each once, in order. Matches may overlap.
    pub(crate) fn within(&self, text: &[u8]) -> BTreeSet<usize> {
        self.matches(text).map(|found| found.number).collect()
    }

    /// All matches, including those that overlap.
    pub(crate) fn matches<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = NeedleMatch> + 't {
        let indexed = self.automaton.iter().flat_map(move |it| it.find_overlapping_iter(text));
        let indexed = indexed.map(|found| NeedleMatch {
            number: self.texts[found.pattern()].1,
            place: found.range(),
        });
        let plain = self.texts[self.indexed..].iter().flat_map(move |(needle, number)| {
            let starts = memmem::find_iter(text, needle);
            starts.map(|at| NeedleMatch { number: *number, place: at..at + needle.len() })
        });
        indexed.chain(plain)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BYTES_MIN, NeedleMatch, Needles, PLAIN_MAX};

    /// The texts, without an automaton and with one.
    fn needles(texts: &[&str]) -> [Needles; 2] {
        let rows = || texts.iter().enumerate().map(|(number, text)| (text.to_string(), number));
        let mut plain = Needles::default();
        for (text, number) in rows() {
            plain.add(&text, number);
        }
        [plain, Needles::of(rows())]
    }

    #[test]
    fn the_leftmost_and_longest_is_found() {
        for needles in needles(&["secret", "secret-two", "cret-two-three"]) {
            let found: Vec<NeedleMatch> = needles.find(b"a secret-two-three, secret");
            let expected =
                [NeedleMatch { number: 1, place: 2..12 }, NeedleMatch { number: 0, place: 20..26 }];
            assert_eq!(found, expected);
            assert!(needles.within(b"a secret-two-three").into_iter().eq([0, 1, 2]));
        }
    }

    #[test]
    fn a_known_or_short_text_is_not_added() {
        let [mut needles, _] = needles(&["four"]);
        assert!(!needles.add("four", 1));
        assert!(!needles.add("thr", 1));
        assert!(needles.add("fourth", 1));
        assert_eq!(needles.find(b"fou"), []);
        assert_eq!(Needles::default().find(b"anything at all"), []);
    }

    #[test]
    fn texts_are_found_before_and_after_the_automaton_is_built() {
        let mut needles = Needles::default();
        for number in 0..3 * PLAIN_MAX {
            let text = format!("needle {number};");
            needles.add(&text, number);
            let expected = [NeedleMatch { number, place: 2..2 + text.len() }];
            assert_eq!(needles.find(format!("a {text} b").as_bytes()), expected);
            assert!(needles.within(b"a needle 0; b").into_iter().eq([0]));
        }
    }

    proptest! {
        /// Texts of few letters, so that there are many overlapping matches.
        #[test]
        fn within_agrees_with_contains(
            texts in prop::collection::vec("[ab]{4,7}", 1..8),
            text in "[ab]{0,60}",
        ) {
            let texts: std::collections::BTreeSet<String> = texts.into_iter().collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for needles in needles(&texts) {
                let expected: std::collections::BTreeSet<usize> =
                    (0..texts.len()).filter(|number| text.contains(texts[*number])).collect();
                prop_assert_eq!(&needles.within(text.as_bytes()), &expected);
                let mut end = 0;
                for NeedleMatch { number, place } in needles.find(text.as_bytes()) {
                    prop_assert!(place.start >= end && place.len() >= BYTES_MIN);
                    prop_assert_eq!(&text[place.clone()], texts[number]);
                    end = place.end;
                }
                prop_assert_eq!(end == 0, expected.is_empty());
            }
        }
    }
}
