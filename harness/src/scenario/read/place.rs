//! Reads places: `status`, `problem`, `schema`, `body`, `endpoint`, `header:NAME`, `/pointer`, `$.path`.

use serde_json_path::JsonPath;

use super::super::model::{Piece, Place, Text};
use super::super::node::Span;
use super::reader::Reader;
use moot_fixtures::nearest;

const WORDS: [&str; 5] = ["status", "problem", "schema", "body", "endpoint"];

impl Reader {
    /// A place as it is written.
    pub(super) fn place(&mut self, text: &str, span: Span) -> Option<Place> {
        if let Some(name) = text.strip_prefix("header:") {
            return self.header(name, span);
        }
        if text.starts_with('/') {
            return self.pointer(text, span);
        }
        if text.starts_with('$') {
            return self.json_path(text, span);
        }
        Some(match text {
            "status" => Place::Status,
            "problem" => Place::Problem,
            "schema" => Place::Schema,
            "body" => Place::Body,
            "endpoint" => Place::Endpoint,
            other => {
                let help = nearest::hint(other, WORDS).unwrap_or_else(|| {
                    "there are status, problem, schema, body, endpoint, header:NAME, /json/pointer, \
                     $.path"
                        .to_owned()
                });
                self.refuse_with(span, format!("`{other}` is no place"), Some(help));
                return None;
            }
        })
    }

    /// A place at which there is a value: `schema` says only whether the body satisfies one.
    pub(super) fn value_place(&mut self, text: &str, span: Span) -> Option<Place> {
        match self.place(text, span)? {
            Place::Schema => {
                self.refuse(span, "`schema` is judged, it has no value to take");
                None
            }
            place => Some(place),
        }
    }

    fn header(&mut self, name: &str, span: Span) -> Option<Place> {
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(is_token) {
            self.refuse(span, format!("`{name}` is no name of a header"));
            return None;
        }
        Some(Place::Header(name.to_ascii_lowercase()))
    }

    fn pointer(&mut self, text: &str, span: Span) -> Option<Place> {
        let parsed = self.parse(text, span)?;
        let escapes = text.split('~').skip(1);
        if escapes.into_iter().any(|after| !after.starts_with(['0', '1'])) {
            let help = Some("a `~` is written `~0`, a `/` inside a name `~1`".to_owned());
            self.refuse_with(span, format!("`{text}` is no JSON Pointer"), help);
            return None;
        }
        Some(Place::Pointer(parsed))
    }

    fn json_path(&mut self, text: &str, span: Span) -> Option<Place> {
        let parsed = self.parse(text, span)?;
        if let Err(error) = JsonPath::parse(&sample(&parsed)) {
            let message = format!("`{text}` is no JSONPath: {}", error.message());
            self.refuse(span, message);
            return None;
        }
        Some(Place::Path(parsed))
    }
}

/// The text with `0` for each name, which is sound as an index and inside a literal.
fn sample(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(literal) => literal.clone(),
        Piece::Name(_) => "0".to_owned(),
    };
    text.pieces.iter().map(piece).collect()
}
