//! Where the keys of a target file are, for messages about a key whose value turns out wrong later.

use std::collections::BTreeMap;

/// Keys whose values a target may not confirm.
const KEYS: [(&str, &str); 9] = [
    ("applications", "main"),
    ("applications", "reader"),
    ("applications", "writer"),
    ("applications", "other_company"),
    ("bindings", "requester_email"),
    ("bindings", "generated_workflow_id"),
    ("bindings", "third_party_workflow_id"),
    ("bindings", "single_signer_workflow_id"),
    ("bindings", "multiple_signers_workflow_id"),
];

/// The lines of keys in a target file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPlaces {
    file: String,
    lines: BTreeMap<String, usize>,
}

impl KeyPlaces {
    /// The places in this text of a file, which is sound YAML.
    pub fn new(file: &str, text: &str) -> Self {
        let found = KEYS.into_iter().filter_map(|(block, key)| {
            Some((format!("{block}.{key}"), line_of(text, block, key)?))
        });
        let address = text.lines().position(|line| has_key(line, "base_url"));
        let address = address.map(|at| ("base_url".to_owned(), at + 1));
        Self { file: file.to_owned(), lines: found.chain(address).collect() }
    }

    /// Whether the file has this key.
    pub fn has(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// `staging.yaml:7: ` for a key, or for the one around it; empty without a file.
    pub fn of(&self, key: &str) -> String {
        let around = key.rsplit_once('.').map_or(key, |(around, _)| around);
        match self.lines.get(key).or_else(|| self.lines.get(around)) {
            Some(line) => format!("{}:{line}: ", self.file),
            None if self.file.is_empty() => String::new(),
            None => format!("{}: ", self.file),
        }
    }
}

/// The line of a key inside a block that begins in the first column.
fn line_of(text: &str, block: &str, key: &str) -> Option<usize> {
    let is_block = |line: &str| line.strip_prefix(block).is_some_and(|rest| rest.starts_with(':'));
    let mut lines = text.lines().enumerate().skip_while(|(_, line)| !is_block(line));
    let (first, line) = lines.next()?;
    if has_key(line.get(block.len() + 1..).unwrap_or_default(), key) {
        return Some(first + 1);
    }
    let is_inside = |line: &str| line.is_empty() || line.starts_with([' ', '#', '}']);
    let mut inside = lines.take_while(|(_, line)| is_inside(line));
    inside.find(|(_, line)| has_key(line, key)).map(|(index, _)| index + 1)
}

fn has_key(line: &str, key: &str) -> bool {
    let code = line.split(" #").next().unwrap_or(line);
    code.match_indices(key).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        before.is_none_or(|before| " {,\"'".contains(before)) && after.starts_with(':')
    })
}

#[cfg(test)]
mod tests {
    use super::KeyPlaces;

    #[test]
    fn a_key_is_found_in_either_style_of_yaml() {
        let text = "\
base_url: https://a.example
applications:
  # the one with both scopes
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
