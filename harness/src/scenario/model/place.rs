//! Places in a response: `status`, `problem`, `schema`, `body`, `digest`, `endpoint`, `header:NAME`,
//! `/pointer`, `$.path`.

use moot_fixtures::nearest;
use moot_fixtures::yaml::{YamlNode, YamlSpan};
use serde_json::{Value, json};
use serde_json_path::JsonPath;

use crate::scenario::language::form::{SchemaDefinitions, YamlForm};
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::{Text, TextPiece};

/// Places that are written as one word, each with its value.
const WORDS: [(&str, Place, &str); 6] = [
    ("status", Place::Status, "The HTTP status."),
    (
        "problem",
        Place::Problem,
        "The `type` of a problem, if the response has the media type of problems.",
    ),
    ("schema", Place::Schema, "Whether the body satisfies a schema. It has no value."),
    ("body", Place::Body, "The whole body: JSON, or a text."),
    (
        "digest",
        Place::Digest,
        "The SHA-256 digest of the bytes of the body, in lower-case hexadecimal digits.",
    ),
    (
        "endpoint",
        Place::Endpoint,
        "The method and path template of the operation on this target. Absent if the call failed.",
    ),
];

/// The place of a value in a response.
#[derive(Debug, Clone)]
pub enum Place {
    /// The HTTP status.
    Status,
    /// The `type` of a problem. The response must have the media type of a problem.
    Problem,
    /// Whether the body satisfies a schema.
    Schema,
    /// The whole body.
    Body,
    /// The SHA-256 digest of the bytes of the body, in lower-case hexadecimal digits.
    Digest,
    /// The method and path template of the operation on this target. Absent if the call failed.
    Endpoint,
    /// A header. The name is in lower case.
    Header(String),
    /// A JSON Pointer (RFC 6901), with names in it.
    Pointer(Text),
    /// A JSONPath (RFC 9535), with names in it. Its value is the list of the values found.
    Path(Text),
}

impl Place {
    /// Reads a place that is a key of an expectation.
    pub(super) fn parse(reader: &mut ScenarioReader, text: &str, span: YamlSpan) -> Option<Self> {
        if let Some(name) = text.strip_prefix("header:") {
            return header(reader, name, span);
        }
        if text.starts_with('/') {
            return pointer(reader, text, span);
        }
        if text.starts_with('$') {
            return json_path(reader, text, span);
        }
        if let Some((_, place, _)) = WORDS.into_iter().find(|(word, ..)| *word == text) {
            return Some(place);
        }
        let words = WORDS.map(|(word, ..)| word);
        let help = nearest::hint(text, words).unwrap_or_else(|| {
            format!("there are {}, header:NAME, /json/pointer, $.path", words.join(", "))
        });
        reader.refuse_with(span, format!("`{text}` is not a place"), Some(help))
    }

    /// The JSON Schema of a place that is a key of an expectation.
    pub(super) fn key_schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("place", |_| {
            let mut places: Vec<Value> = WORDS
                .map(|(word, _, value)| json!({ "const": word, "description": value }))
                .into();
            let patterns = [
                ("header:NAME", "^header:[-!#$%&'*+.^_`|~0-9A-Za-z]+$", "A header. Absent if there is none."),
                ("/pointer", "^/", "A JSON Pointer (RFC 6901) into the body."),
                (
                    "$.path",
                    r"^\$",
                    "A JSONPath (RFC 9535) into the body. Its value is the list of the values found.",
                ),
            ];
            places.extend(patterns.map(|(title, pattern, value)| {
                json!({ "type": "string", "pattern": pattern, "title": title, "description": value })
            }));
            json!({ "description": "A place in a response.", "oneOf": places })
        })
    }
}

/// A place that has a value. `schema` has none: it can only be judged.
impl YamlForm<Self> for Place {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let text = reader.plain(node, what)?;
        match Self::parse(reader, text, node.span)? {
            Self::Schema => {
                reader.refuse(node.span, "`schema` has no value, it can only be judged")
            }
            place => Some(place),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let place = Self::key_schema(definitions);
        json!({ "allOf": [place, { "not": { "const": "schema" } }] })
    }
}

fn header(reader: &mut ScenarioReader, name: &str, span: YamlSpan) -> Option<Place> {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(is_token) {
        return reader.refuse(span, format!("`{name}` is not the name of a header"));
    }
    Some(Place::Header(name.to_ascii_lowercase()))
}

fn pointer(reader: &mut ScenarioReader, text: &str, span: YamlSpan) -> Option<Place> {
    let parsed = reader.parse(text, span)?;
    let mut escapes = text.split('~').skip(1);
    if escapes.any(|after| !after.starts_with(['0', '1'])) {
        let help = "a `~` is written `~0`, a `/` inside a name `~1`".to_owned();
        return reader.refuse_with(span, format!("`{text}` is not a JSON Pointer"), Some(help));
    }
    Some(Place::Pointer(parsed))
}

fn json_path(reader: &mut ScenarioReader, text: &str, span: YamlSpan) -> Option<Place> {
    let parsed = reader.parse(text, span)?;
    // `0` stands for the value of a name. It is valid as an index and inside a literal.
    let piece = |piece: &TextPiece| match piece {
        TextPiece::Literal(literal) => literal.clone(),
        TextPiece::Name(_) => "0".to_owned(),
    };
    let sample: String = parsed.pieces.iter().map(piece).collect();
    match JsonPath::parse(&sample) {
        Ok(_) => Some(Place::Path(parsed)),
        Err(error) => {
            reader.refuse(span, format!("`{text}` is not a JSONPath: {}", error.message()))
        }
    }
}
