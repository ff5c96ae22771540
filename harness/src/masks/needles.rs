//! Finding any of thousands of texts in another, while the thousands grow.
//!
//! An automaton would look faster, but is made anew for each text that is added, and a run adds one
//! with every token. Here adding costs the same however many there are; texts are found by their
//! first bytes. What a text is for is never known here.

use std::collections::HashMap;

/// Shorter texts can't be looked for.
pub(crate) const BYTES_MIN: usize = 4;
/// Of the filter, which tells at most places at once that nothing begins there: of few starts, and of
/// many. A request holds a few secrets, a run thousands.
const FEW_FILTER_BITS: u32 = 12;
const MANY_FILTER_BITS: u32 = 18;
/// More starts than this are many.
const FEW_STARTS_MAX: usize = 64;

/// The texts that are looked for, each with a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needles {
    numbers: HashMap<Box<[u8]>, usize>,
    /// How long those are that begin with these bytes: the longest first.
    lengths: HashMap<u32, Vec<usize>>,
    /// A bit for each start that there is; empty where there is none.
    filter: Vec<u64>,
    filter_bits: u32,
}

/// A place where a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Of the text.
    pub(crate) number: usize,
    /// First byte.
    pub(crate) start: usize,
    /// Byte after the last.
    pub(crate) end: usize,
}

impl Needles {
    /// Looks for `text` too; `false` where it is known already, or shorter than [`BYTES_MIN`].
    pub(crate) fn add(&mut self, text: &str, number: usize) -> bool {
        let text = text.as_bytes();
        let Some(start) = start(text) else { return false };
        if self.numbers.contains_key(text) {
            return false;
        }
        self.numbers.insert(text.into(), number);
        let lengths = self.lengths.entry(start).or_default();
        if let Err(at) = lengths.binary_search_by(|length| text.len().cmp(length)) {
            lengths.insert(at, text.len());
        }
        let is_crowded = self.filter_bits == FEW_FILTER_BITS && self.lengths.len() > FEW_STARTS_MAX;
        if self.filter.is_empty() || is_crowded {
            self.filter_anew();
        } else {
            self.admit(start);
        }
        true
    }

    fn filter_anew(&mut self) {
        let is_few = self.lengths.len() <= FEW_STARTS_MAX;
        self.filter_bits = if is_few { FEW_FILTER_BITS } else { MANY_FILTER_BITS };
        self.filter = vec![0; 1 << (self.filter_bits - u64::BITS.ilog2())];
        let starts: Vec<u32> = self.lengths.keys().copied().collect();
        starts.into_iter().for_each(|start| self.admit(start));
    }

    fn admit(&mut self, start: u32) {
        let (word, bit) = self.place(start);
        self.filter[word] |= bit;
    }

    /// What is found in `text`, from its beginning: the leftmost, of those the longest, never two
    /// that overlap.
    pub(crate) fn find<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Found> + 't {
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let at = self.next_start(text, from)?;
                if let Some(found) = self.beginning(text, at).next() {
                    from = found.end;
                    return Some(found);
                }
                from = at + 1;
            }
        })
    }

    /// `text` with what is found in it replaced.
    pub(crate) fn replaced<'r>(&self, text: &str, by: impl Fn(usize) -> &'r str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for found in self.find(text.as_bytes()) {
            out.push_str(&text[from..found.start]);
            out.push_str(by(found.number));
            from = found.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// The numbers of all that stand somewhere in `text`, overlapping or not; each once, in order.
    pub(crate) fn within(&self, text: &[u8]) -> Vec<usize> {
        let (mut numbers, mut from) = (Vec::new(), 0);
        while let Some(at) = self.next_start(text, from) {
            numbers.extend(self.beginning(text, at).map(|found| found.number));
            from = at + 1;
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The first place from `from` on where something may begin.
    fn next_start(&self, text: &[u8], from: usize) -> Option<usize> {
        if self.filter.is_empty() {
            return None;
        }
        let places = text.get(from..)?.windows(BYTES_MIN);
        let mut starts = places.map(|window| start(window).is_some_and(|it| self.may_begin(it)));
        starts.position(|may_begin| may_begin).map(|at| from + at)
    }

    /// Those that begin at a place, the longest first.
    fn beginning<'t>(&'t self, text: &'t [u8], at: usize) -> impl Iterator<Item = Found> + 't {
        let rest = &text[at..];
        let lengths = start(rest).and_then(|start| self.lengths.get(&start));
        lengths.into_iter().flatten().filter_map(move |length| {
            let number = *self.numbers.get(rest.get(..*length)?)?;
            Some(Found { number, start: at, end: at + length })
        })
    }

    fn may_begin(&self, start: u32) -> bool {
        let (word, bit) = self.place(start);
        self.filter.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Word and bit of the filter (Fibonacci hashing).
    fn place(&self, start: u32) -> (usize, u64) {
        let hash = start.wrapping_mul(0x9E37_79B1) >> (u32::BITS - self.filter_bits);
        ((hash >> u64::BITS.ilog2()) as usize, 1 << (hash & (u64::BITS - 1)))
    }
}

fn start(text: &[u8]) -> Option<u32> {
    text.first_chunk::<BYTES_MIN>().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BYTES_MIN, Found, Needles};

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
        let found: Vec<Found> = needles.find(b"a secret-two-three, secret").collect();
        let expected =
            [Found { number: 1, start: 2, end: 12 }, Found { number: 0, start: 20, end: 26 }];
        assert_eq!(found, expected);
        assert_eq!(needles.within(b"a secret-two-three"), [0, 1, 2]);
    }

    #[test]
    fn a_known_or_short_text_is_not_added() {
        let mut needles = needles(&["four"]);
        assert!(!needles.add("four", 1));
        assert!(!needles.add("thr", 1));
        assert!(needles.add("fourth", 1));
        assert_eq!(needles.find(b"fou").next(), None);
        assert_eq!(Needles::default().find(b"anything at all").next(), None);
    }

    proptest! {
        /// Few letters, so that much is found and overlaps.
        #[test]
        fn what_is_within_is_what_contains_says(
            texts in prop::collection::vec("[ab]{4,7}", 1..8),
            text in "[ab]{0,60}",
        ) {
            let texts: std::collections::BTreeSet<String> = texts.into_iter().collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let needles = needles(&texts);
            let expected: Vec<usize> =
                (0..texts.len()).filter(|number| text.contains(texts[*number])).collect();
            prop_assert_eq!(needles.within(text.as_bytes()), expected.clone());
            let mut end = 0;
            for found in needles.find(text.as_bytes()) {
                prop_assert!(found.start >= end && found.end - found.start >= BYTES_MIN);
                prop_assert_eq!(&text[found.start..found.end], texts[found.number]);
                end = found.end;
            }
            prop_assert_eq!(end == 0, expected.is_empty());
        }
    }
}
