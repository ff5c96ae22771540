//! Keys of the step `request` that have keys of their own: `control`, `premise`, `poll`, `each_page`, `snapshot`.

use std::time::Duration;

use moot_fixtures::yaml::{YamlNode, YamlValue};
use serde_json::{Value, json};

use super::expectation::{Check, Claim};
use super::request::{RequestLine, RequestShape};
use crate::scenario::language::form::{Integer, List, OrDefault, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::keyed;
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::language::text_forms::JsonPointer;

keyed! {
    /// `control`: the valid call that runs before a request that must fail.
    #[derive(Debug, Clone)]
    pub struct ControlRequest("`control`", MAY_BE_EMPTY = false) {
        /// The expectation of its response. Default: status 2xx.
        require: Option<Vec<Claim>>,
    }
    with {
        /// The keys that differ from the request of the step.
        shape: RequestShape,
    }
}

keyed! {
    /// `premise`: what the checks of a step rely on. A service may change it by itself.
    #[derive(Debug, Clone)]
    pub struct Premise("`premise`") {
        /// The request that reads it.
        request: RequestLine,
        /// The expectation of its response.
        holds: Vec<Claim>,
    }
}

keyed! {
    /// `poll`: repeats a request.
    #[derive(Debug, Clone)]
    pub struct Poll("`poll`") {
        /// The expectation that ends the polling.
        until: Vec<Claim>,
        /// Time between two calls.
        every: Duration,
        /// The longest time in total.
        at_most: Duration,
    }
}

keyed! {
    /// `each_page`: requests the pages of a list.
    #[derive(Debug, Clone)]
    pub struct EachPage("`each_page`") {
        /// The largest number of pages.
        at_most: u64 as Integer<1, 1_000>,
        /// Checks on each page.
        expect: Vec<Check> as OrDefault<Vec<Check>>,
    }
}

keyed! {
    /// `snapshot`: keeps the response.
    #[derive(Debug, Clone, Default)]
    pub struct SnapshotRule("`snapshot`") {
        /// JSON Pointers of members whose values are replaced.
        redact: Vec<String> as List<JsonPointer, 1, 50>,
    }
}

/// `true`, `false` or `{ redact: [place] }`. `false` means no snapshot.
pub(super) struct SnapshotSetting;

impl YamlForm<Option<SnapshotRule>> for SnapshotSetting {
    fn read(
        reader: &mut ScenarioReader,
        node: &YamlNode,
        what: &str,
    ) -> Option<Option<SnapshotRule>> {
        match &node.value {
            YamlValue::Bool(true) => Some(Some(SnapshotRule::default())),
            YamlValue::Bool(false) => Some(None),
            YamlValue::Map(_) => SnapshotRule::read(reader, node, what).map(Some),
            _ => reader.refuse_type(node, what, "true, false or `{ redact: [place] }`"),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        json!({ "anyOf": [{ "type": "boolean" }, SnapshotRule::schema(definitions)] })
    }

    fn absent() -> Option<Option<SnapshotRule>> {
        Some(None)
    }
}
