//! The keys `expect`, `observe` and `capture`.

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use serde_json::{Value, json};

use super::matcher::MatcherRule;
use super::place::Place;
use crate::scenario::language::form::{SchemaDefinitions, YamlForm, entries_schema, name_schema};
use crate::scenario::language::reader::{ScenarioReader, all};
use crate::scenario::text::{Location, Text};

/// One check: a requirement and its expectation.
#[derive(Debug, Clone)]
pub struct Check {
    /// The id of the requirement.
    pub requirement: String,
    /// All of these claims must hold.
    pub expectation: Vec<Claim>,
    /// The place of the id.
    pub at: Location,
}

/// `observe: {question: place}`, or `{question: {member: place}}`.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The id of the question.
    pub question: String,
    /// The place or places of its answer.
    pub place: AnswerPlace,
    /// The place of the id.
    pub at: Location,
}

/// The place or places of the answer to a question.
#[derive(Debug, Clone)]
pub enum AnswerPlace {
    /// The whole answer is at one place.
    Whole(Place),
    /// The answer is an object with a place for each member. A place without a value is left out.
    Members(Vec<(Text, Place)>),
}

/// A place and the condition on its value.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The place in the response.
    pub place: Place,
    /// The rules for the value at the place.
    pub matcher: Vec<MatcherRule>,
}

/// `{requirement id: expectation}`.
impl YamlForm<Self> for Vec<Check> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a requirement id", |reader, key, node| {
            let expectation = Vec::<Claim>::read(reader, node, &format!("`{}`", key.name));
            let requirement = id(reader, key, "requirement", key.name.contains('.'));
            let at = reader.at(key.span);
            Some(Check { requirement: requirement?, expectation: expectation?, at })
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let ids = json!({ "pattern": "^[a-z0-9_-]+\\.[a-z0-9._-]+$" });
        let expectation = Vec::<Claim>::schema(definitions);
        definitions.refer("expect", |_| entries_schema(&ids, &expectation))
    }
}

/// An expectation: `{place: matcher}`.
impl YamlForm<Self> for Vec<Claim> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a place", |reader, key, node| {
            let place = Place::parse(reader, &key.name, key.span);
            let matcher = Vec::<MatcherRule>::read(reader, node, what);
            let place = place?;
            if matches!(place, Place::Status) {
                check_statuses(reader, node)?;
            }
            // `schema: NAME`, or `schema: true` for the one that the operation documents.
            let is_schema = matches!(node.value, YamlValue::Text(_) | YamlValue::Bool(true));
            if matches!(place, Place::Schema) && !is_schema {
                return reader.refuse_type(node, "`schema`", "the name of a schema or true");
            }
            Some(Claim { place, matcher: matcher? })
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let (places, matcher) =
            (Place::key_schema(definitions), Vec::<MatcherRule>::schema(definitions));
        let schema = json!({
            "description": "The name of a schema, or `true` for the one that the operation documents.",
            "anyOf": [String::schema(definitions), { "const": true }],
        });
        definitions.refer("Expectation", |_| {
            let mut map = entries_schema(&places, &matcher);
            map["description"] = json!("Places, and the matcher of each.");
            map["properties"] = json!({ "schema": schema });
            map
        })
    }
}

/// A number that is expected as a status has three digits.
fn check_statuses(reader: &mut ScenarioReader, node: &YamlNode) -> Option<()> {
    match &node.value {
        YamlValue::Number(number) => match number.as_u64() {
            Some(100..=999) => Some(()),
            _ => {
                let message = format!("no response has the status {number}");
                reader.refuse_with(node.span, message, Some("a status has three digits".to_owned()))
            }
        },
        YamlValue::List(items) => {
            all(items.iter().map(|item| check_statuses(reader, item))).map(drop)
        }
        YamlValue::Map(rules) => {
            let compared = rules
                .iter()
                .filter(|(key, _)| matches!(key.name.as_str(), "equals" | "one_of" | "not"));
            all(compared.map(|(_, rule)| check_statuses(reader, rule))).map(drop)
        }
        YamlValue::Null | YamlValue::Bool(_) | YamlValue::Text(_) => Some(()),
    }
}

/// `{question id: place}`, `{question id: {member: place}}`.
impl YamlForm<Self> for Vec<Observation> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a question id", |reader, key, node| {
            let place = AnswerPlace::read(reader, node, "an observation");
            let question = id(reader, key, "question", true);
            let at = reader.at(key.span);
            Some(Observation { question: question?, place: place?, at })
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let ids = json!({ "pattern": "^[a-z0-9._-]+$" });
        let place = AnswerPlace::schema(definitions);
        definitions.refer("observe", |_| entries_schema(&ids, &place))
    }
}

impl YamlForm<Self> for AnswerPlace {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        if !matches!(node.value, YamlValue::Map(_)) {
            return Place::read(reader, node, what).map(Self::Whole);
        }
        let members = reader.entries(node, what, "a member of the answer", |reader, key, node| {
            let name = reader.parse(&key.name, key.span);
            name.zip(Place::read(reader, node, what))
        });
        members.map(Self::Members)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let place = Place::schema(definitions);
        json!({ "oneOf": [place, entries_schema(&Value::Bool(true), &place)] })
    }
}

/// Captures: `{name: place}`.
impl YamlForm<Self> for Vec<(String, Place)> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a name", |reader, key, node| {
            let place = Place::read(reader, node, "a capture");
            reader.new_name(&key.name, key.span).zip(place)
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let place = Place::schema(definitions);
        definitions.refer("capture", |_| entries_schema(&name_schema(), &place))
    }
}

/// Reads an id. `validate` checks whether it exists.
fn id(reader: &mut ScenarioReader, key: &YamlKey, kind: &str, is_sound: bool) -> Option<String> {
    let is_of_id = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
    if is_sound && !key.name.is_empty() && key.name.bytes().all(is_of_id) {
        return Some(key.name.clone());
    }
    reader.refuse(key.span, format!("`{}` is not a {kind} id", key.name))
}
