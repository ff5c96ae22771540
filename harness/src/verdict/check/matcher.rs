//! Judges a value by a matcher. [`super::place`] finds the value.
//!
//! A rule that can't be judged is [`Judgement::NotApplicable`] with the reason, never a failure of the service.
//! Examples are a name without a value, and a bound that is not a number.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::equal::{as_integer, equal};
use super::same_time::is_same_time;
use super::value_text::{json_kind, shortened, value_text, values_text, wrong_type};
use super::wording::{rule_wording, wording};
use super::{Judgement, MismatchKind, PlaceValue, format, members};
use crate::scenario::model::{Json, JsonType, MatcherRule, Near, TextFormat};
use crate::scenario::names::Names;
use crate::verdict::pluralize;

/// Judges whether the value satisfies all rules. A pointer in a failure is relative to the value.
pub fn judge(matcher: &[MatcherRule], found: &PlaceValue, names: &Names) -> Judgement {
    match found {
        PlaceValue::One(value) => judge_value(matcher, value.as_ref(), names),
        PlaceValue::Many(values) => {
            let list = Value::Array(values.clone());
            all(matcher, |rule| match rule {
                // The path found no value.
                MatcherRule::Present(expected) if values.is_empty() => presence(*expected, None),
                rule => judge_rule(rule, &list, names),
            })
        }
    }
}

fn judge_value(matcher: &[MatcherRule], value: Option<&Value>, names: &Names) -> Judgement {
    all(matcher, |rule| match (rule, value) {
        (rule, Some(value)) => judge_rule(rule, value, names),
        (MatcherRule::Present(expected), None) => presence(*expected, None),
        (MatcherRule::Equals(json) | MatcherRule::OneOf(json), None) => {
            with_value(json, names, |_| absent(shortened(&rule_wording(rule, names))))
        }
        (_, None) => absent("a value"),
    })
}

fn all(matcher: &[MatcherRule], judge: impl Fn(&MatcherRule) -> Judgement) -> Judgement {
    matcher.iter().fold(Judgement::Holds, |judged, rule| judged.and(|| judge(rule)))
}

fn judge_rule(rule: &MatcherRule, value: &Value, names: &Names) -> Judgement {
    match rule {
        MatcherRule::Equals(expected) => {
            with_value(expected, names, |expected| is_equal(value, expected))
        }
        MatcherRule::OneOf(list) => with_list("one_of", list, names, |list| is_one_of(value, list)),
        MatcherRule::Not(matcher) => is_not(matcher, value, names),
        MatcherRule::Type(expected) => has_type(value, *expected),
        MatcherRule::Present(expected) => presence(*expected, Some(value)),
        MatcherRule::Matches(pattern) => match &pattern.regex {
            Some(regex) => matches_pattern(value, regex),
            None => match pattern.text.render_text(names).map(|text| regex::Regex::new(&text)) {
                Ok(Ok(regex)) => matches_pattern(value, &regex),
                Ok(Err(_)) => Judgement::not_applicable(
                    "with the values of its names, the pattern is invalid",
                ),
                Err(unknown) => Judgement::not_applicable(unknown.to_string()),
            },
        },
        MatcherRule::Contains(part) => with_value(part, names, |part| contains(value, part)),
        MatcherRule::Min(bound) => with_number("min", bound, names, |bound| {
            let holds = |number: &Number| compare(number, bound).is_ge();
            is_in_bound(value, format!("at least {bound}"), MismatchKind::TooSmall, holds)
        }),
        MatcherRule::Max(bound) => with_number("max", bound, names, |bound| {
            let holds = |number: &Number| compare(number, bound).is_le();
            is_in_bound(value, format!("at most {bound}"), MismatchKind::TooLarge, holds)
        }),
        MatcherRule::Length(matcher) => length(value, matcher, names),
        MatcherRule::Format(expected) => has_format(value, *expected),
        MatcherRule::Near(Near { value: center, by }) => near(value, center, by, names),
        MatcherRule::SameTime(expected) => {
            with_value(expected, names, |expected| match (value, expected) {
                (Value::String(a), Value::String(b)) if is_same_time(a, b) => Judgement::Holds,
                _ => is_equal(value, expected),
            })
        }
        MatcherRule::Unique(expected) => members::is_unique(value, *expected),
        MatcherRule::Each(matcher) => {
            members::each(value, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::Any(matcher) => {
            let wanted = wording(matcher, names);
            members::any(value, &wanted, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::NoneOf(matcher) => {
            let allowed = match matcher.as_slice() {
                [MatcherRule::Not(inner)] => wording(inner, names),
                _ => format!("a value that is not {}", wording(matcher, names)),
            };
            members::none(value, &allowed, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::HasMembers(list) => {
            with_list("has_members", list, names, |list| members::has_members(value, list))
        }
        MatcherRule::SameMembers(list) => {
            with_list("same_members", list, names, |list| members::same_members(value, list))
        }
    }
}

/// Judges by an operand of the matcher, with the values of its names.
fn with_value(json: &Json, names: &Names, judge: impl FnOnce(&Value) -> Judgement) -> Judgement {
    match json.render(names) {
        Ok(value) => judge(&value),
        Err(unknown) => Judgement::not_applicable(unknown.to_string()),
    }
}

fn with_list(
    rule: &str,
    json: &Json,
    names: &Names,
    judge: impl FnOnce(&[Value]) -> Judgement,
) -> Judgement {
    with_value(json, names, |operand| match operand {
        Value::Array(list) => judge(list),
        other => unusable(rule, "a list", other),
    })
}

fn with_number(
    rule: &str,
    json: &Json,
    names: &Names,
    judge: impl FnOnce(&Number) -> Judgement,
) -> Judgement {
    with_value(json, names, |operand| match operand {
        Value::Number(number) => judge(number),
        other => unusable(rule, "a number", other),
    })
}

/// The operand of the matcher has the wrong type, so that nothing can be judged.
fn unusable(rule: &str, needed: &str, operand: &Value) -> Judgement {
    Judgement::not_applicable(format!(
        "`{rule}` needs {needed} to compare with, not {}",
        json_kind(operand)
    ))
}

fn absent(expected: impl Into<String>) -> Judgement {
    Judgement::differs(MismatchKind::Absent, expected, "absent")
}

fn presence(expected: bool, value: Option<&Value>) -> Judgement {
    match (expected, value) {
        (true, Some(_)) | (false, None) => Judgement::Holds,
        (true, None) => absent("present"),
        (false, Some(value)) => {
            Judgement::differs(MismatchKind::Present, "absent", value_text(Some(value)))
        }
    }
}

fn is_equal(value: &Value, expected: &Value) -> Judgement {
    if equal(value, expected) {
        return Judgement::Holds;
    }
    if let (Value::Object(members), Value::Object(expected)) = (value, expected) {
        return members_differ(members, expected);
    }
    let is_alike = json_kind(value) == json_kind(expected);
    let mismatch = if is_alike { MismatchKind::Value } else { MismatchKind::Type };
    Judgement::differs(mismatch, value_text(Some(expected)), value_text(Some(value)))
}

/// The first member in which two objects differ, and the number of the others.
fn members_differ(members: &Map<String, Value>, expected: &Map<String, Value>) -> Judgement {
    let wrong = expected
        .iter()
        .filter(|(name, wanted)| members.get(*name).is_none_or(|value| !equal(value, wanted)));
    let further = members.iter().filter(|(name, _)| !expected.contains_key(*name));
    let mut names = wrong.map(|(name, _)| name).chain(further.map(|(name, _)| name));
    let Some(name) = names.next() else { return Judgement::Holds };
    let judged = match (members.get(name), expected.get(name)) {
        (Some(value), Some(wanted)) => is_equal(value, wanted),
        (None, Some(wanted)) => absent(value_text(Some(wanted))),
        (value, None) => presence(false, value),
    };
    let Judgement::Fails(mut mismatch) = judged else { return judged };
    let others = names.count();
    if others > 0 && mismatch.pointer.is_none() {
        mismatch.actual.push_str(&format!(" (and {} beside it)", pluralize(others, "member")));
    }
    let name = name.replace('~', "~0").replace('/', "~1");
    let pointer = format!("/{name}{}", mismatch.pointer.as_deref().unwrap_or_default());
    Judgement::Fails(mismatch).at(pointer)
}

fn is_one_of(value: &Value, candidates: &[Value]) -> Judgement {
    if candidates.iter().any(|candidate| equal(candidate, value)) {
        return Judgement::Holds;
    }
    let expected = format!("one of {}", values_text(&candidates.iter().collect::<Vec<_>>()));
    Judgement::differs(MismatchKind::NotAllowed, expected, value_text(Some(value)))
}

fn is_not(matcher: &[MatcherRule], value: &Value, names: &Names) -> Judgement {
    match judge_value(matcher, Some(value), names) {
        Judgement::Holds => Judgement::differs(
            MismatchKind::Forbidden,
            format!("a value that is not {}", wording(matcher, names)),
            value_text(Some(value)),
        ),
        Judgement::Fails(_) => Judgement::Holds,
        Judgement::NotApplicable { reason } => Judgement::NotApplicable { reason },
    }
}

fn has_type(value: &Value, expected: JsonType) -> Judgement {
    let (holds, name) = match expected {
        JsonType::String => (value.is_string(), "a string"),
        JsonType::Integer => {
            (value.as_number().is_some_and(|n| as_integer(n).is_some()), "an integer")
        }
        JsonType::Number => (value.is_number(), "a number"),
        JsonType::Boolean => (value.is_boolean(), "a boolean"),
        JsonType::Object => (value.is_object(), "an object"),
        JsonType::Array => (value.is_array(), "an array"),
        JsonType::Null => (value.is_null(), "null"),
    };
    if holds { Judgement::Holds } else { wrong_type(value, name) }
}

fn matches_pattern(value: &Value, regex: &regex::Regex) -> Judgement {
    let expected = || format!("a text in which /{}/ is found", regex.as_str());
    match value {
        Value::Object(_) if some_text(value, &|text| regex.is_match(text)) => Judgement::Holds,
        Value::String(text) if regex.is_match(text) => Judgement::Holds,
        Value::String(_) | Value::Object(_) => {
            Judgement::differs(MismatchKind::Pattern, expected(), value_text(Some(value)))
        }
        other => wrong_type(other, &expected()),
    }
}

/// Judges whether a text contains the part, or a list the member. An object contains a text at any
/// depth, so that `not: { contains: … }` is useful for a whole body.
fn contains(value: &Value, part: &Value) -> Judgement {
    let holds = match (value, part) {
        (Value::Array(items), part) => items.iter().any(|item| equal(item, part)),
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Object(_), Value::String(part)) => {
            some_text(value, &|text| text.contains(part.as_str()))
        }
        (Value::String(_) | Value::Object(_), part) => {
            return unusable("contains", "a text", part);
        }
        (value, _) => return wrong_type(value, "a text or a list"),
    };
    if holds {
        Judgement::Holds
    } else {
        let expected = format!("contains {}", value_text(Some(part)));
        Judgement::differs(MismatchKind::Part, expected, value_text(Some(value)))
    }
}

/// Whether any text in the value satisfies `is`. Names of members are included.
fn some_text(value: &Value, is: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(items) => items.iter().any(|item| some_text(item, is)),
        Value::Object(members) => {
            members.iter().any(|(name, member)| is(name) || some_text(member, is))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_in_bound(
    value: &Value,
    expected: String,
    kind: MismatchKind,
    holds: impl Fn(&Number) -> bool,
) -> Judgement {
    match value {
        Value::Number(number) if holds(number) => Judgement::Holds,
        Value::Number(number) => Judgement::differs(kind, expected, number.to_string()),
        other => wrong_type(other, &expected),
    }
}

/// Compares integers exactly. JSON numbers are never NaN.
fn compare(a: &Number, b: &Number) -> Ordering {
    match (as_integer(a), as_integer(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (a.as_f64().unwrap_or_default(), b.as_f64().unwrap_or_default());
            a.total_cmp(&b)
        }
    }
}

fn length(value: &Value, matcher: &[MatcherRule], names: &Names) -> Judgement {
    let (length, unit) = match value {
        Value::String(text) => (text.chars().count(), "character"),
        Value::Array(items) => (items.len(), "member"),
        Value::Object(members) => (members.len(), "member"),
        other => return wrong_type(other, "a text or a list"),
    };
    let has_number = all(matcher, |rule| match rule {
        MatcherRule::Equals(bound) => with_number("length", bound, names, |_| Judgement::Holds),
        _ => Judgement::Holds,
    });
    if has_number != Judgement::Holds {
        return has_number;
    }
    match judge_value(matcher, Some(&Value::from(length)), names) {
        Judgement::Fails(mismatch) => Judgement::differs(
            MismatchKind::Length,
            pluralize(&mismatch.expected, unit),
            format!("{}: {}", pluralize(length, unit), value_text(Some(value))),
        ),
        other => other,
    }
}

fn has_format(value: &Value, expected: TextFormat) -> Judgement {
    match value {
        Value::String(text) if format::has(text, expected) => Judgement::Holds,
        Value::String(_) => {
            let expected = format::name(expected);
            Judgement::differs(MismatchKind::Format, expected, value_text(Some(value)))
        }
        other => wrong_type(other, format::name(expected)),
    }
}

fn near(value: &Value, center: &Json, by: &Json, names: &Names) -> Judgement {
    with_value(center, names, |center| {
        with_value(by, names, |by| {
            let (Some(c), Some(b)) = (center.as_f64(), by.as_f64()) else {
                let operand = if center.is_number() { by } else { center };
                return unusable("near", "two numbers", operand);
            };
            let expected = format!("{center}, give or take {by}");
            let Some(number) = value.as_f64() else { return wrong_type(value, &expected) };
            if (number - c).abs() <= b {
                Judgement::Holds
            } else {
                Judgement::differs(MismatchKind::TooFar, expected, value_text(Some(value)))
            }
        })
    })
}
