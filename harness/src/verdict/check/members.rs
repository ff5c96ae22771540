//! Matcher rules for lists and their members. An empty list is never a pass.

use serde_json::Value;

use super::equal::{equal, first_equal_pair, missing_from};
use super::value_text::{value_text, values_text, wrong_type};
use super::{Judgement, MismatchKind};
use crate::verdict::pluralize;

/// Judges whether the members of the list are different. If `expected` is false, some must be equal.
pub(super) fn is_unique(value: &Value, expected: bool) -> Judgement {
    with_members(value, "a list without equal members", |items| {
        match (expected, first_equal_pair(items)) {
            (true, None) | (false, Some(_)) => Judgement::Holds,
            (true, Some((first, second))) => Judgement::differs(
                MismatchKind::Duplicate,
                "no two equal members",
                format!("members {first} and {second} are {}", value_text(Some(&items[second]))),
            )
            .at(format!("/{second}")),
            (false, None) => Judgement::differs(
                MismatchKind::NoDuplicate,
                "two equal members",
                value_text(Some(value)),
            ),
        }
    })
}

/// Judges the members of a list that is not empty.
fn with_members(
    value: &Value,
    expected: &str,
    judge: impl FnOnce(&[Value]) -> Judgement,
) -> Judgement {
    match value {
        Value::Array(items) if items.is_empty() => {
            Judgement::not_applicable("the list is empty, there is no member to judge")
        }
        Value::Array(items) => judge(items),
        other => wrong_type(other, expected),
    }
}

/// Judges whether every member satisfies `judge`.
pub(super) fn each(value: &Value, judge: impl Fn(&Value) -> Judgement) -> Judgement {
    with_members(value, "a list", |items| {
        let (mut unjudged, mut has_held) = (None, false);
        for (index, item) in items.iter().enumerate() {
            match judge(item) {
                Judgement::Holds => has_held = true,
                Judgement::NotApplicable { reason } => unjudged = Some(reason),
                Judgement::Fails(mismatch) => {
                    let below = mismatch.pointer.as_deref().unwrap_or_default();
                    let pointer = format!("/{index}{below}");
                    return Judgement::Fails(mismatch).at(pointer);
                }
            }
        }
        match unjudged {
            Some(reason) if !has_held => Judgement::NotApplicable { reason },
            _ => Judgement::Holds,
        }
    })
}

/// Judges whether at least one member satisfies `judge`. `wanted` is the matcher in words.
pub(super) fn any(value: &Value, wanted: &str, judge: impl Fn(&Value) -> Judgement) -> Judgement {
    with_members(value, "a list", |items| {
        let (mut has_failed, mut unjudged) = (false, None);
        for item in items {
            match judge(item) {
                Judgement::Holds => return Judgement::Holds,
                Judgement::Fails(_) => has_failed = true,
                Judgement::NotApplicable { reason } => unjudged = Some(reason),
            }
        }
        match unjudged {
            _ if has_failed => Judgement::differs(
                MismatchKind::NoMember,
                format!("a member {wanted}"),
                values_text(&items.iter().collect::<Vec<_>>()),
            ),
            Some(reason) => Judgement::NotApplicable { reason },
            None => Judgement::Holds,
        }
    })
}

/// Judges whether no member satisfies `judge`. `allowed` has the other members in words.
pub(super) fn none(value: &Value, allowed: &str, judge: impl Fn(&Value) -> Judgement) -> Judgement {
    let Value::Array(items) = value else { return wrong_type(value, "a list") };
    let mut unjudged = None;
    for (index, item) in items.iter().enumerate() {
        match judge(item) {
            Judgement::Fails(_) => {}
            Judgement::NotApplicable { reason } => unjudged = Some(reason),
            Judgement::Holds => {
                return Judgement::differs(
                    MismatchKind::Forbidden,
                    allowed.to_owned(),
                    value_text(Some(item)),
                )
                .at(format!("/{index}"));
            }
        }
    }
    unjudged.map_or(Judgement::Holds, |reason| Judgement::NotApplicable { reason })
}

/// Judges whether the list has at least the expected members, in any order.
pub(super) fn has_members(value: &Value, expected: &[Value]) -> Judgement {
    let Value::Array(items) = value else { return wrong_type(value, "a list") };
    let is_expected = |item: &&Value| expected.iter().any(|known| equal(known, item));
    same_members(&items.iter().filter(is_expected).cloned().collect(), expected)
}

/// Judges whether the list has exactly the expected members, in any order.
pub(super) fn same_members(value: &Value, expected: &[Value]) -> Judgement {
    let Value::Array(items) = value else { return wrong_type(value, "a list") };
    if items.is_empty() && expected.is_empty() {
        return Judgement::not_applicable("both lists are empty, there is no member to compare");
    }
    let missing = missing_from(expected, items);
    let unexpected = missing_from(items, expected);
    if missing.is_empty() && unexpected.is_empty() {
        return Judgement::Holds;
    }
    // The counts come first, because a long text is cut.
    let (mut counts, mut named) = (Vec::new(), String::new());
    for (what, members, all, noun) in [
        ("missing", &missing, expected.len(), "expected member"),
        ("unexpected", &unexpected, items.len(), "member"),
    ] {
        if !members.is_empty() {
            counts.push(format!("{} of {} {what}", members.len(), pluralize(all, noun)));
            named.push_str(&format!("; {what}: {}", values_text(members)));
        }
    }
    let actual = format!("{}{named}", counts.join(", "));
    let expected = format!("the same {}", pluralize(expected.len(), "member"));
    Judgement::differs(MismatchKind::Members, expected, actual)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Judgement;
    use super::same_members;

    #[test]
    fn the_counts_come_first() {
        let expected: Vec<Value> = (0..12).map(|id| json!(format!("id-{id}"))).collect();
        let actual: Vec<Value> = (10..37).map(|id| json!(format!("id-{id}"))).collect();
        let Judgement::Fails(mismatch) = same_members(&json!(actual), &expected) else {
            panic!("they differ")
        };
        let says = "10 of 12 expected members missing, 25 of 27 members unexpected; missing: \"id-0\", \"id-1\"";
        assert!(mismatch.actual.starts_with(says), "{}", mismatch.actual);
    }
}
