//! YAML as a tree of values, each with its place: the only module of the language that knows the parser.
//!
//! Never knows what a file means. Bounded in bytes, nodes and depth, so that no file can exhaust
//! us.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;

/// Bytes of one file.
const FILE_BYTES_MAX: usize = 1 << 20;

/// Values in one file.
const NODES_MAX: usize = 100_000;

/// Lists and maps inside each other.
const DEPTH_MAX: usize = 40;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Tree,
    pub(super) span: Span,
}

/// A YAML value; a map keeps the order of its keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) span: Span,
}

/// Where something stands: line and column from 1, and its length in characters, which may reach
/// over several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) length: u32,
}

/// Text that is no YAML, has a key twice, or is too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) message: String,
    pub(super) span: Span,
}

impl Node {
    /// Reads the one document of a file.
    pub(super) fn read(text: &str) -> Result<Self, YamlError> {
        if text.len() > FILE_BYTES_MAX {
            let message = format!("the file has more than {FILE_BYTES_MAX} bytes");
            return Err(YamlError { message, span: Span::START });
        }
        let options = serde_saphyr::options! {
            // `no` and `on` stay words.
            strict_booleans: true,
            budget: serde_saphyr::budget! { max_nodes: NODES_MAX, max_depth: DEPTH_MAX },
        };
        let tree = serde_saphyr::from_str_with_options::<Spanned<Tree>>(text, options);
        let node = tree.map(Self::from).map_err(|error| yaml_error(&error))?;
        let lines: Vec<&str> = text.lines().collect();
        node.numbers_as_written(&lines)?;
        Ok(node)
    }

    /// Refuses numbers that YAML reads as others than they look: `007`, `1e3`, `0x1F`.
    fn numbers_as_written(&self, lines: &[&str]) -> Result<(), YamlError> {
        match &self.value {
            Tree::Number(number) => {
                let line = lines.get(self.span.line as usize - 1).unwrap_or(&"");
                let written: String = line
                    .chars()
                    .skip(self.span.column as usize - 1)
                    .take(self.span.length as usize)
                    .collect();
                // An alias stands for a number that is written elsewhere.
                if is_plain_number(&written) || written.starts_with('*') {
                    return Ok(());
                }
                let message = format!("`{written}` would be read as the number {number}");
                Err(YamlError { message, span: self.span })
            }
            Tree::List(items) => items.iter().try_for_each(|item| item.numbers_as_written(lines)),
            Tree::Map(entries) => {
                entries.iter().try_for_each(|(_, node)| node.numbers_as_written(lines))
            }
            Tree::Null | Tree::Bool(_) | Tree::Text(_) => Ok(()),
        }
    }

    /// What the value is, for people: `a list`.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Tree::Null => "nothing",
            Tree::Bool(true) => "true",
            Tree::Bool(false) => "false",
            Tree::Number(_) => "a number",
            Tree::Text(_) => "a text",
            Tree::List(_) => "a list",
            Tree::Map(_) => "a map",
        }
    }

    /// The same value as JSON.
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(value) => Value::Number(value.clone()),
            Tree::Text(value) => Value::String(value.clone()),
            Tree::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Tree::Map(entries) => {
                let member = |(key, node): &(Key, Self)| (key.name.clone(), node.to_json());
                Value::Object(entries.iter().map(member).collect::<Map<_, _>>())
            }
        }
    }
}

impl Span {
    /// The start of a file.
    pub(super) const START: Self = Self { line: 1, column: 1, length: 1 };
}

impl From<Spanned<Tree>> for Node {
    fn from(spanned: Spanned<Tree>) -> Self {
        Self { span: span_of(spanned.referenced), value: spanned.value }
    }
}

fn span_of(location: serde_saphyr::Location) -> Span {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).max(1);
    Span {
        line: number(location.line()),
        column: number(location.column()),
        length: number(location.span().len()),
    }
}

/// Digits without a leading zero, with a sign before and a fraction after them or not.
fn is_plain_number(written: &str) -> bool {
    let digits = written.strip_prefix('-').unwrap_or(written);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole) && all_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// The parser's message without place and excerpt, which are told apart from it.
fn yaml_error(error: &serde_saphyr::Error) -> YamlError {
    let formatter = serde_saphyr::UserMessageFormatter;
    let text = error.without_snippet().render_with_formatter(&formatter);
    let line = text.lines().next().unwrap_or_default();
    let message = line.split(" at line ").next().unwrap_or(line).trim_start_matches("error: ");
    let span = error.location().map_or(Span::START, span_of);
    YamlError { message: message.to_owned(), span: Span { length: span.length.max(1), ..span } }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, node)) = map.next_entry::<Spanned<String>, Spanned<Tree>>()? {
            let span = span_of(key.referenced);
            entries.push((Key { name: key.value, span }, Node::from(node)));
        }
        Ok(Tree::Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<Tree>>()? {
            items.push(Node::from(item));
        }
        Ok(Tree::List(items))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Tree, E> {
        Number::from_f64(value).map(Tree::Number).ok_or_else(|| E::custom("a number that is none"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Tree};

    /// The place and message of what is refused.
    #[track_caller]
    fn check(text: &str, line: u32, column: u32, message: &str) {
        let error = Node::read(text).expect_err("the row is broken");
        assert_eq!((error.span.line, error.span.column), (line, column), "{}", error.message);
        assert!(error.message.contains(message), "{}", error.message);
    }

    #[test]
    fn values_and_keys_have_their_places() {
        let node = Node::read("a: 1\nbb:\n  - ö: [x, 'y']\n").expect("it is sound");
        let Tree::Map(entries) = &node.value else { panic!("a map was written") };
        let (key, list) = &entries[1];
        assert_eq!((key.name.as_str(), key.span.line, key.span.column), ("bb", 2, 1));
        let Tree::List(items) = &list.value else { panic!("a list was written") };
        assert_eq!((items[0].span.line, items[0].span.column), (3, 5));
        assert_eq!(node.to_json(), serde_json::json!({ "a": 1, "bb": [{ "ö": ["x", "y"] }] }));
    }

    #[test]
    fn words_are_not_booleans() {
        let node = Node::read("[yes, no, on, off, true]").expect("it is sound");
        assert_eq!(node.to_json(), serde_json::json!(["yes", "no", "on", "off", true]));
    }

    #[test]
    fn what_is_no_yaml_is_refused_where_it_breaks() {
        check("a: 1\na: 2\n", 2, 1, "duplicate mapping key: a");
        check("a: [1\n", 1, 4, "unclosed bracket");
        check("- a\n---\n- b\n", 3, 1, "multiple");
        check("a: .nan\n", 1, 4, "not a finite number");
    }

    #[test]
    fn numbers_that_are_not_read_as_written_are_refused() {
        check("code: 007\n", 1, 7, "`007` would be read as the number 7");
        check("a: [1, 1e3]\n", 1, 8, "`1e3` would be read as the number 1000");
        check("a: 0x1F\n", 1, 4, "`0x1F` would be read as the number 31");
        for sound in ["a: 0\n", "a: -1.5\n", "a: '007'\n", "a: 0.5\n", "a: 10\n"] {
            assert!(Node::read(sound).is_ok(), "{sound}");
        }
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert!(Node::read(&format!("{}{}", "[".repeat(30), "]".repeat(30))).is_ok());
        check(&format!("{}{}", "[".repeat(60), "]".repeat(60)), 1, 41, "too large or too complex");
        check(&"#".repeat((1 << 20) + 1), 1, 1, "more than 1048576 bytes");
    }
}
