//! `snapshot`: whether a response is kept, and what of it is redacted.

use moot_fixtures::yaml::{YamlNode, YamlValue};
use serde_json::{Value, json};

use super::place::Place;
use crate::scenario::language::form::{List, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{form_of, key_name, keyed};
use crate::scenario::language::reader::ScenarioReader;

keyed! {
    /// `snapshot`.
    #[derive(Debug, Clone, Default)]
    pub struct SnapshotRule("`snapshot`") {
        /// Places whose values are replaced.
        redact: Vec<Place> as List<Place, 1, 50>,
    }
}

/// `true`, `false` or `{ redact: [place] }`; `false` is not a snapshot.
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
