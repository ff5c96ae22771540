//! The body of a request: `form`, `json`, `multipart` or `raw`.

use base64::Engine;
use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use crate::scenario::language::form::{
    Integer, List, OrDefault, Pairs, SchemaDefinitions, YamlForm,
};
use crate::scenario::language::keys::{
    Keys, form_of, key_name, keyed, map_schema, one_key, read_map,
};
use crate::scenario::language::measures::Size;
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::{Json, Text};

/// Parts, omitted fields or lines of one body.
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
    /// `multipart`; in a control, what is given replaces, maps merge.
    #[derive(Debug, Clone, Default)]
    pub struct Multipart {
        /// A workflow schema from which valid values are derived.
        from_schema: Option<Json>,
        /// Field and text; a list repeats the field.
        set: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Field and a text that is put behind its value.
        append: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Fields left out; if absent, a control keeps the step's own.
        omit: Option<Vec<Text>> as Option<List<Text, 0, PARTS_MAX>>,
        /// Further parts, in order; if absent, a control keeps the step's own.
        parts: Option<Vec<PartSpec>> as Option<List<PartSpec, 0, PARTS_MAX>>,
    }
}

impl YamlForm<Self> for Multipart {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        if node.is_empty_map() {
            let mut names = Vec::new();
            Self::names(&mut names);
            let names = names.join(", ");
            return reader.refuse(node.span, format!("{what} is empty, it needs one of {names}"));
        }
        read_map(reader, node, what)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let mut schema = map_schema::<Self>(definitions);
        schema["minProperties"] = json!(1);
        schema
    }
}

keyed! {
    /// One part of a multipart body.
    #[derive(Debug, Clone)]
    pub struct PartSpec("a part") {
        /// Its name.
        name: Text,
        /// Its file name; a file of the samples has its own.
        "filename" => file_name: Option<Text>,
        /// Its content type.
        content_type: Option<Text>,
    }
    with {
        /// Its content.
        content: PartContent,
    }
}

one_key! {
    /// The content of a part.
    #[derive(Debug, Clone)]
    pub enum PartContent {
        /// A text.
        "text" => Text(Text),
        /// Name of a sample document of `fixtures/documents`.
        "file" => File(String),
        /// This many zero bytes, made while sending.
        "zeros" => Zeros(u64 as Size),
    }
}

keyed! {
    /// Exact bytes.
    #[derive(Debug, Clone)]
    pub struct RawBody("`raw`") {
        /// `Content-Type`; not sent if absent.
        content_type: Option<Text>,
        /// A wrong `Content-Length`; the connection is closed after the bytes.
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
        /// As written.
        "text" => Text(Text),
        /// Lines, each ended by CR LF.
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
                let message = format!("{what} can't be decoded: {error}");
                reader.refuse(node.span, message.to_lowercase())
            }
        }
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "type": "string", "pattern": "^[A-Za-z0-9+/]+={0,2}$" })
    }
}
