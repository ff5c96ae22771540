//! The body of a request: `form`, `json`, `multipart` or `raw`.

use base64::Engine;
use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use crate::scenario::language::form::{
    Integer, List, OrDefault, Pairs, SchemaDefinitions, YamlForm,
};
use crate::scenario::language::keys::{keyed, one_key};
use crate::scenario::language::measures::Size;
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::{Json, Text};

/// The largest number of parts, omitted fields or lines of one body.
const PARTS_MAX: usize = 1_000;

/// The largest length that a raw body may claim.
const DECLARED_LENGTH_MAX: u64 = 1 << 40;

one_key! {
    /// The body of a request.
    #[derive(Debug, Clone)]
    pub enum RequestBody {
        /// `application/x-www-form-urlencoded`; a list repeats the field.
        "form" => Form(Vec<(Text, Json)> as Pairs),
        /// `application/json`.
        "json" => Json(Json),
        /// `multipart/form-data`.
        "multipart" => Multipart(Multipart),
        /// Exact bytes.
        "raw" => Raw(RawBody),
    }
}

keyed! {
    /// `multipart`. In a control, the given keys replace those of the step, and maps are merged.
    #[derive(Debug, Clone, Default)]
    pub struct Multipart("`multipart`", MAY_BE_EMPTY = false) {
        /// A workflow schema. The body gets a valid value for each of its required fields.
        from_schema: Option<Json>,
        /// Fields and their texts. A list repeats the field.
        set: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Fields, and a text that is appended to the value of each.
        append: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Fields, and the content type of the part of each.
        content_types: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Members to leave out of the field `variables`. If absent, a control uses those of the step.
        omit_variables: Option<Vec<Text>> as Option<List<Text, 0, PARTS_MAX>>,
        /// Fields to leave out. If absent, a control uses those of the step.
        omit: Option<Vec<Text>> as Option<List<Text, 0, PARTS_MAX>>,
        /// Further parts, in order. If absent, a control uses those of the step.
        parts: Option<Vec<PartSpec>> as Option<List<PartSpec, 0, PARTS_MAX>>,
    }
}

keyed! {
    /// One part of a multipart body.
    #[derive(Debug, Clone)]
    pub struct PartSpec("a part") {
        /// The name of the part.
        name: Text,
        /// The file name. Default: the name of the sample document, if there is one.
        "filename" => file_name: Option<Text>,
        /// The content type.
        content_type: Option<Text>,
    }
    with {
        /// The content.
        content: PartContent,
    }
}

one_key! {
    /// The content of a part.
    #[derive(Debug, Clone)]
    pub enum PartContent {
        /// A text.
        "text" => Text(Text),
        /// The name of a sample document in `fixtures/documents`.
        "file" => File(String),
        /// A number of zero bytes, which are generated while the request is sent.
        "zeros" => Zeros(u64 as Size),
    }
}

keyed! {
    /// Exact bytes.
    #[derive(Debug, Clone)]
    pub struct RawBody("`raw`") {
        /// `Content-Type`. Without this key, none is sent.
        content_type: Option<Text>,
        /// A wrong `Content-Length`. The connection is closed after the bytes.
        declared_length: Option<u64> as Option<Integer<0, DECLARED_LENGTH_MAX>>,
    }
    with {
        /// The bytes.
        content: RawContent,
    }
}

one_key! {
    /// The content of a raw body.
    #[derive(Debug, Clone)]
    pub enum RawContent {
        /// A text.
        "text" => Text(Text),
        /// Lines that each end with CR LF.
        "crlf_lines" => CrlfLines(Vec<Text> as List<Text, 1, PARTS_MAX>),
        /// Bytes in Base64.
        "base64" => Base64(Vec<u8> as Base64Text),
    }
}

/// Bytes in Base64.
struct Base64Text;

impl YamlForm<Vec<u8>> for Base64Text {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Vec<u8>> {
        let text = reader.plain(node, what)?;
        match base64::engine::general_purpose::STANDARD.decode(text) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let message = format!("{what} cannot be decoded: {error}");
                reader.refuse(node.span, message.to_lowercase())
            }
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "string", "pattern": "^[A-Za-z0-9+/]+={0,2}$" })
    }
}
