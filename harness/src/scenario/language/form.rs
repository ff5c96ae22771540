//! Forms of values. A form reads a value from YAML and makes its JSON Schema.

use std::marker::PhantomData;
use std::str::FromStr;

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use serde_json::{Map, Value, json};

use super::reader::{ENTRIES_MAX, MapFields, ScenarioReader, all};
use crate::scenario::text::{Json, ROOTS, Text};

/// A form of a value of the type `T`. Most types are their own form. Marker types are further forms.
pub(in crate::scenario) trait YamlForm<T> {
    /// Reads a value. Messages call it `what`. `None` if a mistake was recorded.
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<T>;

    /// Its JSON Schema.
    fn schema(definitions: &mut SchemaDefinitions) -> Value;

    /// The value of an absent key; `None` if the key is required.
    fn absent() -> Option<T> {
        None
    }
}

impl ScenarioReader {
    /// The value of a key.
    pub(in crate::scenario) fn field<T, F: YamlForm<T>>(
        &mut self,
        fields: MapFields<'_>,
        key: &str,
    ) -> Option<T> {
        match fields.get(key) {
            Some(node) => F::read(self, node, &format!("`{key}`")),
            None => F::absent().or_else(|| {
                self.refuse(fields.start(), format!("{} needs the key `{key}`", fields.what))
            }),
        }
    }
}

/// The `$defs` of the JSON Schema.
#[derive(Default)]
pub(in crate::scenario) struct SchemaDefinitions(pub(in crate::scenario) Map<String, Value>);

impl SchemaDefinitions {
    /// A reference to the definition of this name. A new definition is made by `make`.
    pub(in crate::scenario) fn refer(
        &mut self,
        name: &str,
        make: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        if !self.0.contains_key(name) {
            // Without the placeholder, a definition that contains itself would recurse without end.
            self.0.insert(name.to_owned(), Value::Null);
            let schema = make(self);
            self.0.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }
}

/// The schema of a map with free keys.
pub(in crate::scenario) fn entries_schema(keys: &Value, values: &Value) -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "maxProperties": ENTRIES_MAX,
        "propertyNames": keys,
        "additionalProperties": values,
    })
}

/// The schema of a new name.
pub(in crate::scenario) fn name_schema() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$", "not": { "enum": ROOTS } })
}

/// The schema of a text that is a single name.
fn only_name_schema() -> Value {
    json!({ "type": "string", "pattern": "^<[A-Za-z][A-Za-z0-9_.-]*>$" })
}

impl<T, F: YamlForm<T>> YamlForm<Option<T>> for Option<F> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Option<T>> {
        F::read(reader, node, what).map(Some)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        F::schema(definitions)
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

/// The form `F`, and the default value for an absent key.
pub(in crate::scenario) struct OrDefault<F>(PhantomData<F>);

impl<T: Default, F: YamlForm<T>> YamlForm<T> for OrDefault<F> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<T> {
        F::read(reader, node, what)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        F::schema(definitions)
    }

    fn absent() -> Option<T> {
        Some(T::default())
    }
}

/// A list of `F` with `MIN` to `MAX` members. `MIN` is 0 or 1.
pub(in crate::scenario) struct List<F, const MIN: usize, const MAX: usize>(PhantomData<F>);

impl<T, F: YamlForm<T>, const MIN: usize, const MAX: usize> YamlForm<Vec<T>> for List<F, MIN, MAX> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Vec<T>> {
        let YamlValue::List(items) = &node.value else {
            return reader.refuse_type(node, what, "a list");
        };
        if items.len() < MIN {
            return reader.refuse(node.span, format!("{what} is empty"));
        }
        if items.len() > MAX {
            return reader.refuse(node.span, format!("{what} has more than {MAX} members"));
        }
        all(items.iter().map(|item| F::read(reader, item, what)))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let items = F::schema(definitions);
        json!({ "type": "array", "minItems": MIN, "maxItems": MAX, "items": items })
    }
}

/// A text without names that is not empty.
impl YamlForm<Self> for String {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.plain(node, what).map(str::to_owned)
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "string", "pattern": "\\S" })
    }
}

/// A new name for a value.
pub(in crate::scenario) struct NewName;

impl YamlForm<String> for NewName {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<String> {
        let name = reader.plain(node, what)?;
        reader.new_name(name, node.span)
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        name_schema()
    }
}

/// One of the names of an enum.
pub(in crate::scenario) struct Word;

impl<T: FromStr + strum::VariantNames> YamlForm<T> for Word {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<T> {
        let word = reader.plain(node, what)?;
        match word.parse() {
            Ok(value) => Some(value),
            Err(_) => reader.refuse_word(node, what, word, T::VARIANTS.join(", ")),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "enum": T::VARIANTS })
    }
}

/// A text with names in it.
impl YamlForm<Self> for Text {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        match &node.value {
            YamlValue::Text(text) => reader.parse(text, node.span),
            _ => reader.refuse_type(node, what, "a text"),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("text", |_| {
            let description =
                "A text with names in it: `<name>`, `<name.member>`, `<list.0>`, `<list.length>`.";
            json!({ "description": description, "type": "string" })
        })
    }
}

/// Any value, with names in its texts.
impl YamlForm<Self> for Json {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        Some(match &node.value {
            YamlValue::Null => Self::Fixed(Value::Null),
            YamlValue::Bool(value) => Self::Fixed((*value).into()),
            YamlValue::Number(number) => Self::Fixed(number.clone().into()),
            YamlValue::Text(text) => Self::Text(reader.parse(text, node.span)?),
            YamlValue::List(items) => {
                Self::List(all(items.iter().map(|item| Self::read(reader, item, what)))?)
            }
            YamlValue::Map(_) => Self::Map(Pairs::read(reader, node, what)?),
        })
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        Value::Bool(true)
    }
}

/// A map of any values, with names in its keys too; may be empty.
pub(in crate::scenario) struct Pairs;

impl YamlForm<Vec<(Text, Json)>> for Pairs {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Vec<(Text, Json)>> {
        let YamlValue::Map(entries) = &node.value else {
            return reader.refuse_type(node, what, "a map");
        };
        let pair = |(key, node): &(YamlKey, YamlNode)| {
            let (name, value) = (reader.parse(&key.name, key.span), Json::read(reader, node, what));
            name.zip(value)
        };
        all(entries.iter().map(pair))
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("pairs", |_| {
            json!({ "description": "Name and value; a list repeats the name.", "type": "object" })
        })
    }
}

/// A list that is not empty, or a text that is a single name.
pub(in crate::scenario) struct ListValue;

impl YamlForm<Json> for ListValue {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Json> {
        match Json::read(reader, node, what)? {
            Json::List(items) if items.is_empty() => {
                reader.refuse(node.span, format!("{what} is empty"))
            }
            json @ Json::List(_) => Some(json),
            Json::Text(text) if text.only_name().is_some() => Some(Json::Text(text)),
            _ => reader.refuse_type(node, what, "a list or a `<name>`"),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "anyOf": [{ "type": "array", "minItems": 1 }, only_name_schema()] })
    }
}

/// A number, or a text that is a single name.
pub(in crate::scenario) struct NumberValue;

impl YamlForm<Json> for NumberValue {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Json> {
        match Json::read(reader, node, what)? {
            json @ Json::Fixed(Value::Number(_)) => Some(json),
            Json::Text(text) if text.only_name().is_some() => Some(Json::Text(text)),
            _ => reader.refuse_type(node, what, "a number or a `<name>`"),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "anyOf": [{ "type": "number" }, only_name_schema()] })
    }
}

impl YamlForm<Self> for bool {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        match node.value {
            YamlValue::Bool(value) => Some(value),
            _ => reader.refuse_type(node, what, "true or false"),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "boolean" })
    }
}

/// An integer from `LOW` to `HIGH`.
pub(in crate::scenario) struct Integer<const LOW: u64, const HIGH: u64>;

impl<T: TryFrom<u64>, const LOW: u64, const HIGH: u64> YamlForm<T> for Integer<LOW, HIGH> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<T> {
        let YamlValue::Number(number) = &node.value else {
            return reader.refuse_type(node, what, "an integer");
        };
        let number = number.as_u64().filter(|number| (LOW..=HIGH).contains(number));
        number.and_then(|number| T::try_from(number).ok()).or_else(|| {
            reader.refuse(node.span, format!("{what} is an integer from {LOW} to {HIGH}"))
        })
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}
