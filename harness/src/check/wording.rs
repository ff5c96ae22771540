//! Matchers in words, for messages.

use super::format;
use super::shown::shortened;
use crate::scenario::model::{Json, Matcher, Near, Rule};
use crate::scenario::names::Names;

/// A matcher in words.
pub(super) fn wording(matcher: &Matcher, names: &Names) -> String {
    let json = |json: &Json| operand(json, names);
    match matcher {
        Matcher::Equal(expected) => shortened(&json(expected)),
        Matcher::OneOf(list) => {
            let list: Vec<String> = list.iter().map(json).collect();
            shortened(&format!("one of {}", list.join(", ")))
        }
        Matcher::All(rules) => {
            if let Some(class) = status_class(rules) {
                return format!("a {class}xx answer");
            }
            let rules: Vec<String> = rules.iter().map(|rule| rule_wording(rule, names)).collect();
            shortened(&rules.join(" and "))
        }
    }
}

/// The class of statuses that `{ min: 200, max: 299 }` allows: 2.
fn status_class(rules: &[Rule]) -> Option<u64> {
    let [Rule::Min(Json::Fixed(min)), Rule::Max(Json::Fixed(max))] = rules else { return None };
    let class = min.as_u64()? / 100;
    let is_class = (1..=5).contains(&class)
        && min.as_u64() == Some(class * 100)
        && max.as_u64() == Some(class * 100 + 99);
    is_class.then_some(class)
}

fn rule_wording(rule: &Rule, names: &Names) -> String {
    let json = |json: &Json| operand(json, names);
    match rule {
        Rule::Equals(expected) => json(expected),
        Rule::OneOf(list) => format!("one of {}", json(list)),
        Rule::Not(inner) => format!("not {}", wording(inner, names)),
        Rule::Type(expected) => format!("of type {expected}"),
        Rule::Present(true) => "present".to_owned(),
        Rule::Present(false) => "absent".to_owned(),
        Rule::Matches(pattern) => {
            format!("matching /{}/", pattern.text.render_text(names).unwrap_or_default())
        }
        Rule::Contains(part) => format!("containing {}", json(part)),
        Rule::Min(bound) => format!("at least {}", json(bound)),
        Rule::Max(bound) => format!("at most {}", json(bound)),
        Rule::Length(inner) => format!("of length {}", wording(inner, names)),
        Rule::Format(format) => format!("of format {}", format::name(*format)),
        Rule::Near(Near { value, by }) => format!("{}, give or take {}", json(value), json(by)),
        Rule::Unique(true) => "without equal members".to_owned(),
        Rule::Unique(false) => "with equal members".to_owned(),
        Rule::Each(inner) => format!("each member {}", wording(inner, names)),
        Rule::Any(inner) => format!("a member {}", wording(inner, names)),
        Rule::NoneOf(inner) => format!("no member {}", wording(inner, names)),
        Rule::SameMembers(list) => format!("with the members {}", json(list)),
    }
}

/// An operand as JSON, its names filled in; the name itself where it has no value.
fn operand(json: &Json, names: &Names) -> String {
    json.render(names).map_or_else(|unknown| unknown.to_string(), |value| value.to_string())
}
