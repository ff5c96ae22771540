//! A request: method and path or operation, token, application, query, headers and body.

use moot_fixtures::contract::{Operation, Scopes};
use moot_fixtures::nearest;
use moot_fixtures::yaml::{YamlNode, YamlSpan};
use serde_json::{Value, json};
use strum::Display;

use super::body::RequestBody;
use crate::scenario::language::form::{OrDefault, Pairs, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};
use crate::scenario::text::{Json, Text};

/// The method and path of a request, or its operation.
#[derive(Debug, Clone)]
pub enum RequestLine {
    /// `METHOD /path`.
    Path {
        /// In upper case, or a `<name>`.
        method: Text,
        /// Begins with `/`, or with a `<name>`, whose value may be an absolute URL.
        path: Text,
    },
    /// An operation.
    Operation {
        /// The name of the operation, or a `<name>` with it as value.
        operation: Text,
        /// The operation. `None` if it is written as a `<name>`.
        known: Option<Operation>,
        /// The value of `{id}` in the path.
        id: Option<Text>,
    },
}

keyed! {
    /// The keys of a request. A control replaces some of them.
    #[derive(Debug, Clone, Default)]
    pub struct RequestShape {
        /// `none`, `read`, `write`, `read write`, `expired`, `revoked`, or a `<name>`.
        token: Option<TokenChoice>,
        /// The application: `main`, `reader`, `writer`, `other_company`.
        "as" => application: Option<Text>,
        /// Query fields. A list repeats the field.
        query: Vec<(Text, Json)> as OrDefault<Pairs>,
        /// Headers.
        headers: Vec<(Text, Json)> as OrDefault<Pairs>,
    }
    with {
        /// The method and path, or the operation. If absent, a control uses those of the step.
        line: Option<RequestLine>,
        /// The body.
        body: Option<RequestBody>,
    }
}

/// The token of a request.
#[derive(Debug, Clone)]
pub enum TokenChoice {
    /// No token.
    None,
    /// A token with these scopes, which several scenarios may use.
    Shared(Scopes),
    /// An expired or a revoked token.
    Useless(UselessToken),
    /// A token that the scenario gives.
    Given(Text),
}

/// The reason why a token is useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display)]
#[strum(serialize_all = "lowercase")]
pub enum UselessToken {
    /// It expired.
    Expired,
    /// It was revoked.
    Revoked,
}

/// The words of [`TokenChoice`].
const TOKENS: [(&str, TokenChoice); 6] = [
    ("read", TokenChoice::Shared(Scopes::READ)),
    ("write", TokenChoice::Shared(Scopes::WRITE)),
    ("read write", TokenChoice::Shared(Scopes::READ_WRITE)),
    ("expired", TokenChoice::Useless(UselessToken::Expired)),
    ("revoked", TokenChoice::Useless(UselessToken::Revoked)),
    ("none", TokenChoice::None),
];

impl YamlForm<Self> for TokenChoice {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let text = Text::read(reader, node, what)?;
        let Some(word) = text.as_literal() else { return Some(Self::Given(text)) };
        if let Some((_, token)) = TOKENS.into_iter().find(|(known, _)| *known == word) {
            return Some(token);
        }
        let words = TOKENS.map(|(word, _)| word).join(", ");
        let words = format!("{words}, `<name>`; for any other give the header itself");
        reader.refuse_word(node, what, word, words)
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        let words = TOKENS.map(|(word, _)| word);
        let name = json!({ "type": "string", "pattern": "<[A-Za-z][A-Za-z0-9_.-]*>" });
        json!({ "anyOf": [{ "enum": words }, name] })
    }
}

/// The keys `request` and `id`.
impl Keys for Option<RequestLine> {
    fn names(names: &mut Vec<&'static str>) {
        names.extend(["request", "id"]);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        let line = RequestLine::schema(definitions);
        map.add("request", "`METHOD /path`, or the name of an operation.", line);
        map.add("id", "The value of `{id}` in the path.", Text::schema(definitions));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let Some(node) = fields.get("request") else { return Some(None) };
        RequestLine::read_with_id(reader, node, "`request`", fields.get("id")).map(Some)
    }
}

/// A request line without the key `id`.
impl YamlForm<Self> for RequestLine {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        Self::read_with_id(reader, node, what, None)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let name = "<[A-Za-z][A-Za-z0-9_.-]*>";
        let pattern = format!("^(([A-Z]+|{name}) [/<]\\S*|[a-z_]+|{name})$");
        definitions.refer("RequestLine", |_| {
            let description = "`METHOD /path` with names in it, or the name of an operation, such as `get_workflow`.";
            json!({ "type": "string", "pattern": pattern, "description": description })
        })
    }
}

impl RequestLine {
    /// Whether its method is GET; `None` if that is known only at run time.
    pub fn is_get(&self) -> Option<bool> {
        match self {
            Self::Path { method, .. } => method.as_literal().map(|method| method == "GET"),
            Self::Operation { known, .. } => known.map(|known| known.method() == "GET"),
        }
    }

    /// Reads a request line and the value of the key `id` beside it.
    pub(super) fn read_with_id(
        reader: &mut ScenarioReader,
        node: &YamlNode,
        what: &str,
        id: Option<&YamlNode>,
    ) -> Option<Self> {
        let text = reader.plain(node, what)?;
        match text.split_once(' ') {
            Some((method, path)) => {
                if let Some(id) = id {
                    refuse_id::<()>(reader, id);
                }
                path_line(reader, method, path, node.span)
            }
            None => {
                let id = match id {
                    Some(id) => Some(Text::read(reader, id, "`id`")?),
                    None => None,
                };
                operation_line(reader, text, id, node.span)
            }
        }
    }

    /// The same operation with another id.
    pub(super) fn with_id(&self, reader: &mut ScenarioReader, id: &YamlNode) -> Option<Self> {
        match self {
            Self::Path { .. } => refuse_id(reader, id),
            Self::Operation { operation, known, .. } => {
                let id = Some(Text::read(reader, id, "`id`")?);
                Some(Self::Operation { operation: operation.clone(), known: *known, id })
            }
        }
    }
}

fn refuse_id<T>(reader: &mut ScenarioReader, id: &YamlNode) -> Option<T> {
    reader.refuse(id.span, "`id` belongs to an operation's name, not to a path")
}

fn path_line(
    reader: &mut ScenarioReader,
    method: &str,
    path: &str,
    span: YamlSpan,
) -> Option<RequestLine> {
    let method_text = reader.parse(method, span)?;
    let is_method = !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase());
    if method_text.as_literal().is_some() && !is_method {
        return reader
            .refuse(span, format!("`{method}` is not a method: write upper case letters"));
    }
    if !path.starts_with(['/', '<']) {
        return reader.refuse(span, format!("the path `{path}` does not begin with `/`"));
    }
    if path.contains(char::is_whitespace) {
        let help = "write it as `%20`, or give a query by the key `query`".to_owned();
        return reader.refuse_with(span, "the path has a space", Some(help));
    }
    let before = u32::try_from(method.chars().count() + 1).unwrap_or(0);
    let length = span.length.saturating_sub(before).max(1);
    let path_span = YamlSpan { column: span.column + before, length, ..span };
    Some(RequestLine::Path { method: method_text, path: reader.parse(path, path_span)? })
}

fn operation_line(
    reader: &mut ScenarioReader,
    text: &str,
    id: Option<Text>,
    span: YamlSpan,
) -> Option<RequestLine> {
    let operation = reader.parse(text, span)?;
    let known = operation.as_literal().and_then(Operation::from_text);
    if operation.as_literal().is_some() && known.is_none() {
        let names = Operation::ALL.map(Operation::as_str);
        let help = nearest::hint(text, names).unwrap_or_else(|| {
            "write `METHOD /path`, or the name of an operation, such as `list_webhooks`".to_owned()
        });
        return reader.refuse_with(span, format!("unknown operation `{text}`"), Some(help));
    }
    if known.is_some_and(|known| known.path().contains("{id}")) && id.is_none() {
        return reader.refuse(span, format!("`{text}` needs the key `id`"));
    }
    Some(RequestLine::Operation { operation, known, id })
}
