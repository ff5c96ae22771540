//! Matchers in words, for messages that have to say what must not be.

use super::format;
use super::shown::shortened;
use crate::scenario::model::{Json, Matcher, Rule};
use crate::scenario::names::Names;

/// A matcher in words, for `not` and `none`.
pub(super) fn wording(matcher: &Matcher, names: &Names) -> String {
    let json = |json: &Json| operand(json, names);
    match matcher {
        Matcher::Equal(expected) => shortened(&json(expected)),
        Matcher::OneOf(list) => {
            let list: Vec<String> = list.iter().map(json).collect();
            shortened(&format!("one of {}", list.join(", ")))
        }
        Matcher::All(rules) => {
            let rules: Vec<String> = rules.iter().map(|rule| rule_wording(rule, names)).collect();
            shortened(&rules.join(" and "))
        }
    }
}

fn rule_wording(rule: &Rule, names: &Names) -> String {
    let json = |json: &Json| operand(json, names);
    match rule {
        Rule::Equals(expected) => json(expected),
        Rule::OneOf(list) => format!("one of {}", json(list)),
        Rule::Not(inner) => format!("not {}", wording(inner, names)),
        Rule::Type(expected) => format!("of type {expected:?}").to_lowercase(),
        Rule::Present(true) => "present".to_owned(),
        Rule::Present(false) => "absent".to_owned(),
        Rule::Matches(pattern, _) => {
            format!("matching /{}/", pattern.render_text(names).unwrap_or_default())
        }
        Rule::Contains(part) => format!("containing {}", json(part)),
        Rule::Min(bound) => format!("at least {}", json(bound)),
        Rule::Max(bound) => format!("at most {}", json(bound)),
        Rule::Length(inner) => format!("of length {}", wording(inner, names)),
        Rule::Format(format) => format!("of format {}", format::name(*format)),
        Rule::Near { value, by } => format!("{}, give or take {}", json(value), json(by)),
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
