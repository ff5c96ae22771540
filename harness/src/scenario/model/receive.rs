//! The step `receive`: waits for deliveries.

use std::time::Duration;

use serde_json::json;

use super::expectation::{Check, Claim, Observation};
use super::place::Place;
use crate::scenario::language::form::{Integer, OrDefault, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};

keyed! {
    /// `receive`.
    #[derive(Debug, Clone)]
    pub struct ReceiveStep {
        /// The deliveries to wait for.
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
    /// The deliveries that a step waits for.
    #[derive(Debug, Clone)]
    pub struct ReceiveWait("`receive`") {
        /// The name of the receiver.
        receiver: String,
    }
    with {
        /// The end of the wait.
        until: ReceiveUntil,
    }
}

/// The end of the wait.
#[derive(Debug, Clone)]
pub enum ReceiveUntil {
    /// At least this number of deliveries within this time.
    AtLeast(u32, Duration),
    /// The whole time, in which no delivery may come.
    NoneFor(Duration),
}

/// The keys `at_least` and `within`, or `none_for`.
impl Keys for ReceiveUntil {
    fn names(names: &mut Vec<&'static str>) {
        names.extend(["at_least", "within", "none_for"]);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        let count = <Integer<1, 1_000> as YamlForm<u32>>::schema(definitions);
        map.add("at_least", false, "The number of deliveries to wait for.", count);
        map.add("within", false, "The longest wait for them.", Duration::schema(definitions));
        let none_for = "A time in which no delivery may come.";
        map.add("none_for", false, none_for, Duration::schema(definitions));
        map.rules.push(json!({ "oneOf": [
            { "required": ["at_least", "within"], "not": { "required": ["none_for"] } },
            {
                "required": ["none_for"],
                "not": { "anyOf": [{ "required": ["at_least"] }, { "required": ["within"] }] },
            },
        ] }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let is_given = |name: &str| fields.get(name).is_some();
        match (is_given("at_least"), is_given("within"), is_given("none_for")) {
            (true, true, false) => {
                let count = reader.field::<u32, Integer<1, 1_000>>(fields, "at_least");
                let within = reader.field::<Duration, Duration>(fields, "within");
                Some(Self::AtLeast(count?, within?))
            }
            (false, false, true) => {
                reader.field::<Duration, Duration>(fields, "none_for").map(Self::NoneFor)
            }
            _ => reader
                .refuse(fields.start(), "`receive` has `at_least` and `within`, or `none_for`"),
        }
    }
}
