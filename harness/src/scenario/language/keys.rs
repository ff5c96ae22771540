//! Macros that declare a type of the model together with its keys in YAML.

use moot_fixtures::yaml::YamlNode;
use serde_json::{Map, Value, json};

use super::form::{SchemaDefinitions, YamlForm};
use super::reader::{MapFields, ScenarioReader};

/// A type that is written as all or some of the keys of a map.
pub(in crate::scenario) trait Keys: Sized {
    /// Whether a map without a key is allowed.
    const MAY_BE_EMPTY: bool = true;

    /// Adds the names of its keys.
    fn names(names: &mut Vec<&'static str>);

    /// Adds its keys to the schema of the map.
    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema);

    /// Reads its keys. `None` if a mistake was recorded.
    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self>;
}

/// A builder for the JSON Schema of a map with known keys.
#[derive(Default)]
pub(in crate::scenario) struct MapSchema {
    pub(in crate::scenario) properties: Map<String, Value>,
    pub(in crate::scenario) required: Vec<&'static str>,
    /// Further schemas that the map satisfies.
    pub(in crate::scenario) rules: Vec<Value>,
}

impl MapSchema {
    /// Adds an optional key. `doc` is the doc comment of its field.
    pub(in crate::scenario) fn add(&mut self, key: &'static str, doc: &str, schema: Value) {
        let schema = match schema {
            Value::Object(mut schema) => {
                schema.insert("description".to_owned(), Value::from(doc.trim()));
                Value::Object(schema)
            }
            _ => json!({ "description": doc.trim() }),
        };
        self.properties.insert(key.to_owned(), schema);
    }

    /// Adds the key of a field of the type `T` with the form `F`.
    pub(in crate::scenario) fn add_field<T, F: YamlForm<T>>(
        &mut self,
        definitions: &mut SchemaDefinitions,
        key: &'static str,
        doc: &str,
    ) {
        self.add(key, doc, F::schema(definitions));
        if F::absent().is_none() {
            self.required.push(key);
        }
    }

    /// The whole schema.
    pub(in crate::scenario) fn finish(self) -> Value {
        let mut schema = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": self.properties,
        });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if !self.rules.is_empty() {
            schema["allOf"] = json!(self.rules);
        }
        schema
    }
}

/// Reads a map that consists of these keys.
pub(in crate::scenario) fn read_map<T: Keys>(
    reader: &mut ScenarioReader,
    node: &YamlNode,
    what: &str,
) -> Option<T> {
    let mut names = Vec::new();
    T::names(&mut names);
    let fields = reader.fields(node, what, &names)?;
    if !T::MAY_BE_EMPTY && fields.entries.is_empty() {
        let names = names.join(", ");
        return reader.refuse(node.span, format!("{what} is empty, it needs one of {names}"));
    }
    T::read_keys(reader, fields)
}

/// The schema of a map that consists of these keys.
pub(in crate::scenario) fn map_schema<T: Keys>(definitions: &mut SchemaDefinitions) -> Value {
    let mut map = MapSchema::default();
    T::describe(definitions, &mut map);
    let mut schema = map.finish();
    if !T::MAY_BE_EMPTY {
        schema["minProperties"] = json!(1);
    }
    schema
}

/// An enum with one key for each variant.
pub(in crate::scenario) trait OneKey: Sized {
    /// The keys.
    const NAMES: &'static [&'static str];

    /// Adds the keys to the schema of the map.
    fn describe_each(definitions: &mut SchemaDefinitions, map: &mut MapSchema);

    /// Reads the variant of a key in [`Self::NAMES`].
    fn read_variant(reader: &mut ScenarioReader, key: &str, node: &YamlNode) -> Option<Self>;

    /// Reads the key that is given, if any. Two keys are a mistake.
    fn read_given(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Option<Self>> {
        let mut given = Self::NAMES.iter().filter_map(|name| fields.key(name));
        match (given.next(), given.next()) {
            (None, _) => Some(None),
            (Some(key), None) => {
                Self::read_variant(reader, &key.name, fields.get(&key.name)?).map(Some)
            }
            (Some(first), Some(second)) => {
                let what = fields.what;
                let message = format!("{what} has `{}` or `{}`, not both", first.name, second.name);
                reader.refuse(second.span.max(first.span), message)
            }
        }
    }
}

/// Exactly one of the keys is given.
impl<T: OneKey> Keys for T {
    fn names(names: &mut Vec<&'static str>) {
        names.extend(T::NAMES);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        T::describe_each(definitions, map);
        let each: Vec<Value> = T::NAMES.iter().map(|name| json!({ "required": [name] })).collect();
        map.rules.push(json!({ "oneOf": each }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        T::read_given(reader, fields)?.or_else(|| {
            let names = T::NAMES.join(", ");
            reader.refuse(fields.start(), format!("{} needs one of {names}", fields.what))
        })
    }
}

/// At most one of the keys is given.
impl<T: OneKey> Keys for Option<T> {
    fn names(names: &mut Vec<&'static str>) {
        names.extend(T::NAMES);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        T::describe_each(definitions, map);
        let mut each: Vec<Value> =
            T::NAMES.iter().map(|name| json!({ "required": [name] })).collect();
        each.push(json!({ "not": { "anyOf": each.clone() } }));
        map.rules.push(json!({ "oneOf": each }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        T::read_given(reader, fields)
    }
}

/// The name of a key: that of the field, or the literal before it.
macro_rules! key_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

/// The form of a field: its type, or the type after `as`.
macro_rules! form_of {
    ($type:ty) => {
        $type
    };
    ($type:ty, $form:ty) => {
        $form
    };
}

/// Declares a struct whose fields are keys: `"key" => field: Type as Form`. Leave out the literal if the
/// key has the name of the field, and the form if the type is its own form. Each field in the part
/// `with` is a group of further keys. A literal after the name of the struct makes it its own form;
/// messages call the map by this literal. `MAY_BE_EMPTY = false` may follow it. The doc comments become the
/// descriptions of the JSON Schema.
macro_rules! keyed {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis struct $name:ident $(($what:literal $(, MAY_BE_EMPTY = $may_be_empty:literal)?))? {
            $(
                $(#[doc = $field_doc:literal])*
                $($key:literal =>)? $field:ident: $type:ty $(as $form:ty)?,
            )*
        }
        $(with {
            $($(#[doc = $group_doc:literal])* $group:ident: $group_type:ty,)*
        })?
    ) => {
        $(#[doc = $doc])*
        $(#[derive($($derive),*)])?
        $vis struct $name {
            $($($(#[doc = $group_doc])* pub $group: $group_type,)*)?
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        const _: () = {
            use $crate::scenario::language::form::SchemaDefinitions;
            use $crate::scenario::language::keys::{Keys, MapSchema, form_of, key_name};
            use $crate::scenario::language::reader::{MapFields, ScenarioReader};

            impl Keys for $name {
                $($(const MAY_BE_EMPTY: bool = $may_be_empty;)?)?

                fn names(names: &mut Vec<&'static str>) {
                    $($(<$group_type as Keys>::names(names);)*)?
                    names.extend([$(key_name!($field $($key)?),)*]);
                }

                fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
                    $($(<$group_type as Keys>::describe(definitions, map);)*)?
                    $(
                        map.add_field::<$type, form_of!($type $(, $form)?)>(
                            definitions, key_name!($field $($key)?), concat!($($field_doc),*),
                        );
                    )*
                }

                fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
                    $($(let $group = <$group_type as Keys>::read_keys(reader, fields);)*)?
                    $(
                        let $field = reader.field::<$type, form_of!($type $(, $form)?)>(
                            fields, key_name!($field $($key)?),
                        );
                    )*
                    Some(Self { $($($group: $group?,)*)? $($field: $field?,)* })
                }
            }

            $(
                impl $crate::scenario::language::form::YamlForm<Self> for $name {
                    fn read(
                        reader: &mut ScenarioReader,
                        node: &moot_fixtures::yaml::YamlNode,
                        _: &str,
                    ) -> Option<Self> {
                        $crate::scenario::language::keys::read_map(reader, node, $what)
                    }

                    fn schema(definitions: &mut SchemaDefinitions) -> serde_json::Value {
                        let schema = $crate::scenario::language::keys::map_schema::<Self>;
                        definitions.refer(stringify!($name), schema)
                    }
                }
            )?
        };
    };
}

/// Declares an enum with one key for each variant: `"key" => Variant(Type as Form)`.
macro_rules! one_key {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis enum $name:ident {
            $($(#[doc = $field_doc:literal])* $key:literal => $variant:ident($type:ty $(as $form:ty)?),)*
        }
    ) => {
        $(#[doc = $doc])*
        $(#[derive($($derive),*)])?
        $vis enum $name {
            $($(#[doc = $field_doc])* $variant($type),)*
        }

        const _: () = {
            use $crate::scenario::language::form::{SchemaDefinitions, YamlForm};
            use $crate::scenario::language::keys::{MapSchema, OneKey, form_of};
            use $crate::scenario::language::reader::ScenarioReader;

            impl OneKey for $name {
                const NAMES: &'static [&'static str] = &[$($key),*];

                fn describe_each(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
                    $(
                        let schema =
                            <form_of!($type $(, $form)?) as YamlForm<$type>>::schema(definitions);
                        map.add($key, concat!($($field_doc),*), schema);
                    )*
                }

                fn read_variant(
                    reader: &mut ScenarioReader,
                    key: &str,
                    node: &moot_fixtures::yaml::YamlNode,
                ) -> Option<Self> {
                    let what = format!("`{key}`");
                    match key {
                        $(
                            $key => <form_of!($type $(, $form)?) as YamlForm<$type>>::read(
                                reader, node, &what,
                            )
                            .map(Self::$variant),
                        )*
                        _ => None,
                    }
                }
            }
        };
    };
}

pub(in crate::scenario) use {form_of, key_name, keyed, one_key};
