//! The entries of a map with known keys.

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlSpan};

/// The entries of a map with known keys.
#[derive(Clone, Copy)]
pub(in crate::scenario) struct MapFields<'n> {
    pub(in crate::scenario) entries: &'n [(YamlKey, YamlNode)],
    /// Where the map stands.
    pub(in crate::scenario) span: YamlSpan,
    /// What messages call the map: `a scenario`.
    pub(in crate::scenario) what: &'n str,
}

impl<'n> MapFields<'n> {
    pub(in crate::scenario) fn get(&self, name: &str) -> Option<&'n YamlNode> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    pub(in crate::scenario) fn key(&self, name: &str) -> Option<&'n YamlKey> {
        self.entries.iter().map(|(key, _)| key).find(|key| key.name == name)
    }

    /// Where the first key stands; where the map stands if it is empty.
    pub(in crate::scenario) fn start(&self) -> YamlSpan {
        self.entries.first().map_or(self.span, |(key, _)| key.span)
    }
}
