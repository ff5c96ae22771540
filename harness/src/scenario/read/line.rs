//! What a request is sent to: `METHOD /path`, or the name of an operation with `id`.

use moot_fixtures::contract::Operation;

use super::super::model::{RequestLine, Text};
use super::super::node::{Node, Span};
use super::reader::Reader;
use moot_fixtures::nearest;

impl Reader {
    /// A request line; `id` is the sibling key that fills `{id}`.
    pub(super) fn request_line(
        &mut self,
        node: &Node,
        what: &str,
        id: Option<&Node>,
    ) -> Option<RequestLine> {
        let text = self.plain(node, what)?;
        let id_text = match id {
            Some(node) => Some(self.text(node, "`id`")?),
            None => None,
        };
        match text.split_once(' ') {
            Some((method, path)) => {
                if let Some(id) = id {
                    let message = "`id` belongs to an operation's name, not to a path";
                    self.refuse(id.span, message);
                }
                self.path_line(method, path, node.span)
            }
            None => self.operation_line(text, id_text, node.span),
        }
    }

    fn path_line(&mut self, method: &str, path: &str, span: Span) -> Option<RequestLine> {
        let method_text = self.parse(method, span)?;
        let is_method = !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase());
        if method_text.as_literal().is_some() && !is_method {
            self.refuse(span, format!("`{method}` is no method: upper case letters"));
            return None;
        }
        // A name may stand for the whole path, or for an absolute address that an answer told.
        if !path.starts_with(['/', '<']) {
            self.refuse(span, format!("the path `{path}` does not begin with `/`"));
            return None;
        }
        if path.contains(char::is_whitespace) {
            self.refuse_with(
                span,
                "a space in a path",
                Some("write it as `%20`, or give a query by the key `query`".to_owned()),
            );
            return None;
        }
        let before = u32::try_from(method.chars().count() + 1).unwrap_or(0);
        let path_span = Span {
            column: span.column + before,
            length: span.length.saturating_sub(before).max(1),
            ..span
        };
        Some(RequestLine::Path { method: method_text, path: self.parse(path, path_span)? })
    }

    fn operation_line(&mut self, text: &str, id: Option<Text>, span: Span) -> Option<RequestLine> {
        let operation = self.parse(text, span)?;
        let known = match operation.as_literal() {
            Some(name) => match Operation::from_text(name) {
                Some(known) => Some(known),
                None => {
                    self.refuse_operation(name, span);
                    return None;
                }
            },
            None => None,
        };
        if known.is_some_and(|known| known.path().contains("{id}")) && id.is_none() {
            self.refuse(span, format!("`{text}` needs the key `id`"));
            return None;
        }
        Some(RequestLine::Operation { operation, known, id })
    }

    fn refuse_operation(&mut self, name: &str, span: Span) {
        let names = Operation::ALL.map(Operation::as_str);
        let help = nearest::hint(name, names).unwrap_or_else(|| {
            "write `METHOD /path`, or the name of an operation, such as `list_webhooks`".to_owned()
        });
        self.refuse_with(span, format!("unknown operation `{name}`"), Some(help));
    }
}
