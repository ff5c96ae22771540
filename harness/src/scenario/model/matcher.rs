//! Matchers. A scalar matches an equal value, a list matches one of its members, and a map has rules
//! that must all hold.

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use strum::{Display, EnumString, VariantNames};

use crate::scenario::language::form::{ListValue, NumberValue, SchemaDefinitions, Word, YamlForm};
use crate::scenario::language::keys::{MapSchema, OneKey, keyed, one_key};
use crate::scenario::language::reader::{ScenarioReader, all};
use crate::scenario::text::{Json, Text};

/// The largest size of a compiled regular expression, in bytes.
const REGEX_BYTES_MAX: usize = 1 << 20;

one_key! {
    /// One rule of a matcher: a key of its map.
    #[derive(Debug, Clone)]
    pub enum MatcherRule {
        /// Is this JSON value.
        "equals" => Equals(Json),
        /// Is a member of this list.
        "one_of" => OneOf(Json as ListValue),
        /// Does not satisfy this matcher.
        "not" => Not(Vec<MatcherRule>),
        /// Is of this JSON type.
        "type" => Type(JsonType),
        /// Is present, or is absent.
        "present" => Present(bool),
        /// Contains a match of this regular expression.
        "matches" => Matches(Pattern),
        /// Contains this part or member.
        "contains" => Contains(Json),
        /// Is at least this number.
        "min" => Min(Json as NumberValue),
        /// Is at most this number.
        "max" => Max(Json as NumberValue),
        /// Its length satisfies this matcher.
        "length" => Length(Vec<MatcherRule> as LengthMatcher),
        /// Has this format.
        "format" => Format(TextFormat as Word),
        /// Is a number near another.
        "near" => Near(Near),
        /// Is the same time, to the precision that both have.
        "same_time" => SameTime(Json),
        /// Has no equal members (true), or has some (false).
        "unique" => Unique(bool),
        /// All members satisfy this matcher.
        "each" => Each(Vec<MatcherRule>),
        /// At least one member satisfies this matcher.
        "any" => Any(Vec<MatcherRule>),
        /// No member satisfies this matcher.
        "none" => NoneOf(Vec<MatcherRule>),
        /// Has these members, in any order, and may have more.
        "has_members" => HasMembers(Json as ListValue),
        /// Has exactly these members, in any order.
        "same_members" => SameMembers(Json as ListValue),
    }
}

keyed! {
    /// A number near another.
    #[derive(Debug, Clone)]
    pub struct Near("`near`") {
        /// The expected number.
        value: Json as NumberValue,
        /// The largest allowed difference.
        by: Json as NumberValue,
    }
}

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The source.
    pub text: Text,
    /// The compiled expression. `None` if the text has names in it.
    pub regex: Option<Regex>,
}

/// A JSON type. An integer is also a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum JsonType {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// A named format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum TextFormat {
    /// ISO 8601 date and time, UTC (question `timestamps`).
    DateTime,
    /// An e-mail address.
    Email,
    /// An absolute URI.
    Uri,
    /// RFC 9110 §5.6.7.
    HttpDate,
}

/// A matcher: rules that all hold. There is at least one.
impl YamlForm<Self> for Vec<MatcherRule> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        match &node.value {
            YamlValue::List(items) if items.is_empty() => {
                let help = Some("`{ equals: [] }` is an empty list".to_owned());
                reader.refuse_with(node.span, "an empty list matches no value", help)
            }
            YamlValue::List(_) => Some(vec![MatcherRule::OneOf(Json::read(reader, node, what)?)]),
            YamlValue::Map(entries) => rules(reader, node, entries),
            _ => Some(vec![MatcherRule::Equals(Json::read(reader, node, what)?)]),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("Matcher", |definitions| {
            let mut rules = MapSchema::default();
            MatcherRule::describe_each(definitions, &mut rules);
            let mut rules = rules.finish();
            rules["minProperties"] = json!(1);
            rules["if"] =
                json!({ "properties": { "present": { "const": false } }, "required": ["present"] });
            rules["then"] = json!({ "maxProperties": 1 });
            json!({
                "description": "A scalar is equality, a list one of these, a map rules that all hold.",
                "if": { "type": "object" },
                "then": rules,
                "else": { "if": { "type": "array" }, "then": { "minItems": 1 } },
            })
        })
    }
}

/// A matcher of a length, which is never negative.
struct LengthMatcher;

impl YamlForm<Vec<MatcherRule>> for LengthMatcher {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Vec<MatcherRule>> {
        let rules = Vec::<MatcherRule>::read(reader, node, what)?;
        check_lengths(reader, node).map(|()| rules)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        Vec::<MatcherRule>::schema(definitions)
    }
}

fn check_lengths(reader: &mut ScenarioReader, node: &YamlNode) -> Option<()> {
    match &node.value {
        YamlValue::Number(number) if number.as_f64().is_some_and(|it| it < 0.0) => {
            reader.refuse(node.span, format!("no length is {number}"))
        }
        YamlValue::List(items) => {
            all(items.iter().map(|item| check_lengths(reader, item))).map(drop)
        }
        YamlValue::Map(rules) => {
            all(rules.iter().map(|(_, rule)| check_lengths(reader, rule))).map(drop)
        }
        _ => Some(()),
    }
}

fn rules(
    reader: &mut ScenarioReader,
    node: &YamlNode,
    entries: &[(YamlKey, YamlNode)],
) -> Option<Vec<MatcherRule>> {
    if entries.is_empty() {
        let help = Some("`{ equals: {} }` is an empty map".to_owned());
        let message = "a matcher without a rule matches every value";
        return reader.refuse_with(node.span, message, help);
    }
    let rule =
        |(key, node): &(YamlKey, YamlNode)| match MatcherRule::NAMES.contains(&key.name.as_str()) {
            true => MatcherRule::read_variant(reader, &key.name, node),
            false => reader.refuse_key(key, "a matcher", MatcherRule::NAMES),
        };
    let rules = all(entries.iter().map(rule))?;
    if rules.len() > 1 && rules.iter().any(|rule| matches!(rule, MatcherRule::Present(false))) {
        let message = "`present: false` stands alone: every other rule fails on an absent value";
        return reader.refuse(node.span, message);
    }
    Some(rules)
}

impl YamlForm<Self> for JsonType {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        // `type: null` is YAML's null.
        match node.value {
            YamlValue::Null => Some(Self::Null),
            _ => Word::read(reader, node, what),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let names = <Word as YamlForm<Self>>::schema(definitions);
        json!({ "anyOf": [names, { "type": "null" }] })
    }
}

impl YamlForm<Self> for Pattern {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let text = Text::read(reader, node, what)?;
        let Some(literal) = text.as_literal() else { return Some(Self { text, regex: None }) };
        match RegexBuilder::new(literal).size_limit(REGEX_BYTES_MAX).build() {
            Ok(regex) => Some(Self { text, regex: Some(regex) }),
            Err(error) => {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                reader.refuse(node.span, format!("the regular expression is invalid: {reason}"))
            }
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        Text::schema(definitions)
    }
}
