//! Judges a value by a matcher. [`super::place`] finds the value.
//!
//! Nothing passes by being empty. A rule that can't be judged (a name without a value, a bound that is
//! not a number) is [`Judgement::Empty`] with the reason, never a failure of the service.

use serde_json::{Number, Value};

use super::equal::{as_integer, equal};
use super::same_time::is_same_time;
use super::shown::{json_kind, mistyped, shown, shown_some};
use super::wording::wording;
use super::{Judgement, MismatchKind, PlaceValue, format, members};
use crate::scenario::model::{Json, JsonType, Matcher, MatcherRule, Near, TextFormat};
use crate::scenario::names::Names;

/// Whether the value satisfies the matcher. A pointer in a failure is relative to the value.
pub fn judge(matcher: &Matcher, found: &PlaceValue, names: &Names) -> Judgement {
    match found {
        PlaceValue::One(value) => judge_value(matcher, value.as_ref(), names),
        PlaceValue::Many(values) => match matcher {
            // A list of nothing is there only where something was found.
            Matcher::All(rules) if values.is_empty() => {
                rules.iter().fold(Judgement::Holds, |judged, rule| {
                    judged.and(|| match rule {
                        MatcherRule::Present(expected) => presence(*expected, None),
                        rule => judge_rule(rule, &Value::Array(Vec::new()), names),
                    })
                })
            }
            matcher => judge_value(matcher, Some(&Value::Array(values.clone())), names),
        },
    }
}

fn judge_value(matcher: &Matcher, value: Option<&Value>, names: &Names) -> Judgement {
    match matcher {
        Matcher::Equal(expected) => rendered(expected, names, |expected| {
            present(value, || shown(Some(expected)), |value| is_equal(value, expected))
        }),
        Matcher::OneOf(candidates) => {
            let list = candidates.iter().map(|candidate| candidate.render(names)).collect();
            match list {
                Ok(list) => is_one_of(value, &list),
                Err(unknown) => Judgement::empty(unknown.to_string()),
            }
        }
        Matcher::All(rules) => rules.iter().fold(Judgement::Holds, |judged, rule| {
            judged.and(|| match (rule, value) {
                (MatcherRule::Present(expected), value) => presence(*expected, value),
                (rule, Some(value)) => judge_rule(rule, value, names),
                (_, None) => absent("a value"),
            })
        }),
    }
}

fn judge_rule(rule: &MatcherRule, value: &Value, names: &Names) -> Judgement {
    match rule {
        MatcherRule::Equals(expected) => {
            rendered(expected, names, |expected| is_equal(value, expected))
        }
        MatcherRule::OneOf(list) => rendered(list, names, |list| match list {
            Value::Array(_) => is_one_of(Some(value), list),
            other => unusable("one_of", "a list", other),
        }),
        MatcherRule::Not(matcher) => is_not(matcher, value, names),
        MatcherRule::Type(expected) => has_type(value, *expected),
        MatcherRule::Present(expected) => presence(*expected, Some(value)),
        MatcherRule::Matches(pattern) => match &pattern.regex {
            Some(regex) => matches_pattern(value, regex),
            None => match pattern.text.render_text(names).map(|text| regex::Regex::new(&text)) {
                Ok(Ok(regex)) => matches_pattern(value, &regex),
                Ok(Err(_)) => Judgement::empty("with its names filled in, the pattern is unsound"),
                Err(unknown) => Judgement::empty(unknown.to_string()),
            },
        },
        MatcherRule::Contains(part) => rendered(part, names, |part| contains(value, part)),
        MatcherRule::Min(bound) => bounded(value, bound, names, Bound::Min),
        MatcherRule::Max(bound) => bounded(value, bound, names, Bound::Max),
        MatcherRule::Length(matcher) => length(value, matcher, names),
        MatcherRule::Format(expected) => has_format(value, *expected),
        MatcherRule::Near(Near { value: center, by }) => near(value, center, by, names),
        MatcherRule::SameTime(expected) => {
            rendered(expected, names, |expected| match (value, expected) {
                (Value::String(a), Value::String(b)) if is_same_time(a, b) => Judgement::Holds,
                _ => is_equal(value, expected),
            })
        }
        MatcherRule::Unique(expected) => members::is_unique(value, *expected),
        MatcherRule::Each(matcher) => {
            members::each(value, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::Any(matcher) => {
            members::any(value, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::NoneOf(matcher) => {
            let forbidden = wording(matcher, names);
            members::none(value, &forbidden, |item| judge_value(matcher, Some(item), names))
        }
        MatcherRule::HasMembers(expected) => rendered(expected, names, |expected| match expected {
            Value::Array(expected) => members::has_members(value, expected),
            other => unusable("has_members", "a list", other),
        }),
        MatcherRule::SameMembers(expected) => {
            rendered(expected, names, |expected| match expected {
                Value::Array(expected) => members::same_members(value, expected),
                other => unusable("same_members", "a list", other),
            })
        }
    }
}

fn rendered(json: &Json, names: &Names, judge: impl FnOnce(&Value) -> Judgement) -> Judgement {
    match json.render(names) {
        Ok(value) => judge(&value),
        Err(unknown) => Judgement::empty(unknown.to_string()),
    }
}

/// Our own operand has the wrong type at run time: nothing was judged.
fn unusable(rule: &str, needed: &str, operand: &Value) -> Judgement {
    Judgement::empty(format!(
        "`{rule}` needs {needed} to compare with, and met {}",
        json_kind(operand)
    ))
}

fn absent(expected: impl Into<String>) -> Judgement {
    Judgement::differs(MismatchKind::Absent, expected, "absent")
}

fn present(
    value: Option<&Value>,
    expected: impl FnOnce() -> String,
    judge: impl FnOnce(&Value) -> Judgement,
) -> Judgement {
    value.map_or_else(|| absent(expected()), judge)
}

fn presence(expected: bool, value: Option<&Value>) -> Judgement {
    match (expected, value) {
        (true, Some(_)) | (false, None) => Judgement::Holds,
        (true, None) => absent("present"),
        (false, Some(value)) => {
            Judgement::differs(MismatchKind::Present, "absent", shown(Some(value)))
        }
    }
}

fn is_equal(value: &Value, expected: &Value) -> Judgement {
    if equal(value, expected) {
        return Judgement::Holds;
    }
    let is_alike = json_kind(value) == json_kind(expected);
    let mismatch = if is_alike { MismatchKind::Value } else { MismatchKind::Type };
    Judgement::differs(mismatch, shown(Some(expected)), shown(Some(value)))
}

fn is_one_of(value: Option<&Value>, list: &Value) -> Judgement {
    let candidates = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let expected = || format!("one of {}", shown_some(&candidates.iter().collect::<Vec<_>>()));
    present(value, expected, |value| {
        if candidates.iter().any(|candidate| equal(candidate, value)) {
            Judgement::Holds
        } else {
            Judgement::differs(MismatchKind::NotAllowed, expected(), shown(Some(value)))
        }
    })
}

fn is_not(matcher: &Matcher, value: &Value, names: &Names) -> Judgement {
    match judge_value(matcher, Some(value), names) {
        Judgement::Holds => Judgement::differs(
            MismatchKind::Forbidden,
            format!("not {}", wording(matcher, names)),
            shown(Some(value)),
        ),
        Judgement::Fails(_) => Judgement::Holds,
        Judgement::Empty { reason } => Judgement::Empty { reason },
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
    if holds { Judgement::Holds } else { mistyped(value, name) }
}

fn matches_pattern(value: &Value, regex: &regex::Regex) -> Judgement {
    let expected = || format!("a text in which /{}/ is found", regex.as_str());
    match value {
        Value::Object(_) if some_text(value, &|text| regex.is_match(text)) => Judgement::Holds,
        Value::String(text) if regex.is_match(text) => Judgement::Holds,
        Value::String(_) | Value::Object(_) => {
            Judgement::differs(MismatchKind::Pattern, expected(), shown(Some(value)))
        }
        other => mistyped(other, &expected()),
    }
}

/// A text has the part, a list the member; an object is searched for the text at any depth, so that
/// `not: { contains: … }` of a whole body means what it says.
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
        (value, _) => return mistyped(value, "a text or a list"),
    };
    if holds {
        Judgement::Holds
    } else {
        let expected = format!("contains {}", shown(Some(part)));
        Judgement::differs(MismatchKind::Part, expected, shown(Some(value)))
    }
}

/// Whether any text of the value, at any depth and names of members too, satisfies `is`.
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

#[derive(Clone, Copy)]
enum Bound {
    Min,
    Max,
}

fn bounded(value: &Value, bound: &Json, names: &Names, which: Bound) -> Judgement {
    rendered(bound, names, |limit| {
        let (name, words, mismatch) = match which {
            Bound::Min => ("min", "at least", MismatchKind::TooSmall),
            Bound::Max => ("max", "at most", MismatchKind::TooLarge),
        };
        let Value::Number(limit) = limit else { return unusable(name, "a number", limit) };
        let expected = format!("{words} {limit}");
        let Value::Number(number) = value else { return mistyped(value, &expected) };
        let order = compare(number, limit);
        let holds = match which {
            Bound::Min => order.is_ge(),
            Bound::Max => order.is_le(),
        };
        if holds {
            return Judgement::Holds;
        }
        Judgement::differs(mismatch, expected, number.to_string())
    })
}

/// Exact among integers; JSON numbers are never NaN.
fn compare(a: &Number, b: &Number) -> std::cmp::Ordering {
    match (as_integer(a), as_integer(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (a, b) = (a.as_f64().unwrap_or_default(), b.as_f64().unwrap_or_default());
            a.total_cmp(&b)
        }
    }
}

fn length(value: &Value, matcher: &Matcher, names: &Names) -> Judgement {
    let (length, unit) = match value {
        Value::String(text) => (text.chars().count(), "characters"),
        Value::Array(items) => (items.len(), "members"),
        Value::Object(members) => (members.len(), "members"),
        other => return mistyped(other, "a text or a list"),
    };
    match judge_value(matcher, Some(&Value::from(length)), names) {
        Judgement::Fails(mismatch) => Judgement::differs(
            MismatchKind::Length,
            format!("{} {unit}", mismatch.expected),
            format!("{length} {unit}: {}", shown(Some(value))),
        ),
        other => other,
    }
}

fn has_format(value: &Value, expected: TextFormat) -> Judgement {
    match value {
        Value::String(text) if format::has(text, expected) => Judgement::Holds,
        Value::String(_) => {
            let expected = format::name(expected);
            Judgement::differs(MismatchKind::Format, expected, shown(Some(value)))
        }
        other => mistyped(other, format::name(expected)),
    }
}

fn near(value: &Value, center: &Json, by: &Json, names: &Names) -> Judgement {
    rendered(center, names, |center| {
        rendered(by, names, |by| {
            let (Some(c), Some(b)) = (center.as_f64(), by.as_f64()) else {
                let operand = if center.is_number() { by } else { center };
                return unusable("near", "two numbers", operand);
            };
            let expected = format!("{center}, give or take {by}");
            let Some(number) = value.as_f64() else { return mistyped(value, &expected) };
            if (number - c).abs() <= b {
                Judgement::Holds
            } else {
                Judgement::differs(MismatchKind::TooFar, expected, shown(Some(value)))
            }
        })
    })
}
