//! Texts and values with names in them, and places in a file.

use std::sync::Arc;

use serde_json::Value;

/// A place in a scenario file; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path as given, or `scenarios/NAME.yaml` for a bundled file.
    pub file: Arc<str>,
    /// Line.
    pub line: u32,
    /// Column, in characters.
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
    /// In order; a text that is one name keeps that name's type.
    pub pieces: Vec<Piece>,
    /// Where it stands.
    pub at: Location,
}

/// A piece of a [`Text`].
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// As it is.
    Literal(String),
    /// `<a.b.c>`.
    Name(Vec<String>),
}

/// A JSON value with names in its texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// Null, boolean, number.
    Fixed(Value),
    /// A text, or a name that stands for any value.
    Text(Text),
    /// A list.
    List(Vec<Json>),
    /// A map in the order written.
    Map(Vec<(Text, Json)>),
}

impl Json {
    /// Whether it is the same on every target: texts, and names of the contract.
    pub fn is_written(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Text(text) => text.pieces.iter().all(|piece| match piece {
                Piece::Literal(_) => true,
                Piece::Name(path) => path.first().is_some_and(|root| root == "contract"),
            }),
            Self::List(items) => items.iter().all(Self::is_written),
            Self::Map(members) => members.iter().all(|(_, value)| value.is_written()),
        }
    }
}
