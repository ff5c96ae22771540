//! A map with known keys: unknown ones are refused where they stand, with the nearest known.

use super::super::node::{Key, Node, Span, Tree};
use super::reader::Reader;
use moot_fixtures::nearest;

/// The entries of a map whose keys are all known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    entries: &'n [(Key, Node)],
    pub(super) span: Span,
}

impl Reader {
    /// The fields of a map. Unknown keys are recorded and passed over: the rest is read too.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        known: &[&str],
    ) -> Option<Fields<'n>> {
        let Tree::Map(entries) = &node.value else {
            self.refuse_type(node, what, "a map");
            return None;
        };
        for (key, _) in entries {
            if !known.contains(&key.name.as_str()) {
                self.refuse_unknown(key, what, known);
            }
        }
        Some(Fields { entries, span: node.span })
    }

    pub(super) fn refuse_unknown(&mut self, key: &Key, what: &str, known: &[&str]) {
        let help = nearest::hint(&key.name, known.iter().copied())
            .or_else(|| Some(format!("there are {}", known.join(", "))));
        self.refuse_with(key.span, format!("unknown key `{}` in {what}", key.name), help);
    }

    /// A field that has to be there.
    pub(super) fn needed<'n>(
        &mut self,
        fields: Fields<'n>,
        what: &str,
        name: &str,
    ) -> Option<&'n Node> {
        let found = fields.get(name);
        if found.is_none() {
            let span = fields.first_key().map_or(fields.span, |key| key.span);
            self.refuse(span, format!("{what} needs the key `{name}`"));
        }
        found
    }
}

impl<'n> Fields<'n> {
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    pub(super) fn key(&self, name: &str) -> Option<&'n Key> {
        self.entries.iter().map(|(key, _)| key).find(|key| key.name == name)
    }

    pub(super) fn first_key(&self) -> Option<&'n Key> {
        self.entries.first().map(|(key, _)| key)
    }

    /// Those of `names` that are there, in the order of `names`.
    pub(super) fn present<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| self.get(name).is_some()).collect()
    }
}
