//! Reads one scenario file: its text, and the mistakes found so far.

use std::fmt::Display;
use std::sync::Arc;

use moot_fixtures::yaml::{YamlKey, YamlNode, YamlSpan, YamlValue};
use moot_fixtures::{DataError, nearest};

use crate::scenario::text::{Location, ROOTS, Text, is_name};

/// The largest number of mistakes that are reported for one file.
const PROBLEMS_MAX: usize = 100;

/// The largest number of entries of a map with free keys.
pub(super) const ENTRIES_MAX: usize = 100;

/// Reads one file. A function that returns `None` has recorded the mistake.
pub(in crate::scenario) struct ScenarioReader {
    path: Arc<str>,
    source: Arc<str>,
    problems: Vec<DataError>,
}

impl ScenarioReader {
    pub(in crate::scenario) fn new(path: &str, source: &Arc<str>) -> Self {
        Self { path: Arc::from(path), source: Arc::clone(source), problems: Vec::new() }
    }

    /// The mistakes, in the order of the file.
    pub(in crate::scenario) fn into_problems(mut self) -> Vec<DataError> {
        self.problems.sort_by_key(|problem| problem.place);
        self.problems
    }

    pub(in crate::scenario) fn at(&self, span: YamlSpan) -> Location {
        Location { file: Arc::clone(&self.path), line: span.line, column: span.column }
    }

    /// Records a mistake. Returns `None`, so that a reading function can return the result.
    pub(in crate::scenario) fn refuse<T>(
        &mut self,
        span: YamlSpan,
        message: impl Into<String>,
    ) -> Option<T> {
        self.refuse_with(span, message, None)
    }

    /// Records a mistake with its remedy.
    pub(in crate::scenario) fn refuse_with<T>(
        &mut self,
        span: YamlSpan,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Option<T> {
        if self.problems.len() < PROBLEMS_MAX {
            let place = YamlSpan { length: span.length.max(1), ..span };
            let error = DataError::new(&self.path, message).at(Some(place));
            self.problems.push(DataError { hint, text: Some(Arc::clone(&self.source)), ..error });
        }
        None
    }

    /// Records a value that is not of the type `needed`.
    pub(in crate::scenario) fn refuse_type<T>(
        &mut self,
        node: &YamlNode,
        what: &str,
        needed: &str,
    ) -> Option<T> {
        self.refuse(node.span, format!("{what} needs {needed}, not {}", node.kind()))
    }

    /// Records a text that is not one of `words`.
    pub(in crate::scenario) fn refuse_word<T>(
        &mut self,
        node: &YamlNode,
        what: &str,
        word: &str,
        words: impl Display,
    ) -> Option<T> {
        let help = Some(format!("there are {words}"));
        self.refuse_with(node.span, format!("{what} cannot be `{word}`"), help)
    }

    /// Records an unknown key, with the nearest known one.
    pub(in crate::scenario) fn refuse_key<T>(
        &mut self,
        key: &YamlKey,
        what: &str,
        known: &[&str],
    ) -> Option<T> {
        let help = nearest::hint(&key.name, known.iter().copied())
            .or_else(|| Some(format!("there are {}", known.join(", "))));
        self.refuse_with(key.span, format!("unknown key `{}` in {what}", key.name), help)
    }

    /// Records a mistake in the YAML itself.
    pub(in crate::scenario) fn refuse_yaml(&mut self, error: DataError) {
        let span = error.place.unwrap_or(YamlSpan::START);
        self.refuse_with::<()>(span, error.message, error.hint);
    }

    /// The fields of a map. Unknown keys are recorded and skipped.
    pub(in crate::scenario) fn fields<'n>(
        &mut self,
        node: &'n YamlNode,
        what: &'n str,
        known: &[&str],
    ) -> Option<MapFields<'n>> {
        let YamlValue::Map(entries) = &node.value else {
            return self.refuse_type(node, what, "a map");
        };
        for (key, _) in entries {
            if !known.contains(&key.name.as_str()) {
                self.refuse_key::<()>(key, what, known);
            }
        }
        Some(MapFields { entries, span: node.span, what })
    }

    /// Reads the entries of a map with free keys by `read`. An empty map is a mistake.
    pub(in crate::scenario) fn entries<T>(
        &mut self,
        node: &YamlNode,
        what: &str,
        keys: &str,
        mut read: impl FnMut(&mut Self, &YamlKey, &YamlNode) -> Option<T>,
    ) -> Option<Vec<T>> {
        let YamlValue::Map(entries) = &node.value else {
            return self.refuse_type(node, what, "a map");
        };
        if entries.is_empty() {
            return self.refuse(node.span, format!("{what} is empty, it needs {keys}"));
        }
        if entries.len() > ENTRIES_MAX {
            return self.refuse(node.span, format!("{what} has more than {ENTRIES_MAX} entries"));
        }
        all(entries.iter().map(|(key, node)| read(self, key, node)))
    }

    /// Reads the names in a text.
    pub(in crate::scenario) fn parse(&mut self, text: &str, span: YamlSpan) -> Option<Text> {
        let offset = match Text::parse(text, self.at(span)) {
            Ok(text) => return Some(text),
            Err(offset) => u32::try_from(offset).unwrap_or(0),
        };
        let span = self.inside(span, text, offset);
        let help = "write `<name>` for a value known earlier, `<<` for a literal `<`";
        self.refuse_with(span, "`<` is not the start of a name", Some(help.to_owned()))
    }

    /// The place of a character of a text. If the text is escaped or folded in the file, the place of
    /// the text.
    fn inside(&self, span: YamlSpan, text: &str, offset: u32) -> YamlSpan {
        let line = self.source.lines().nth(span.line as usize - 1).unwrap_or_default();
        let rest: String = line.chars().skip(span.column as usize - 1).collect();
        let quote = u32::from(rest.starts_with(['"', '\'']));
        let bare = rest.trim_start_matches(['"', '\'']);
        if bare.starts_with(text) {
            YamlSpan { column: span.column + quote + offset, length: 1, ..span }
        } else {
            span
        }
    }

    /// A text without names that is not empty.
    pub(in crate::scenario) fn plain<'n>(
        &mut self,
        node: &'n YamlNode,
        what: &str,
    ) -> Option<&'n str> {
        match &node.value {
            YamlValue::Text(text) if !text.trim().is_empty() => Some(text),
            YamlValue::Text(_) => self.refuse(node.span, format!("{what} is empty")),
            _ => self.refuse_type(node, what, "a text"),
        }
    }

    /// A new name for a value.
    pub(in crate::scenario) fn new_name(&mut self, name: &str, span: YamlSpan) -> Option<String> {
        if !is_name(name) {
            let help = "a name has letters, digits and `_`, and begins with a letter";
            let message = format!("`{name}` cannot be a name");
            return self.refuse_with(span, message, Some(help.to_owned()));
        }
        if ROOTS.contains(&name) {
            return self.refuse(span, format!("`{name}` is the name of a value of the run"));
        }
        Some(name.to_owned())
    }
}

/// All values; `None` if one was refused. Every value is read, so that every mistake is recorded.
pub(in crate::scenario) fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<_> = values.collect();
    values.into_iter().collect()
}

/// The entries of a map with known keys.
#[derive(Clone, Copy)]
pub(in crate::scenario) struct MapFields<'n> {
    pub(in crate::scenario) entries: &'n [(YamlKey, YamlNode)],
    /// The place of the map.
    pub(in crate::scenario) span: YamlSpan,
    /// The name of the map in messages: `a scenario`.
    pub(in crate::scenario) what: &'n str,
}

impl<'n> MapFields<'n> {
    pub(in crate::scenario) fn get(&self, name: &str) -> Option<&'n YamlNode> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    pub(in crate::scenario) fn key(&self, name: &str) -> Option<&'n YamlKey> {
        self.entries.iter().map(|(key, _)| key).find(|key| key.name == name)
    }

    /// The place of the first key, or of the map if it is empty.
    pub(in crate::scenario) fn start(&self) -> YamlSpan {
        self.entries.first().map_or(self.span, |(key, _)| key.span)
    }
}
