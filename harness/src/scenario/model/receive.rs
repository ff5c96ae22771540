//! The step `receive`: waits for deliveries.

use std::time::Duration;

use serde_json::json;

use super::expectation::{Check, Claim, Observation};
use super::place::Place;
use crate::scenario::language::form::{Integer, OrDefault, SchemaDefinitions};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};

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

keyed! {
    /// The keys of [`ReceiveUntil`]: `at_least` and `within`, or `none_for`.
    struct ReceiveUntilKeys {
        /// The number of deliveries to wait for.
        at_least: Option<u32> as Option<Integer<1, 1_000>>,
        /// The longest wait for them.
        within: Option<Duration>,
        /// A time in which no delivery may come.
        none_for: Option<Duration>,
    }
}

impl Keys for ReceiveUntil {
    fn names(names: &mut Vec<&'static str>) {
        ReceiveUntilKeys::names(names);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        ReceiveUntilKeys::describe(definitions, map);
        map.rules.push(json!({ "oneOf": [
            { "required": ["at_least", "within"], "not": { "required": ["none_for"] } },
            {
                "required": ["none_for"],
                "not": { "anyOf": [{ "required": ["at_least"] }, { "required": ["within"] }] },
            },
        ] }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let ReceiveUntilKeys { at_least, within, none_for } =
            ReceiveUntilKeys::read_keys(reader, fields)?;
        match (at_least, within, none_for) {
            (Some(count), Some(within), None) => Some(Self::AtLeast(count, within)),
            (None, None, Some(time)) => Some(Self::NoneFor(time)),
            _ => reader
                .refuse(fields.start(), "`receive` has `at_least` and `within`, or `none_for`"),
        }
    }
}
