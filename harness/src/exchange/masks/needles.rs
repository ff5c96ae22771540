//! Searches a text for thousands of other texts. More of them can be added at any time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::{Bound, Range};

use foldhash::fast::RandomState;

/// Shorter texts are ignored.
pub(crate) const BYTES_MIN: usize = 4;

/// The texts to search for, each with a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needles {
    texts: BTreeMap<Box<[u8]>, usize>,
    /// The first bytes of all texts. They exclude nearly all places of a text at once.
    starts: HashSet<[u8; BYTES_MIN], RandomState>,
}

impl Needles {
    /// Searches for these texts. Of equal texts the first counts.
    pub(crate) fn of(texts: impl IntoIterator<Item = (String, usize)>) -> Self {
        let mut needles = Self::default();
        for (text, number) in texts {
            needles.add(&text, number);
        }
        needles
    }

    /// Adds `text`. Returns `false` if it is known already, or shorter than [`BYTES_MIN`].
    pub(crate) fn add(&mut self, text: &str, number: usize) -> bool {
        let bytes = text.as_bytes();
        let Some(start) = bytes.first_chunk() else { return false };
        if self.texts.contains_key(bytes) {
            return false;
        }
        self.starts.insert(*start);
        self.texts.insert(bytes.into(), number);
        true
    }

    /// The matches in `text` without overlaps: the leftmost, and at the same place the longest.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<(usize, Range<usize>)> {
        let mut all: Vec<_> = self.matches(text).collect();
        all.sort_unstable_by_key(|(_, place)| (place.start, Reverse(place.end)));
        let mut end = 0;
        all.retain(|(_, place)| {
            let is_next = place.start >= end;
            if is_next {
                end = place.end;
            }
            is_next
        });
        all
    }

    /// `text` with each match replaced.
    pub(crate) fn replaced(&self, text: &[u8], by: impl Fn(usize) -> String) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut from = 0;
        for (number, place) in self.find(text) {
            out.extend_from_slice(&text[from..place.start]);
            out.extend_from_slice(by(number).as_bytes());
            from = place.end;
        }
        out.extend_from_slice(&text[from..]);
        out
    }

    /// The numbers of all texts that occur in `text`, each once, in order. Matches may overlap.
    pub(crate) fn within(&self, text: &[u8]) -> BTreeSet<usize> {
        self.matches(text).map(|(number, _)| number).collect()
    }

    /// The number and the place of each match, including those that overlap.
    pub(crate) fn matches<'t>(
        &'t self,
        text: &'t [u8],
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
        let windows = text.array_windows::<BYTES_MIN>().enumerate();
        let starts = windows.filter(|(_, first)| self.starts.contains(*first));
        starts.flat_map(|(start, _)| {
            let found = self.at_start(&text[start..]).into_iter();
            found.map(move |(length, number)| (number, start..start + length))
        })
    }

    /// Length and number of each text with which `text` starts.
    fn at_start(&self, text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some((needle, number)) = self.last_up_to(rest) {
            let common = needle.iter().zip(rest).take_while(|(one, other)| one == other).count();
            let is_whole = common == needle.len();
            if is_whole {
                found.push((common, *number));
            }
            // All other matches here are shorter.
            rest = &rest[..common - usize::from(is_whole)];
            if rest.len() < BYTES_MIN {
                break;
            }
        }
        found
    }

    /// The last text in order that is not after `text`.
    fn last_up_to(&self, text: &[u8]) -> Option<(&[u8], &usize)> {
        let up_to = (Bound::Unbounded, Bound::Included(text));
        self.texts.range::<[u8], _>(up_to).next_back().map(|(needle, number)| (&**needle, number))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{BYTES_MIN, Needles};

    fn needles(texts: &[&str]) -> Needles {
        let mut needles = Needles::default();
        for (number, text) in texts.iter().enumerate() {
            needles.add(text, number);
        }
        needles
    }

    #[test]
    fn the_leftmost_and_longest_is_found() {
        let needles = needles(&["secret", "secret-two", "cret-two-three"]);
        assert_eq!(needles.find(b"a secret-two-three, secret"), [(1, 2..12), (0, 20..26)]);
        assert!(needles.within(b"a secret-two-three").into_iter().eq([0, 1, 2]));
    }

    #[test]
    fn a_known_or_short_text_is_not_added() {
        let mut needles = needles(&["four"]);
        assert!(!needles.add("four", 1));
        assert!(!needles.add("thr", 1));
        assert!(needles.add("fourth", 1));
        assert_eq!(needles.find(b"fou"), []);
        assert_eq!(Needles::default().find(b"anything at all"), []);
    }

    proptest! {
        /// Texts of few letters, so that there are many overlapping matches.
        #[test]
        fn within_agrees_with_contains(
            texts in prop::collection::vec("[ab]{4,7}", 1..8),
            text in "[ab]{0,60}",
        ) {
            let texts: BTreeSet<String> = texts.into_iter().collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let needles = needles(&texts);
            let expected: BTreeSet<usize> =
                (0..texts.len()).filter(|number| text.contains(texts[*number])).collect();
            prop_assert_eq!(&needles.within(text.as_bytes()), &expected);
            let mut end = 0;
            for (number, place) in needles.find(text.as_bytes()) {
                prop_assert!(place.start >= end && place.len() >= BYTES_MIN);
                end = place.end;
                prop_assert_eq!(&text[place], texts[number]);
            }
            prop_assert_eq!(end == 0, expected.is_empty());
        }
    }
}
