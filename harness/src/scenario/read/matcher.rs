//! Reads matchers: a scalar is equality, a list one of these, a map matchers that all hold.

use regex::RegexBuilder;

use super::super::model::{Json, JsonType, Matcher, Rule, TextFormat};
use super::super::node::{Key, Node, Tree};
use super::reader::Reader;

/// Bytes of a compiled regular expression.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Every key of a matcher map.
pub(super) const RULES: [&str; 17] = [
    "equals",
    "one_of",
    "not",
    "type",
    "present",
    "matches",
    "contains",
    "min",
    "max",
    "length",
    "format",
    "near",
    "unique",
    "each",
    "any",
    "none",
    "same_members",
];

const TYPES: [(&str, JsonType); 7] = [
    ("string", JsonType::String),
    ("integer", JsonType::Integer),
    ("number", JsonType::Number),
    ("boolean", JsonType::Boolean),
    ("object", JsonType::Object),
    ("array", JsonType::Array),
    ("null", JsonType::Null),
];

const FORMATS: [(&str, TextFormat); 4] = [
    ("date-time", TextFormat::DateTime),
    ("email", TextFormat::Email),
    ("uri", TextFormat::Uri),
    ("http-date", TextFormat::HttpDate),
];

impl Reader {
    pub(super) fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        match &node.value {
            Tree::List(items) if items.is_empty() => {
                let help = Some("`{ equals: [] }` is an empty list".to_owned());
                self.refuse_with(node.span, "nothing is one of no values", help);
                None
            }
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.json(item)).collect();
                Some(Matcher::OneOf(items.into_iter().collect::<Option<_>>()?))
            }
            Tree::Map(entries) => self.rules(node, entries),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => {
                self.json(node).map(Matcher::Equal)
            }
        }
    }

    fn rules(&mut self, node: &Node, entries: &[(Key, Node)]) -> Option<Matcher> {
        if entries.is_empty() {
            let help = Some("`{ equals: {} }` is an empty map".to_owned());
            self.refuse_with(node.span, "a matcher without a rule holds for everything", help);
            return None;
        }
        let rules: Vec<_> = entries.iter().map(|(key, node)| self.rule(key, node)).collect();
        let rules: Vec<Rule> = rules.into_iter().collect::<Option<_>>()?;
        let demands_absence = rules.iter().any(|rule| matches!(rule, Rule::Present(false)));
        if demands_absence && rules.len() > 1 {
            let message =
                "`present: false` stands alone: every other rule fails on an absent value";
            self.refuse(node.span, message);
            return None;
        }
        Some(Matcher::All(rules))
    }

    fn rule(&mut self, key: &Key, node: &Node) -> Option<Rule> {
        Some(match key.name.as_str() {
            "equals" => Rule::Equals(self.json(node)?),
            "one_of" => Rule::OneOf(self.list_value(node, "`one_of`")?),
            "not" => Rule::Not(self.inner(node)?),
            "type" => Rule::Type(self.json_type(node)?),
            "present" => Rule::Present(self.boolean(node, "`present`")?),
            "matches" => self.pattern(node)?,
            "contains" => Rule::Contains(self.json(node)?),
            "min" => Rule::Min(self.number_value(node, "`min`")?),
            "max" => Rule::Max(self.number_value(node, "`max`")?),
            "length" => Rule::Length(self.inner(node)?),
            "format" => Rule::TextFormat(self.word(node, "`format`", &FORMATS)?),
            "near" => self.near(node)?,
            "unique" => Rule::Unique(self.boolean(node, "`unique`")?),
            "each" => Rule::Each(self.inner(node)?),
            "any" => Rule::Any(self.inner(node)?),
            "none" => Rule::NoneOf(self.inner(node)?),
            "same_members" => Rule::SameMembers(self.list_value(node, "`same_members`")?),
            _ => {
                self.refuse_unknown(key, "a matcher", &RULES);
                return None;
            }
        })
    }

    fn inner(&mut self, node: &Node) -> Option<Box<Matcher>> {
        self.matcher(node).map(Box::new)
    }

    fn json_type(&mut self, node: &Node) -> Option<JsonType> {
        // `type: null` is YAML's null, and what is meant is plain.
        match node.value {
            Tree::Null => Some(JsonType::Null),
            _ => self.word(node, "`type`", &TYPES),
        }
    }

    fn pattern(&mut self, node: &Node) -> Option<Rule> {
        let text = self.text(node, "`matches`")?;
        let Some(literal) = text.as_literal() else { return Some(Rule::Matches(text, None)) };
        match RegexBuilder::new(literal).size_limit(REGEX_BYTES_MAX).build() {
            Ok(regex) => Some(Rule::Matches(text, Some(regex))),
            Err(error) => {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                self.refuse(node.span, format!("the regular expression is unsound: {reason}"));
                None
            }
        }
    }

    fn near(&mut self, node: &Node) -> Option<Rule> {
        let fields = self.fields(node, "`near`", &["value", "by"])?;
        let value = self.needed(fields, "`near`", "value");
        let by = self.needed(fields, "`near`", "by");
        let value = value.and_then(|node| self.number_value(node, "`value`"));
        let by = by.and_then(|node| self.number_value(node, "`by`"));
        Some(Rule::Near { value: value?, by: by? })
    }

    /// A number, or a text that is one name.
    fn number_value(&mut self, node: &Node, what: &str) -> Option<Json> {
        match self.json(node)? {
            json @ Json::Fixed(serde_json::Value::Number(_)) => Some(json),
            Json::Text(text) if text.only_name().is_some() => Some(Json::Text(text)),
            Json::Fixed(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => {
                self.refuse_type(node, what, "a number or a `<name>`");
                None
            }
        }
    }

    /// A list, or a text that is one name.
    pub(super) fn list_value(&mut self, node: &Node, what: &str) -> Option<Json> {
        match self.json(node)? {
            Json::List(items) if items.is_empty() => {
                self.refuse(node.span, format!("{what} is empty"));
                None
            }
            json @ Json::List(_) => Some(json),
            Json::Text(text) if text.only_name().is_some() => Some(Json::Text(text)),
            Json::Fixed(_) | Json::Text(_) | Json::Map(_) => {
                self.refuse_type(node, what, "a list or a `<name>`");
                None
            }
        }
    }
}
