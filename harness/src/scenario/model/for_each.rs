//! The key `for_each`: a name and its rows.

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use serde_json::{Value, json};

use crate::scenario::language::form::{
    ListValue, SchemaDefinitions, YamlForm, entries_schema, name_schema,
};
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::Json;

/// The largest number of rows in the file.
const ROWS_MAX: usize = 500;

/// `{name: list or <value>}`.
#[derive(Debug, Clone)]
pub struct ForEach {
    /// The name of the row.
    pub name: String,
    /// A list, or a text that is a single name.
    pub rows: Json,
}

impl YamlForm<Self> for ForEach {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let row = |reader: &mut ScenarioReader, key: &YamlKey, rows: &YamlNode| {
            let name = reader.new_name(&key.name, key.span);
            let rows = match &rows.value {
                YamlValue::List(items) if items.len() > ROWS_MAX => {
                    reader.refuse(rows.span, format!("{what} has more than {ROWS_MAX} rows"))
                }
                _ => ListValue::read(reader, rows, what),
            };
            Some(Self { name: name?, rows: rows? })
        };
        let mut rows = reader.entries(node, what, "a name and its rows", row)?;
        match rows.len() {
            1 => rows.pop(),
            _ => reader.refuse(node.span, format!("{what} needs exactly one name")),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let mut schema = entries_schema(&name_schema(), &ListValue::schema(definitions));
        schema["maxProperties"] = json!(1);
        schema
    }
}
