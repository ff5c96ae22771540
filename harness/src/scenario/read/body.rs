//! Reads the bodies of requests: `form`, `json`, `multipart`, `raw`.

use base64::Engine;

use super::super::model::{Multipart, PartContent, PartSpec, Raw, RawContent, RequestBody};
use super::super::node::{Node, Tree};
use super::fields::Fields;
use super::reader::Reader;

/// Parts, omitted fields or lines of one body.
const PARTS_MAX: usize = 1_000;

/// The largest length that a raw body may claim.
const DECLARED_LENGTH_MAX: u64 = 1 << 40;

/// Keys of which a request has one at most.
pub(super) const BODIES: [&str; 4] = ["form", "json", "multipart", "raw"];

const MULTIPART: [&str; 4] = ["from_schema", "set", "omit", "parts"];

const PART: [&str; 6] = ["name", "text", "file", "zeros", "filename", "content_type"];

const RAW: [&str; 5] = ["content_type", "text", "crlf_lines", "base64", "declared_length"];

impl Reader {
    /// The body of a request, if it has one.
    pub(super) fn body(&mut self, fields: Fields<'_>) -> Option<Option<RequestBody>> {
        let given = fields.present(&BODIES);
        let Some(first) = given.first() else { return Some(None) };
        if let [_, second, ..] = given.as_slice() {
            let span = fields.key(second).map_or(fields.span, |key| key.span);
            self.refuse(span, format!("a request has one body: `{first}` or `{second}`"));
            return None;
        }
        let node = fields.get(first)?;
        let body = match *first {
            "form" => RequestBody::Form(self.pairs(node, "`form`")?),
            "json" => RequestBody::Json(self.json(node)?),
            "multipart" => RequestBody::Multipart(self.multipart(node)?),
            _ => RequestBody::Raw(self.raw(node)?),
        };
        Some(Some(body))
    }

    fn multipart(&mut self, node: &Node) -> Option<Multipart> {
        let what = "`multipart`";
        let fields = self.fields(node, what, &MULTIPART)?;
        if fields.first_key().is_none() {
            let keys = MULTIPART.join(", ");
            self.refuse(node.span, format!("{what} is empty, it needs one of {keys}"));
            return None;
        }
        let from_schema = match fields.get("from_schema") {
            Some(node) => Some(self.json(node)?),
            None => None,
        };
        let set = match fields.get("set") {
            Some(node) => self.pairs(node, "`set`"),
            None => Some(Vec::new()),
        };
        let omit = match fields.get("omit").map(|node| (node, &node.value)) {
            // An empty list takes back what a step omits; only a control needs it.
            Some((_, Tree::List(items))) if items.is_empty() => Some(Some(Vec::new())),
            Some((node, _)) => {
                let items = self.list(node, "`omit`", PARTS_MAX)?;
                let texts: Vec<_> = items.iter().map(|n| self.text(n, "`omit`")).collect();
                texts.into_iter().collect::<Option<Vec<_>>>().map(Some)
            }
            None => Some(None),
        };
        let parts = match fields.get("parts").map(|node| (node, &node.value)) {
            Some((_, Tree::List(items))) if items.is_empty() => Some(Some(Vec::new())),
            Some((node, _)) => {
                let items = self.list(node, "`parts`", PARTS_MAX)?;
                let parts: Vec<_> = items.iter().map(|node| self.part(node)).collect();
                parts.into_iter().collect::<Option<Vec<_>>>().map(Some)
            }
            None => Some(None),
        };
        Some(Multipart { from_schema, set: set?, omit: omit?, parts: parts? })
    }

    fn part(&mut self, node: &Node) -> Option<PartSpec> {
        let what = "a part";
        let fields = self.fields(node, what, &PART)?;
        let name = self.needed(fields, what, "name").and_then(|node| self.text(node, "`name`"));
        let content = match fields.present(&["text", "file", "zeros"]).as_slice() {
            ["text"] => {
                fields.get("text").and_then(|n| self.text(n, "`text`")).map(PartContent::Text)
            }
            ["file"] => {
                let file = fields.get("file").and_then(|node| self.plain(node, "`file`"));
                file.map(|file| PartContent::File(file.to_owned()))
            }
            ["zeros"] => {
                fields.get("zeros").and_then(|n| self.size(n, "`zeros`")).map(PartContent::Zeros)
            }
            _ => {
                let span = fields.first_key().map_or(node.span, |key| key.span);
                self.refuse(span, "a part has one of text, file, zeros");
                None
            }
        };
        let file_name = self.optional_text(fields, "filename");
        let content_type = self.optional_text(fields, "content_type");
        Some(PartSpec {
            name: name?,
            content: content?,
            file_name: file_name?,
            content_type: content_type?,
        })
    }

    fn raw(&mut self, node: &Node) -> Option<Raw> {
        let what = "`raw`";
        let fields = self.fields(node, what, &RAW)?;
        let content = match fields.present(&["text", "crlf_lines", "base64"]).as_slice() {
            ["text"] => {
                fields.get("text").and_then(|n| self.text(n, "`text`")).map(RawContent::Text)
            }
            ["crlf_lines"] => self.crlf_lines(fields.get("crlf_lines")?),
            ["base64"] => self.base64(fields.get("base64")?),
            _ => {
                let span = fields.first_key().map_or(node.span, |key| key.span);
                self.refuse(span, "`raw` has one of text, crlf_lines, base64");
                None
            }
        };
        let content_type = self.optional_text(fields, "content_type");
        let declared_length = match fields.get("declared_length") {
            Some(node) => {
                self.integer(node, "`declared_length`", 0..=DECLARED_LENGTH_MAX).map(Some)
            }
            None => Some(None),
        };
        Some(Raw {
            content_type: content_type?,
            content: content?,
            declared_length: declared_length?,
        })
    }

    fn crlf_lines(&mut self, node: &Node) -> Option<RawContent> {
        let items = self.list(node, "`crlf_lines`", PARTS_MAX)?;
        let lines: Vec<_> = items.iter().map(|node| self.text(node, "a line")).collect();
        Some(RawContent::CrlfLines(lines.into_iter().collect::<Option<_>>()?))
    }

    fn base64(&mut self, node: &Node) -> Option<RawContent> {
        let text = self.plain(node, "`base64`")?;
        match base64::engine::general_purpose::STANDARD.decode(text) {
            Ok(bytes) => Some(RawContent::Base64(bytes)),
            Err(error) => {
                let message = format!("`base64` can't be decoded: {error}");
                self.refuse(node.span, message.to_lowercase());
                None
            }
        }
    }

    pub(super) fn optional_text(
        &mut self,
        fields: Fields<'_>,
        name: &str,
    ) -> Option<Option<super::super::model::Text>> {
        match fields.get(name) {
            Some(node) => self.text(node, &format!("`{name}`")).map(Some),
            None => Some(None),
        }
    }
}
