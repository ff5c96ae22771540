//! A requirement that a scenario file states itself: a rule of a team or a company that is not in the
//! register.

use std::sync::Arc;

use moot_fixtures::contract::{Level, Requirement};
use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use crate::scenario::language::form::{SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::keyed;
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::language::text_forms::OwnId;
use crate::scenario::text::Location;

keyed! {
    /// A requirement of your own: a rule that is not in the register.
    pub(in crate::scenario) struct OwnRow("a row of `requirements`") {
        /// A prefix that the register does not use, a dot, and a slug: `acme.names-are-short`.
        id: String as OwnId,
        /// `stated`: a mismatch is a failure. `inherited`, `example`: a mismatch is a warning.
        level: Level as OwnLevel,
        /// The rule, as a sentence.
        sentence: String,
        /// The document that states the rule, with the clause.
        source: String,
        /// The remedy if the check fails.
        remedy: Option<String>,
    }
    with {
        /// The place of the id.
        at: Location,
    }
}

/// A requirement that a scenario file states itself.
#[derive(Debug, Clone)]
pub struct OwnRequirement {
    /// The requirement. Its section is the section of the file.
    pub row: Arc<Requirement>,
    /// The place of the id.
    pub at: Location,
}

impl OwnRow {
    /// The requirement, with the section of its file.
    pub(in crate::scenario) fn in_section(self, section: &str) -> OwnRequirement {
        let row = Requirement {
            id: self.id,
            section: section.to_owned(),
            level: self.level,
            topic: None,
            sentence: self.sentence,
            needs: Vec::new(),
            source: Some(self.source),
            must: false,
            question: None,
            unverifiable: None,
            remedy: self.remedy,
        };
        OwnRequirement { row: Arc::new(row), at: self.at }
    }
}

/// A level. A requirement of the level `open` has nothing to expect, so it is not allowed.
struct OwnLevel;

/// The levels that are allowed.
const LEVELS: [(&str, Level); 3] =
    [("stated", Level::Stated), ("inherited", Level::Inherited), ("example", Level::Example)];

impl YamlForm<Level> for OwnLevel {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Level> {
        let word = reader.plain(node, what)?;
        match LEVELS.iter().find(|(name, _)| *name == word) {
            Some((_, level)) => Some(*level),
            None => reader.refuse_word(node, what, word, "stated, inherited, example"),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "enum": LEVELS.map(|(name, _)| name) })
    }
}
