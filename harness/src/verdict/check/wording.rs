//! Matchers in words, for messages.

use super::format;
use super::value_text::shortened;
use crate::scenario::model::{Json, MatcherRule, Near};
use crate::scenario::names::Names;

/// A matcher in words.
pub(super) fn wording(matcher: &[MatcherRule], names: &Names) -> String {
    if let Some(class) = status_class(matcher) {
        return format!("a {class}xx response");
    }
    let rules: Vec<String> = matcher.iter().map(|rule| rule_wording(rule, names)).collect();
    shortened(&rules.join(" and "))
}

/// The class of statuses that `{ min: 200, max: 299 }` allows: 2.
fn status_class(rules: &[MatcherRule]) -> Option<u64> {
    let [MatcherRule::Min(Json::Fixed(min)), MatcherRule::Max(Json::Fixed(max))] = rules else {
        return None;
    };
    let (min, max) = (min.as_u64()?, max.as_u64()?);
    let class = min / 100;
    let is_class = (1..=5).contains(&class) && min == class * 100 && max == min + 99;
    is_class.then_some(class)
}

/// A rule in words.
pub(super) fn rule_wording(rule: &MatcherRule, names: &Names) -> String {
    let json = |json: &Json| operand(json, names);
    match rule {
        MatcherRule::Equals(expected) => json(expected),
        MatcherRule::OneOf(Json::List(list)) => {
            let list: Vec<String> = list.iter().map(json).collect();
            format!("one of {}", list.join(", "))
        }
        MatcherRule::OneOf(list) => format!("one of {}", json(list)),
        MatcherRule::Not(inner) => format!("not {}", wording(inner, names)),
        MatcherRule::Type(expected) => format!("of type {expected}"),
        MatcherRule::Present(true) => "present".to_owned(),
        MatcherRule::Present(false) => "absent".to_owned(),
        MatcherRule::Matches(pattern) => {
            format!("matching /{}/", pattern.text.render_text(names).unwrap_or_default())
        }
        MatcherRule::Contains(part) => format!("containing {}", json(part)),
        MatcherRule::Min(bound) => format!("at least {}", json(bound)),
        MatcherRule::Max(bound) => format!("at most {}", json(bound)),
        MatcherRule::Length(inner) => format!("of length {}", wording(inner, names)),
        MatcherRule::Format(format) => format!("of format {}", format::name(*format)),
        MatcherRule::Near(Near { value, by }) => {
            format!("{}, give or take {}", json(value), json(by))
        }
        MatcherRule::Unique(true) => "without equal members".to_owned(),
        MatcherRule::Unique(false) => "with equal members".to_owned(),
        MatcherRule::Each(inner) => format!("each member {}", wording(inner, names)),
        MatcherRule::Any(inner) => format!("a member {}", wording(inner, names)),
        MatcherRule::NoneOf(inner) => format!("no member {}", wording(inner, names)),
        MatcherRule::SameTime(time) => format!("the time {}", json(time)),
        MatcherRule::HasMembers(list) => format!("with at least the members {}", json(list)),
        MatcherRule::SameMembers(list) => format!("with the members {}", json(list)),
    }
}

/// An operand as JSON, with the values of its names. A name without a value is shown as such.
fn operand(json: &Json, names: &Names) -> String {
    json.render(names).map_or_else(|unknown| unknown.to_string(), |value| value.to_string())
}
