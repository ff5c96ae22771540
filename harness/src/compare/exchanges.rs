//! The differences between the responses of two sides to one scenario.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;

use super::flatten::{PlaceReading, ValueReading};
use super::name_pairs::NamePairs;
use super::pairs::paired;
use super::reading::{ExchangeReading, ResponseReading, StepReading};

use crate::scenario::StepName;

/// The reading of an absent value, in reports.
const ABSENT: &str = "(absent)";

/// The place of a difference between two responses.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DifferencePlace {
    /// The HTTP status.
    #[default]
    Status,
    /// A header.
    Header(String),
    /// A member of the body, by the names from the root to it.
    Member(Vec<String>),
}

/// The cause of a difference between two responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DifferenceCause {
    /// A violation, which a check reports.
    Violation,
    /// An open question.
    Question(String),
}

/// One difference between two responses.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseDifference {
    pub(super) spot: DifferencePlace,
    pub(super) operation: Option<Operation>,
    /// `METHOD operation`, or the method alone.
    pub(super) call: String,
    /// The two readings.
    pub(super) readings: (String, String),
    /// Whether only one side has the header or the member.
    pub(super) is_one_sided: bool,
    pub(super) statuses: (u16, u16),
    /// The numbers of the exchanges in their runs.
    pub(super) numbers: (u64, u64),
    pub(super) step: StepName,
    /// `None` if it is unknown.
    pub(super) cause: Option<DifferenceCause>,
}

impl ResponseDifference {
    /// Whether both sides accepted the call.
    pub(super) const fn are_successes(&self) -> bool {
        is_success(self.statuses.0) && is_success(self.statuses.1)
    }

    /// Whether only one side knows the path.
    pub(super) const fn is_found_by_one(&self) -> bool {
        matches!(self.statuses, (200..=299, 404) | (404, 200..=299))
    }

    /// The two readings, each after the name of its member or header.
    pub(super) fn named_readings(&self) -> (String, String) {
        let name = match &self.spot {
            DifferencePlace::Status => return self.readings.clone(),
            DifferencePlace::Header(name) => name.clone(),
            DifferencePlace::Member(place) => place.join("/"),
        };
        let named = |reading: &str| format!("{name}: {reading}");
        (named(&self.readings.0), named(&self.readings.1))
    }
}

/// The differences in one scenario.
#[derive(Debug, Default)]
pub(super) struct ScenarioDifferences {
    pub(super) differences: Vec<ResponseDifference>,
    /// The number of compared exchanges.
    pub(super) compared: usize,
    /// Whether one side refused a call that the other accepted. Later exchanges cannot be compared.
    pub(super) has_diverged: bool,
}

/// The differences between the responses to one scenario, until the sides diverge. `may_stop`: a side may have stopped
/// before its last step. The `finally` steps after that differ, because the sides did different things before.
pub(super) fn differences(
    first: &[StepReading],
    second: &[StepReading],
    may_stop: bool,
) -> ScenarioDifferences {
    let (first, second) = match may_stop {
        true => (common(first, second), common(second, first)),
        false => (first, second),
    };
    let by_name = paired(first, second, |step: &StepReading| &step.name, StepName::is_same_step);
    let found = differences_of(by_name);
    if found.differences.is_empty() || first.len() != second.len() {
        return found;
    }
    // The same id may name another object on the other side: two mocks with one seed created objects at once, or both
    // services count. So rows are also paired by their order, and the pairing with fewer differences counts.
    let in_order = paired(first, second, |step: &StepReading| &step.name.name, |_, _| false);
    let in_order = differences_of(in_order);
    let is_better =
        in_order.compared == found.compared && in_order.differences.len() < found.differences.len();
    if is_better { in_order } else { found }
}

/// The steps before the first step that sent requests on this side only.
fn common<'a>(steps: &'a [StepReading], other: &[StepReading]) -> &'a [StepReading] {
    let is_alone = |step: &StepReading| {
        let is_partner = |it: &StepReading| {
            it.name.is_same_step(&step.name) && it.exchanges.is_empty() == step.exchanges.is_empty()
        };
        !other.iter().any(is_partner)
    };
    let end = steps.iter().position(is_alone).unwrap_or(steps.len());
    &steps[..end]
}

fn differences_of(pairs: Vec<(&StepReading, &StepReading)>) -> ScenarioDifferences {
    let mut found = ScenarioDifferences::default();
    let mut names = NamePairs::default();
    for (a, b) in pairs {
        for (one, other) in exchange_pairs(a, b) {
            // A check or the outcome of the run reports a missing response.
            let (Some(left), Some(right)) = (&one.response, &other.response) else {
                found.has_diverged = true;
                return found;
            };
            if found.has_diverged {
                return found;
            }
            found.compared += 1;
            let mut add = |spot, a_reading: Option<&str>, b_reading: Option<&str>| {
                let shown = |reading: Option<&str>| reading.unwrap_or(ABSENT).to_owned();
                found.differences.push(ResponseDifference {
                    spot,
                    operation: one.operation,
                    call: call(one),
                    readings: (shown(a_reading), shown(b_reading)),
                    is_one_sided: a_reading.is_some() != b_reading.is_some(),
                    statuses: (left.status, right.status),
                    numbers: (one.number, other.number),
                    step: a.name.clone(),
                    cause: None,
                });
            };
            compare_responses(left, right, &mut names, &mut add);
            found.has_diverged = is_success(left.status) != is_success(right.status);
        }
    }
    found
}

/// The exchanges of a step that both sides have, paired from the last: one side may have sent the control in an earlier
/// scenario, sent a request again, or read more pages to see that nothing changed.
fn exchange_pairs<'a>(
    a: &'a StepReading,
    b: &'a StepReading,
) -> Vec<(&'a ExchangeReading, &'a ExchangeReading)> {
    let mut others: Vec<&ExchangeReading> = b.exchanges.iter().collect();
    let mut pairs = Vec::new();
    for one in a.exchanges.iter().rev() {
        let key = |it: &ExchangeReading| (it.is_control, it.method.clone(), it.operation);
        let is_same = |other: &&ExchangeReading| key(other) == key(one);
        if let Some(at) = others.iter().rposition(is_same) {
            pairs.push((one, others.remove(at)));
        }
    }
    pairs.reverse();
    pairs
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

fn compare_responses(
    left: &ResponseReading,
    right: &ResponseReading,
    names: &mut NamePairs,
    add: &mut impl FnMut(DifferencePlace, Option<&str>, Option<&str>),
) {
    if left.status != right.status {
        let (one, other) = (left.status.to_string(), right.status.to_string());
        add(DifferencePlace::Status, Some(&one), Some(&other));
    }
    // After different statuses, headers and bodies differ too.
    if is_success(left.status) != is_success(right.status) {
        return;
    }
    let all: BTreeSet<&String> = left.headers.keys().chain(right.headers.keys()).collect();
    for name in all {
        let (one, other) = (left.headers.get(name), right.headers.get(name));
        let (one, other) = (one.map(String::as_str), other.map(String::as_str));
        if !names.agree(one.unwrap_or(ABSENT), other.unwrap_or(ABSENT)) {
            add(DifferencePlace::Header(name.clone()), one, other);
        }
    }
    if left.status == right.status || !left.places.is_empty() && !right.places.is_empty() {
        body(left, right, names, add);
    }
}

fn body(
    left: &ResponseReading,
    right: &ResponseReading,
    names: &mut NamePairs,
    add: &mut impl FnMut(DifferencePlace, Option<&str>, Option<&str>),
) {
    let is_error = !is_success(left.status);
    let all: BTreeSet<&Vec<String>> = left.places.keys().chain(right.places.keys()).collect();
    for place in all {
        let (one, other) = (left.places.get(place), right.places.get(place));
        let is_different = match (one, other) {
            (Some(one), Some(other)) => !is_same(one, other, is_error, names),
            (Some(one), None) => could_have(&right.places, one),
            (None, Some(other)) => could_have(&left.places, other),
            (None, None) => false,
        };
        if is_different {
            let (one, other) = (one.map(reading_text), other.map(reading_text));
            add(DifferencePlace::Member(place.clone()), one.as_deref(), other.as_deref());
        }
    }
}

/// Whether the other side has the object that contains this member. If not, the object is already reported as absent,
/// or it is stored data.
fn could_have(places: &BTreeMap<Vec<String>, PlaceReading>, reading: &PlaceReading) -> bool {
    let parent = places.get(&reading.parent);
    !reading.is_item && parent.is_some_and(|parent| parent.readings.contains(&ValueReading::Object))
}

fn is_same(
    one: &PlaceReading,
    other: &PlaceReading,
    is_error: bool,
    names: &mut NamePairs,
) -> bool {
    let kept = |place: &PlaceReading| -> Vec<ValueReading> {
        // Stored data may be absent.
        let kept = place.readings.iter().filter(|it| is_error || **it != ValueReading::Null);
        kept.cloned().collect()
    };
    match (kept(one).as_slice(), kept(other).as_slice()) {
        ([], []) => true,
        ([], _) | (_, []) => !is_error,
        ([a], [b]) => names.agree(a.as_ref(), b.as_ref()),
        (a, b) => a == b,
    }
}

fn reading_text(reading: &PlaceReading) -> String {
    let mut readings: Vec<&str> = reading.readings.iter().map(ValueReading::as_ref).collect();
    readings.sort_unstable();
    readings.join(" or ")
}

#[cfg(test)]
mod tests;
