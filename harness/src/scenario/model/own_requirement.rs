//! A requirement that a scenario file states itself: a rule of a team or a company that is not in the
//! register.

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
    #[derive(Debug, Clone)]
    pub struct OwnRequirement("a row of `requirements`") {
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

impl OwnRequirement {
    /// The row, as in the register. Its section is the section of its file.
    pub(in crate::scenario) fn row(&self, section: &str) -> Requirement {
        Requirement {
            id: self.id.clone(),
            section: section.to_owned(),
            level: self.level,
            topic: None,
            sentence: self.sentence.clone(),
            needs: Vec::new(),
            source: Some(self.source.clone()),
            must: false,
            question: None,
            unverifiable: None,
            remedy: self.remedy.clone(),
        }
    }
}

/// A level. A requirement of the level `open` has nothing to expect, so it is not allowed.
struct OwnLevel;

/// The levels that are allowed.
const LEVELS: [Level; 3] = [Level::Stated, Level::Inherited, Level::Example];

impl YamlForm<Level> for OwnLevel {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Level> {
        let word = reader.plain(node, what)?;
        match LEVELS.into_iter().find(|level| level.to_string() == word) {
            Some(level) => Some(level),
            None => reader.refuse_word(node, what, word, "stated, inherited, example"),
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "enum": LEVELS })
    }
}
