//! `control`: the sound call that runs before a request that must fail.

use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use super::expectation::Expectation;
use super::request::RequestShape;
use crate::scenario::language::form::{SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{form_of, key_name, keyed, map_schema, read_map};
use crate::scenario::language::reader::ScenarioReader;

keyed! {
    /// `control`.
    #[derive(Debug, Clone)]
    pub struct ControlRequest {
        /// What must hold of its answer; default: status 2xx.
        require: Option<Expectation>,
    }
    with {
        /// What it replaces.
        shape: RequestShape,
    }
}

impl YamlForm<Self> for ControlRequest {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        if node.is_empty_map() {
            let message = format!("{what} is empty: the call would be the same");
            return reader.refuse(node.span, message);
        }
        read_map(reader, node, what)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let mut schema = map_schema::<Self>(definitions);
        schema["minProperties"] = json!(1);
        schema
    }
}
