//! What every reading function shares: the file, and the mistakes found so far.

use std::sync::Arc;

use super::super::Diagnostic;
use super::super::model::{Json, Location, Text};
use super::super::node::{Node, Span, Tree, YamlError};
use super::super::text::{TextError, is_name};

/// Mistakes of one file that are told.
const PROBLEMS_MAX: usize = 100;

/// Roots of names that the run supplies; no capture may hide one.
pub(in crate::scenario) const ROOTS: [&str; 6] =
    ["run", "target", "bindings", "contract", "receivers", "page"];

/// Reads one file. A function that returns `None` has said why.
pub(super) struct Reader {
    path: Arc<str>,
    source: Arc<str>,
    problems: Vec<Diagnostic>,
}

impl Reader {
    pub(super) fn new(path: &str, source: &Arc<str>) -> Self {
        Self { path: Arc::from(path), source: Arc::clone(source), problems: Vec::new() }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The mistakes, in the order of the file.
    pub(super) fn into_problems(mut self) -> Vec<Diagnostic> {
        self.problems.sort_by(|a, b| a.at.cmp(&b.at));
        self.problems
    }

    pub(super) fn at(&self, span: Span) -> Location {
        Location { file: Arc::clone(&self.path), line: span.line, column: span.column }
    }

    /// Records a mistake.
    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.refuse_with(span, message, None);
    }

    /// Records a mistake with what to do about it.
    pub(super) fn refuse_with(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if self.problems.len() >= PROBLEMS_MAX {
            return;
        }
        self.problems.push(Diagnostic {
            message: message.into(),
            at: self.at(span),
            length: span.length.max(1),
            label: String::new(),
            help,
            source: Arc::clone(&self.source),
        });
    }

    /// Records that a value has another type than `needed`.
    pub(super) fn refuse_type(&mut self, node: &Node, what: &str, needed: &str) {
        self.refuse(node.span, format!("{what} needs {needed}, not {}", node.kind()));
    }

    /// Records text that is no YAML.
    pub(super) fn refuse_yaml(&mut self, error: &YamlError) {
        let help = if error.message.contains("anchor or alias") {
            Some("inside `{ }` a JSONPath needs quotes: `\"$.data[*].id\"`")
        } else if error.message.contains("would be read as") {
            Some("quote it where a text is meant")
        } else {
            None
        };
        self.refuse_with(error.span, error.message.clone(), help.map(str::to_owned));
    }

    /// A text with names in it.
    pub(super) fn text(&mut self, node: &Node, what: &str) -> Option<Text> {
        match &node.value {
            Tree::Text(text) => self.parse(text, node.span),
            _ => {
                self.refuse_type(node, what, "a text");
                None
            }
        }
    }

    /// Reads the names in a text.
    pub(super) fn parse(&mut self, text: &str, span: Span) -> Option<Text> {
        match Text::parse(text, self.at(span)) {
            Ok(text) => Some(text),
            Err(error) => {
                let offset = match error {
                    TextError::NoName { offset } => u32::try_from(offset).unwrap_or(0),
                    TextError::TooMany => 0,
                };
                self.refuse_with(
                    self.inside(span, text, offset),
                    error.to_string(),
                    Some("write `<name>` for a value known earlier, `<<` for a literal `<`".into()),
                );
                None
            }
        }
    }

    /// The place of a character of a text, where the text stands in the file as it is; else that of
    /// the text.
    fn inside(&self, span: Span, text: &str, offset: u32) -> Span {
        let line = self.source.lines().nth(span.line as usize - 1).unwrap_or_default();
        let rest: String = line.chars().skip(span.column as usize - 1).collect();
        let quote = u32::from(rest.starts_with(['"', '\'']));
        let bare = rest.trim_start_matches(['"', '\'']);
        if bare.starts_with(text) {
            Span { column: span.column + quote + offset, length: 1, ..span }
        } else {
            span
        }
    }

    /// A text in which no name may be.
    pub(super) fn plain<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match &node.value {
            Tree::Text(text) if !text.trim().is_empty() => Some(text),
            Tree::Text(_) => {
                self.refuse(node.span, format!("{what} is empty"));
                None
            }
            _ => {
                self.refuse_type(node, what, "a text");
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        node: &Node,
        what: &str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.plain(node, what)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.refuse_with(
            node.span,
            format!("{what} can't be `{text}`"),
            Some(format!("there are {}", names.join(", "))),
        );
        None
    }

    pub(super) fn boolean(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.value {
            Tree::Bool(value) => Some(value),
            _ => {
                self.refuse_type(node, what, "true or false");
                None
            }
        }
    }

    /// An integer within bounds.
    pub(super) fn integer(
        &mut self,
        node: &Node,
        what: &str,
        bounds: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = match &node.value {
            Tree::Number(number) => number.as_u64(),
            _ => {
                self.refuse_type(node, what, "an integer");
                return None;
            }
        };
        match value {
            Some(value) if bounds.contains(&value) => Some(value),
            _ => {
                let (low, high) = (bounds.start(), bounds.end());
                self.refuse(node.span, format!("{what} is an integer from {low} to {high}"));
                None
            }
        }
    }

    /// The members of a list that is not empty and not too long.
    pub(super) fn list<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        members_max: usize,
    ) -> Option<&'n [Node]> {
        match &node.value {
            Tree::List(items) if items.is_empty() => {
                self.refuse(node.span, format!("{what} is empty"));
                None
            }
            Tree::List(items) if items.len() > members_max => {
                self.refuse(node.span, format!("{what} has more than {members_max} members"));
                None
            }
            Tree::List(items) => Some(items),
            _ => {
                self.refuse_type(node, what, "a list");
                None
            }
        }
    }

    /// Plain texts.
    pub(super) fn words(
        &mut self,
        node: &Node,
        what: &str,
        members_max: usize,
    ) -> Option<Vec<String>> {
        let items = self.list(node, what, members_max)?;
        items.iter().map(|item| self.plain(item, what).map(str::to_owned)).collect()
    }

    /// Any value, with names in its texts.
    pub(super) fn json(&mut self, node: &Node) -> Option<Json> {
        Some(match &node.value {
            Tree::Null | Tree::Bool(_) | Tree::Number(_) => Json::Fixed(node.to_json()),
            Tree::Text(text) => Json::Text(self.parse(text, node.span)?),
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.json(item)).collect();
                Json::List(items.into_iter().collect::<Option<_>>()?)
            }
            Tree::Map(_) => Json::Map(self.pairs(node, "a map")?),
        })
    }

    /// A map of values with names in its keys too.
    pub(super) fn pairs(&mut self, node: &Node, what: &str) -> Option<Vec<(Text, Json)>> {
        let Tree::Map(entries) = &node.value else {
            self.refuse_type(node, what, "a map");
            return None;
        };
        let mut pairs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let name = self.parse(&key.name, key.span);
            let value = self.json(value);
            pairs.push(name.zip(value));
        }
        pairs.into_iter().collect()
    }

    /// Whether a name can be given to a value; says so where it can't.
    pub(super) fn new_name(&mut self, name: &str, span: Span) -> Option<String> {
        if !is_name(name) {
            self.refuse_with(
                span,
                format!("`{name}` can't be a name"),
                Some("a name has letters, digits and `_`, and begins with a letter".to_owned()),
            );
            return None;
        }
        if ROOTS.contains(&name) {
            self.refuse(span, format!("`{name}` would hide the values that a run supplies"));
            return None;
        }
        Some(name.to_owned())
    }
}
