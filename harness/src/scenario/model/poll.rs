//! `poll` and `each_page`: a request that is sent more than once.

use std::time::Duration;

use moot_fixtures::yaml::YamlNode;
use serde_json::Value;

use super::expectation::{Check, Expectation};
use crate::scenario::language::form::{Integer, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{form_of, key_name, keyed, map_schema, read_map};
use crate::scenario::language::reader::ScenarioReader;

keyed! {
    /// `poll`.
    #[derive(Debug, Clone)]
    pub struct Poll {
        /// Until this holds.
        until: Expectation,
        /// Between two calls.
        every: Duration,
        /// In all.
        at_most: Duration,
    }
}

keyed! {
    /// `each_page`.
    #[derive(Debug, Clone)]
    pub struct EachPage("`each_page`") {
        /// Pages.
        at_most: u64 as Integer<1, 1_000>,
        /// Checks on each page.
        expect: Vec<Check>,
    }
}

impl YamlForm<Self> for Poll {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let poll: Self = read_map(reader, node, what)?;
        if poll.every > poll.at_most {
            return reader.refuse(node.span, "`every` is longer than `at_most`");
        }
        Some(poll)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        map_schema::<Self>(definitions)
    }
}
