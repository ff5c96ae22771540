//! What differs between what two sides told one scenario.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;

use super::flatten::PlaceReading;
use super::pairs::paired;
use super::reading::{AnswerReading, ExchangeReading, StepReading};

/// What stands for something that is not there.
pub(super) const ABSENT: &str = "(absent)";

/// Where two answers differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    /// The HTTP status.
    Status,
    /// A header.
    Header(String),
    /// A member of the body, by its place.
    Member(String),
}

/// One difference, at one exchange.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub(super) spot: Spot,
    pub(super) operation: Option<Operation>,
    /// `METHOD operation`, or the method alone.
    pub(super) call: String,
    /// The two readings.
    pub(super) readings: (String, String),
    pub(super) statuses: (u16, u16),
    /// Numbers of the exchanges in their runs.
    pub(super) numbers: (u64, u64),
    /// Label of the step.
    pub(super) step: String,
}

/// What differs in one scenario.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) differences: Vec<Raw>,
    /// Exchanges that were compared.
    pub(super) compared: usize,
    /// Whether one side was refused what the other was granted: what comes after is another story.
    pub(super) has_diverged: bool,
}

/// What differs between the answers to one scenario, up to where the two go different ways.
pub(super) fn differences(first: &[StepReading], second: &[StepReading]) -> Told {
    let mut told = Told::default();
    let mut names = Names::default();
    for (a, b) in paired(first, second, |step: &StepReading| step.label.as_str()) {
        for (one, other) in a.exchanges.iter().zip(&b.exchanges) {
            if (&one.method, one.operation) != (&other.method, other.operation) {
                told.has_diverged = true;
            }
            // Where one has no answer, a check or the end of its run says so.
            let (Some(left), Some(right)) = (&one.answer, &other.answer) else {
                told.has_diverged = true;
                return told;
            };
            if told.has_diverged {
                return told;
            }
            told.compared += 1;
            let mut add = |spot: Spot, readings: (&str, &str)| {
                told.differences.push(Raw {
                    spot,
                    operation: one.operation,
                    call: call(one),
                    readings: (readings.0.to_owned(), readings.1.to_owned()),
                    statuses: (left.status, right.status),
                    numbers: (one.number, other.number),
                    step: a.label.clone(),
                });
            };
            answer(left, right, &mut names, &mut add);
            told.has_diverged = is_success(left.status) != is_success(right.status);
        }
    }
    told
}

fn call(exchange: &ExchangeReading) -> String {
    match exchange.operation {
        Some(operation) => operation.as_str().to_owned(),
        None => format!("{} of no operation", exchange.method),
    }
}

const fn is_success(status: u16) -> bool {
    matches!(status, 200..=299)
}

fn answer(
    left: &AnswerReading,
    right: &AnswerReading,
    names: &mut Names,
    add: &mut impl FnMut(Spot, (&str, &str)),
) {
    if left.status != right.status {
        let statuses = (left.status.to_string(), right.status.to_string());
        add(Spot::Status, (&statuses.0, &statuses.1));
    }
    // Headers and body of two statuses differ with them.
    if is_success(left.status) != is_success(right.status) {
        return;
    }
    let all: BTreeSet<&String> = left.headers.keys().chain(right.headers.keys()).collect();
    for name in all {
        let (one, other) = (left.headers.get(name), right.headers.get(name));
        let (one, other) = (one.map_or(ABSENT, |v| v), other.map_or(ABSENT, |v| v));
        if !names.agree(one, other) {
            add(Spot::Header(name.clone()), (one, other));
        }
    }
    if left.status == right.status || !left.places.is_empty() && !right.places.is_empty() {
        body(left, right, names, add);
    }
}

fn body(
    left: &AnswerReading,
    right: &AnswerReading,
    names: &mut Names,
    add: &mut impl FnMut(Spot, (&str, &str)),
) {
    let is_error = !is_success(left.status);
    let all: BTreeSet<&String> = left.places.keys().chain(right.places.keys()).collect();
    for place in all {
        match (left.places.get(place), right.places.get(place)) {
            (Some(one), Some(other)) => {
                if !is_same(one, other, is_error, names) {
                    add(Spot::Member(place.clone()), (&shown(one), &shown(other)));
                }
            }
            (Some(one), None) if could_have(&right.places, one) => {
                add(Spot::Member(place.clone()), (&shown(one), ABSENT));
            }
            (None, Some(other)) if could_have(&left.places, other) => {
                add(Spot::Member(place.clone()), (ABSENT, &shown(other)));
            }
            (_, _) => {}
        }
    }
}

/// Whether the object that holds a member on one side is there on the other: else its absence is told
/// already, or is that of stored data.
fn could_have(places: &BTreeMap<String, PlaceReading>, reading: &PlaceReading) -> bool {
    let parent = places.get(&reading.parent);
    !reading.is_item && parent.is_some_and(|parent| parent.readings.contains("object"))
}

fn is_same(one: &PlaceReading, other: &PlaceReading, is_error: bool, names: &mut Names) -> bool {
    let only = |reading: &PlaceReading| -> Vec<String> {
        // What is stored may be absent today.
        let kept = reading.readings.iter().filter(|kind| is_error || *kind != "null");
        kept.cloned().collect()
    };
    match (only(one).as_slice(), only(other).as_slice()) {
        ([], []) => true,
        ([], _) | (_, []) => !is_error,
        ([a], [b]) => names.agree(a, b),
        (a, b) => a == b,
    }
}

fn shown(reading: &PlaceReading) -> String {
    let readings: Vec<&str> = reading.readings.iter().map(String::as_str).collect();
    readings.join(" or ")
}

/// Which names of the one side are which of the other: `[request:1]` may be `[request:2]` there, but
/// then always.
#[derive(Debug, Default)]
struct Names {
    there: BTreeMap<String, String>,
    here: BTreeMap<String, String>,
}

impl Names {
    /// Whether two texts say the same of the same things.
    fn agree(&mut self, one: &str, other: &str) -> bool {
        let (one, other) = (split(one), split(other));
        one.len() == other.len()
            && one.iter().zip(&other).all(|pair| match pair {
                (Piece::Text(a), Piece::Text(b)) => a == b,
                (Piece::Name(a), Piece::Name(b)) => self.are_one(a, b),
                (Piece::Text(_), Piece::Name(_)) | (Piece::Name(_), Piece::Text(_)) => false,
            })
    }

    fn are_one(&mut self, here: &str, there: &str) -> bool {
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

/// Of a text with names in it.
enum Piece<'a> {
    Text(&'a str),
    /// `[request:1]`.
    Name(&'a str),
}

fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('[').map(|at| from + at) {
        let Some(close) = rest[open..].find(']').map(|at| open + at + 1) else { break };
        if is_name(&rest[open + 1..close - 1]) {
            pieces.push(Piece::Text(&rest[..open]));
            pieces.push(Piece::Name(&rest[open..close]));
            (rest, from) = (&rest[close..], 0);
        } else {
            from = open + 1;
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Whether this stands in the brackets of a name: `request:1`.
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
    use super::Names;

    #[test]
    fn names_differ_and_still_agree_as_long_as_they_do_so_always() {
        let mut names = Names::default();
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
