//! The step `receive`: waits for deliveries.

use std::time::Duration;

use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use super::expectation::{Check, Claim, Observation};
use super::place::Place;
use crate::scenario::language::form::{Integer, OrDefault, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{Keys, keyed, map_schema};
use crate::scenario::language::reader::ScenarioReader;

keyed! {
    /// `receive`.
    #[derive(Debug, Clone)]
    pub struct ReceiveStep {
        /// The deliveries to wait for. Checks see one document: the list `deliveries`, each with its `method`, `query`,
        /// `headers`, `body` and `json`.
        "receive" => wait: ReceiveWait,
        /// The precondition.
        require: Option<Vec<Claim>>,
        /// Checks on the document of the deliveries.
        expect: Vec<Check> as OrDefault<Vec<Check>>,
        /// Observations on that document.
        observe: Vec<Observation> as OrDefault<Vec<Observation>>,
        /// New names, and the place of each value in that document.
        capture: Vec<(String, Place)> as OrDefault<Vec<(String, Place)>>,
    }
}

keyed! {
    /// The deliveries that a step waits for: `at_least` and `within`, or `none_for`.
    #[derive(Debug, Clone)]
    pub struct ReceiveWait {
        /// The name of the receiver.
        receiver: String,
        /// The number of deliveries to wait for.
        at_least: u32 as OrDefault<Integer<1, 1_000>>,
        /// The longest wait for them.
        within: Duration as OrDefault<Duration>,
        /// A time in which no delivery may come.
        none_for: Option<Duration>,
    }
}

impl YamlForm<Self> for ReceiveWait {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, _: &str) -> Option<Self> {
        let mut names = Vec::new();
        Self::names(&mut names);
        let fields = reader.fields(node, "`receive`", &names)?;
        let wait = Self::read_keys(reader, fields)?;
        let has = |key| fields.get(key).is_some();
        match (has("at_least"), has("within"), has("none_for")) {
            (true, true, false) | (false, false, true) => Some(wait),
            _ => reader
                .refuse(fields.start(), "`receive` has `at_least` and `within`, or `none_for`"),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("ReceiveWait", |definitions| {
            let mut schema = map_schema::<Self>(definitions);
            schema["oneOf"] = json!([
                { "required": ["at_least", "within"], "not": { "required": ["none_for"] } },
                {
                    "required": ["none_for"],
                    "not": { "anyOf": [{ "required": ["at_least"] }, { "required": ["within"] }] },
                },
            ]);
            schema
        })
    }
}
