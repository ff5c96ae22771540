//! The lines of the keys of a target file, for mistakes that are found only when the target is used.

use std::collections::BTreeMap;

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};

/// The lines of keys in a target file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPlaces {
    file: String,
    /// By `KEY`, or by `BLOCK.KEY` if the value is a block.
    lines: BTreeMap<String, u32>,
}

impl KeyPlaces {
    /// The lines in this text of a file. It is valid YAML.
    pub fn new(file: &str, text: &str) -> Self {
        let mut lines = BTreeMap::new();
        let root = YamlNode::read_any(text).ok();
        for (key, node) in root.iter().flat_map(entries) {
            for (inner, _) in entries(node) {
                lines.insert(format!("{}.{}", key.name, inner.name), inner.span.line);
            }
            if entries(node).is_empty() {
                lines.insert(key.name.clone(), key.span.line);
            }
        }
        Self { file: file.to_owned(), lines }
    }

    /// Whether the file has this key.
    pub fn has(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// The prefix `staging.yaml:7: ` for a key or its parent. Empty without a file.
    pub fn of(&self, key: &str) -> String {
        let parent = key.rsplit_once('.').map_or(key, |(parent, _)| parent);
        match self.lines.get(key).or_else(|| self.lines.get(parent)) {
            Some(line) => format!("{}:{line}: ", self.file),
            None if self.file.is_empty() => String::new(),
            None => format!("{}: ", self.file),
        }
    }
}

fn entries(node: &YamlNode) -> &[(YamlKey, YamlNode)] {
    match &node.value {
        YamlValue::Map(entries) => entries,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::KeyPlaces;

    #[test]
    fn a_key_is_found_in_either_style_of_yaml() {
        let text = "\
base_url: https://a.example
applications:
  # This one has both scopes.
  main: { client_id: main, client_secret: x }
  other_company:
    client_id: b

bindings: { requester_email: a@b.example, third_party_workflow_id: x }
limits:
  requests_per_minute: 1
";
        let places = KeyPlaces::new("t.yaml", text);
        for (key, expected) in [
            ("base_url", "t.yaml:1: "),
            ("applications.main.scopes", "t.yaml:4: "),
            ("applications.other_company", "t.yaml:5: "),
            ("bindings.requester_email", "t.yaml:8: "),
            ("bindings.generated_workflow_id", "t.yaml: "),
        ] {
            assert_eq!(places.of(key), expected, "{key}");
        }
        assert!(places.has("bindings.third_party_workflow_id"));
        assert!(!places.has("applications.reader"));
        assert_eq!(KeyPlaces::default().of("bindings.requester_email"), "");
    }
}
