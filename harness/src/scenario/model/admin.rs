//! The step `admin`: a call of the control plane.

use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use super::expectation::Check;
use super::place::Place;
use crate::scenario::language::form::{SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::keyed;
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::{Json, Text};

/// Methods of the control plane.
const ADMIN_METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

keyed! {
    /// `admin`.
    #[derive(Debug, Clone)]
    pub struct AdminStep {
        /// `METHOD /path` below `/__admin`.
        "admin" => call: AdminCall,
        /// The body.
        json: Option<Json>,
        /// Checks on the response.
        expect: Vec<Check>,
        /// New names, and the place of each value.
        capture: Vec<(String, Place)>,
    }
}

/// A call of the control plane.
#[derive(Debug, Clone)]
pub struct AdminCall {
    /// Upper case.
    pub method: String,
    /// Below `/__admin`.
    pub path: Text,
}

impl YamlForm<Self> for AdminCall {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let text = reader.plain(node, what)?;
        let is_sound =
            |(method, path): &(&str, &str)| ADMIN_METHODS.contains(method) && path.starts_with('/');
        let Some((method, path)) = text.split_once(' ').filter(is_sound) else {
            let help = "write `METHOD /path` below `/__admin`: `POST /clock`".to_owned();
            let message = format!("`{text}` is not a call of the control plane");
            return reader.refuse_with(node.span, message, Some(help));
        };
        Some(Self { method: method.to_owned(), path: reader.parse(path, node.span)? })
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        let methods = ADMIN_METHODS.join("|");
        json!({ "type": "string", "pattern": format!("^({methods}) /") })
    }
}
