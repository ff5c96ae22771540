//! The rules of lists: what must hold of their members. Nothing passes by being empty.

use serde_json::Value;

use super::Judgement;
use super::equal::{first_equal_pair, missing_from};
use super::matcher::{judge_value, mistyped};
use super::shown::{shown, shown_some};
use super::wording::wording;
use crate::scenario::model::Matcher;
use crate::scenario::names::Names;

pub(super) fn is_unique(value: &Value, expected: bool) -> Judgement {
    let items = match list(value, "a list without equal members") {
        Ok(items) => items,
        Err(judgement) => return judgement,
    };
    match (expected, first_equal_pair(items)) {
        (true, None) | (false, Some(_)) => Judgement::Holds,
        (true, Some((first, second))) => Judgement::fails(
            "has a member twice",
            "no two equal members",
            format!("members {first} and {second} are {}", shown(Some(&items[second]))),
        )
        .at(format!("/{second}")),
        (false, None) => {
            Judgement::fails("has no member twice", "two equal members", shown(Some(value)))
        }
    }
}

/// The members of a list that is not empty; otherwise what is to be said of the value.
fn list<'a>(value: &'a Value, expected: &str) -> Result<&'a [Value], Judgement> {
    match value {
        Value::Array(items) if items.is_empty() => {
            Err(Judgement::empty("the list is empty, there is no member to judge"))
        }
        Value::Array(items) => Ok(items),
        other => Err(mistyped(other, expected)),
    }
}

pub(super) fn each(value: &Value, matcher: &Matcher, names: &Names) -> Judgement {
    let items = match list(value, "a list") {
        Ok(items) => items,
        Err(judgement) => return judgement,
    };
    let mut empty = None;
    let mut held = false;
    for (at, item) in items.iter().enumerate() {
        match judge_value(matcher, Some(item), names) {
            Judgement::Holds => held = true,
            Judgement::Empty { reason } => empty = Some(reason),
            Judgement::Fails { message, expected, actual, pointer, .. } => {
                let tail = format!("/{at}{}", pointer.unwrap_or_default());
                return Judgement::fails(format!("at member {at} {message}"), expected, actual)
                    .at(tail);
            }
        }
    }
    match empty {
        Some(reason) if !held => Judgement::Empty { reason },
        _ => Judgement::Holds,
    }
}

pub(super) fn any(value: &Value, matcher: &Matcher, names: &Names) -> Judgement {
    let items = match list(value, "a list") {
        Ok(items) => items,
        Err(judgement) => return judgement,
    };
    let mut failed = None;
    let mut empty = None;
    for item in items {
        match judge_value(matcher, Some(item), names) {
            Judgement::Holds => return Judgement::Holds,
            Judgement::Fails { expected, .. } => failed = Some(expected),
            Judgement::Empty { reason } => empty = Some(reason),
        }
    }
    match (failed, empty) {
        (Some(expected), _) => Judgement::fails(
            "has no member that satisfies it",
            format!("a member: {expected}"),
            shown_some(&items.iter().collect::<Vec<_>>()),
        ),
        (None, Some(reason)) => Judgement::Empty { reason },
        (None, None) => Judgement::Holds,
    }
}

pub(super) fn none(value: &Value, matcher: &Matcher, names: &Names) -> Judgement {
    let Value::Array(items) = value else { return mistyped(value, "a list") };
    let mut empty = None;
    for (at, item) in items.iter().enumerate() {
        match judge_value(matcher, Some(item), names) {
            Judgement::Fails { .. } => {}
            Judgement::Empty { reason } => empty = Some(reason),
            Judgement::Holds => {
                return Judgement::fails(
                    format!("has member {at}, which must not be there"),
                    format!("no member: {}", wording(matcher, names)),
                    shown(Some(item)),
                )
                .at(format!("/{at}"));
            }
        }
    }
    empty.map_or(Judgement::Holds, |reason| Judgement::Empty { reason })
}

pub(super) fn same_members(value: &Value, expected: &[Value]) -> Judgement {
    let Value::Array(items) = value else { return mistyped(value, "a list") };
    if items.is_empty() && expected.is_empty() {
        return Judgement::empty("both lists are empty, there is no member to compare");
    }
    let missing = missing_from(expected, items);
    let unexpected = missing_from(items, expected);
    if missing.is_empty() && unexpected.is_empty() {
        return Judgement::Holds;
    }
    let mut actual = format!("{} members", items.len());
    for (what, members) in [("without", &missing), ("beyond them", &unexpected)] {
        if !members.is_empty() {
            actual.push_str(&format!("; {what}: {}", shown_some(members)));
        }
    }
    Judgement::fails("has other members", format!("the same {} members", expected.len()), actual)
}
