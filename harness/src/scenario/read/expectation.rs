//! Reads what is expected: requirement id to place to matcher, and what is observed and captured.

use super::super::model::{Check, Claim, Expectation, Observation, Place, Sight};
use super::super::node::{Key, Node, Span, Tree};
use super::reader::Reader;

/// Checks, observations or captures of one step.
const ENTRIES_MAX: usize = 100;

impl Reader {
    /// `{requirement id: expectation}`.
    pub(super) fn checks(&mut self, node: &Node) -> Option<Vec<Check>> {
        let entries = self.entries(node, "`expect`", "a requirement id")?;
        let checks: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let expectation = self.expectation(node, &format!("`{}`", key.name));
                let requirement = self.id(key, "requirement");
                Some(Check {
                    requirement: requirement?,
                    expectation: expectation?,
                    at: self.at(key.span),
                })
            })
            .collect();
        checks.into_iter().collect()
    }

    /// `{place: matcher}`, all of which must hold.
    pub(super) fn expectation(&mut self, node: &Node, what: &str) -> Option<Expectation> {
        let entries = self.entries(node, what, "a place")?;
        let claims: Vec<_> = entries.iter().map(|(key, node)| self.claim(key, node)).collect();
        Some(Expectation { claims: claims.into_iter().collect::<Option<_>>()? })
    }

    fn claim(&mut self, key: &Key, node: &Node) -> Option<Claim> {
        let place = self.place(&key.name, key.span);
        let matcher = self.matcher(node);
        let place = place?;
        if matches!(place, Place::Schema) {
            self.check_schema_matcher(node)?;
        }
        Some(Claim { place, matcher: matcher?, at: self.at(key.span) })
    }

    /// `schema: NAME`, or `schema: true` for the one that the operation documents.
    fn check_schema_matcher(&mut self, node: &Node) -> Option<()> {
        match &node.value {
            Tree::Text(_) | Tree::Bool(true) => Some(()),
            _ => {
                self.refuse_type(node, "`schema`", "the name of a schema or true");
                None
            }
        }
    }

    /// `{question id: place}`, `{question id: {member: place}}`.
    pub(super) fn observations(&mut self, node: &Node) -> Option<Vec<Observation>> {
        let entries = self.entries(node, "`observe`", "a question id")?;
        let observations: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let sight = self.sight(node);
                let question = self.id(key, "question");
                Some(Observation { question: question?, sight: sight?, at: self.at(key.span) })
            })
            .collect();
        observations.into_iter().collect()
    }

    /// A place, or a place for each member of an answer.
    fn sight(&mut self, node: &Node) -> Option<Sight> {
        let Tree::Map(_) = &node.value else {
            return self.place_of(node, "an observation").map(Sight::Whole);
        };
        let entries = self.entries(node, "an observation", "a member of the answer")?;
        let members: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let name = self.parse(&key.name, key.span);
                let place = self.place_of(node, "an observation");
                name.zip(place)
            })
            .collect();
        members.into_iter().collect::<Option<_>>().map(Sight::Members)
    }

    /// `{name: place}`.
    pub(super) fn captures(&mut self, node: &Node) -> Option<Vec<(String, Place)>> {
        let entries = self.entries(node, "`capture`", "a name")?;
        let captures: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let place = self.place_of(node, "a capture");
                let name = self.new_name(&key.name, key.span);
                name.zip(place)
            })
            .collect();
        captures.into_iter().collect()
    }

    /// A place given as a value.
    pub(super) fn place_of(&mut self, node: &Node, what: &str) -> Option<Place> {
        let text = self.plain(node, what)?;
        self.value_place(text, node.span)
    }

    /// The entries of a map that is not empty.
    pub(super) fn entries<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &str,
    ) -> Option<&'n [(Key, Node)]> {
        match &node.value {
            Tree::Map(entries) if entries.is_empty() => {
                self.refuse(node.span, format!("{what} is empty, it needs {keys}"));
                None
            }
            Tree::Map(entries) if entries.len() > ENTRIES_MAX => {
                self.refuse(node.span, format!("{what} has more than {ENTRIES_MAX} entries"));
                None
            }
            Tree::Map(entries) => Some(entries),
            _ => {
                self.refuse_type(node, what, "a map");
                None
            }
        }
    }

    /// An id of the register or of the questions, in its form; whether it exists is another pass.
    fn id(&mut self, key: &Key, kind: &str) -> Option<String> {
        let is_id = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
        let separator = if kind == "requirement" { '.' } else { '_' };
        let is_sound = !key.name.is_empty() && key.name.bytes().all(is_id);
        let is_sound = is_sound && (kind != "requirement" || key.name.contains(separator));
        if !is_sound {
            let span: Span = key.span;
            self.refuse(span, format!("`{}` is no {kind} id", key.name));
            return None;
        }
        Some(key.name.clone())
    }
}
