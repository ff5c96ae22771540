//! Texts and values with names in them: `GET /v1/requests/<legal_request>`. `<<` is a literal `<`.
//!
//! A text that is a single name has the value of the name, of any type. Otherwise the value of each
//! name becomes part of the text.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::names::{Names, UnknownName};

/// Names that the run defines. No capture may have such a name.
pub(crate) const ROOTS: [&str; 6] = ["run", "target", "bindings", "contract", "receivers", "page"];

/// `<<`, a `<name>`, or a `<` that is neither.
static SIGNS: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*";
    Regex::new(&format!("<<|<({name})>|<")).expect("the pattern is sound")
});

/// A place in a scenario file. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// The path as the user gave it, or `scenarios/NAME.yaml` for a bundled file.
    pub file: Arc<str>,
    pub line: u32,
    /// In characters.
    pub column: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A text with names in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// In the order of the text. There is at least one.
    pub pieces: Vec<TextPiece>,
    /// Its place in the file.
    pub at: Location,
}

/// A piece of a [`Text`].
#[derive(Debug, Clone, PartialEq)]
pub enum TextPiece {
    /// Literal text.
    Literal(String),
    /// `<a.b.c>`.
    Name(Vec<String>),
}

/// A JSON value with names in its texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// Null, boolean, number.
    Fixed(Value),
    /// A text. A single name stands for a value of any type.
    Text(Text),
    /// A list.
    List(Vec<Json>),
    /// A map in the order written.
    Map(Vec<(Text, Json)>),
}

impl Text {
    /// A text without names.
    pub(crate) fn literal(text: impl Into<String>, at: Location) -> Self {
        Self { pieces: vec![TextPiece::Literal(text.into())], at }
    }

    /// Reads `<name>`, `<name.member>`, `<list.0>` and `<<`.
    ///
    /// # Errors
    /// The offset of a `<` that is not the start of a name, in characters from the start of the text.
    pub fn parse(text: &str, at: Location) -> Result<Self, usize> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut end = 0;
        for sign in SIGNS.captures_iter(text) {
            let (at, written) = (sign.get_match().start(), &sign[0]);
            literal.push_str(&text[end..at]);
            end = at + written.len();
            match sign.get(1) {
                Some(name) => {
                    if !literal.is_empty() {
                        pieces.push(TextPiece::Literal(std::mem::take(&mut literal)));
                    }
                    let name = name.as_str().split('.').map(str::to_owned).collect();
                    pieces.push(TextPiece::Name(name));
                }
                None if written == "<<" => literal.push('<'),
                None => return Err(text[..at].chars().count()),
            }
        }
        literal.push_str(&text[end..]);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(TextPiece::Literal(literal));
        }
        Ok(Self { pieces, at })
    }

    /// The text, if it has no names.
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [TextPiece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The name, if the text is a single name.
    pub fn only_name(&self) -> Option<&[String]> {
        match self.pieces.as_slice() {
            [TextPiece::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// Every name in it, in order.
    pub fn names(&self) -> impl Iterator<Item = &[String]> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Name(name) => Some(name.as_slice()),
            TextPiece::Literal(_) => None,
        })
    }

    /// The text with the values of its names. A single name gives its value, of any type.
    ///
    /// # Errors
    /// A name without a value. Inside a text, also a name that is null.
    pub fn render(&self, names: &Names) -> Result<Value, UnknownName> {
        match self.pieces.as_slice() {
            [TextPiece::Name(path)] => names.get(path).ok_or_else(|| unknown(path)),
            _ => self.render_text(names).map(Value::String),
        }
    }

    /// The text with the values of its names. A value of another type is written as JSON.
    ///
    /// # Errors
    /// A name without a value, or a name that is null: the captured place was empty.
    pub fn render_text(&self, names: &Names) -> Result<String, UnknownName> {
        self.render_escaped(names, str::to_owned)
    }

    /// As [`Text::render_text`], with `escape` applied to the value of each name.
    pub(crate) fn render_escaped(
        &self,
        names: &Names,
        escape: fn(&str) -> String,
    ) -> Result<String, UnknownName> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                TextPiece::Literal(literal) => text.push_str(literal),
                TextPiece::Name(path) => match names.get(path) {
                    None | Some(Value::Null) => return Err(unknown(path)),
                    Some(Value::String(value)) => text.push_str(&escape(&value)),
                    Some(other) => text.push_str(&escape(&other.to_string())),
                },
            }
        }
        Ok(text)
    }
}

impl Json {
    /// Whether the value is the same on every target: it has no names but those of the contract.
    pub fn is_written(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Text(text) => text.pieces.iter().all(|piece| match piece {
                TextPiece::Literal(_) => true,
                TextPiece::Name(path) => path.first().is_some_and(|root| root == "contract"),
            }),
            Self::List(items) => items.iter().all(Self::is_written),
            Self::Map(members) => members.iter().all(|(_, value)| value.is_written()),
        }
    }

    /// The value with the values of its names.
    ///
    /// # Errors
    /// A name without a value.
    pub fn render(&self, names: &Names) -> Result<Value, UnknownName> {
        Ok(match self {
            Self::Fixed(value) => value.clone(),
            Self::Text(text) => text.render(names)?,
            Self::List(items) => {
                items.iter().map(|item| item.render(names)).collect::<Result<_, _>>()?
            }
            Self::Map(entries) => {
                let rendered = |(key, value): &(Text, Self)| {
                    Ok((key.render_text(names)?, value.render(names)?))
                };
                Value::Object(entries.iter().map(rendered).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Every text in it, including keys, in order.
    pub fn texts(&self) -> Vec<&Text> {
        match self {
            Self::Fixed(_) => Vec::new(),
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Map(entries) => entries
                .iter()
                .flat_map(|(key, value)| std::iter::once(key).chain(value.texts()))
                .collect(),
        }
    }
}

fn unknown(path: &[String]) -> UnknownName {
    UnknownName { name: path.join(".") }
}

/// Whether a value can have this name: letters, digits and `_`, the first a letter.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::{Location, Names, Text};

    fn parse(text: &str) -> Result<Text, usize> {
        Text::parse(text, Location { file: Arc::from("x.yaml"), line: 1, column: 1 })
    }

    #[track_caller]
    fn check(text: &str, expected: Option<Value>) {
        let mut names = Names::default();
        names.set("a", json!({ "b": 7, "t": "x", "nothing": null }));
        let text = parse(text).expect("the row is a sound text");
        assert_eq!(text.render(&names).ok(), expected);
    }

    #[test]
    fn a_name_alone_keeps_its_type() {
        check("<a.b>", Some(json!(7)));
        check("<a.nothing>", Some(Value::Null));
        check("<a>", Some(json!({ "b": 7, "t": "x", "nothing": null })));
    }

    #[test]
    fn a_name_in_a_text_is_text() {
        check("-<a.b>-<a.t>-", Some(json!("-7-x-")));
        check("<a.b><a.b>", Some(json!("77")));
        check("", Some(json!("")));
        check("/<a.nothing>", None);
        check("/<a.missing>", None);
    }

    #[test]
    fn two_signs_are_a_literal_one() {
        check("<<a.b>", Some(json!("<a.b>")));
        check("1 << 2", Some(json!("1 < 2")));
        check("<<<a.b>>", Some(json!("<7>")));
    }

    #[test]
    fn a_sign_that_begins_no_name_is_refused() {
        for (text, offset) in [("<", 0), ("ö <>", 2), ("x<a b>", 1), ("<a.>", 0), ("<0>", 0)] {
            assert_eq!(parse(text), Err(offset), "{text}");
        }
    }
}
