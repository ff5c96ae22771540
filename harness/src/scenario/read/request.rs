//! Reads requests: their shape, what is asked of the answer, and what goes on around them.

use moot_fixtures::contract::Scopes;

use super::super::model::{
    Control, EachPage, Poll, RequestLine, RequestShape, RequestStep, SnapshotRule, TokenChoice,
};
use super::super::node::{Node, Tree};
use super::fields::Fields;
use super::reader::Reader;

/// Pages that are walked at most.
const PAGES_MAX: u64 = 1_000;

/// Views of one step.
const VIEWS_MAX: usize = 10;

/// Places redacted in one snapshot.
const REDACTED_MAX: usize = 50;

/// Keys of a request's shape, beside the bodies.
const SHAPE: [&str; 5] = ["id", "token", "as", "query", "headers"];

/// Keys of a request step.
pub(super) const REQUEST: [&str; 21] = [
    "name",
    "request",
    "id",
    "token",
    "as",
    "query",
    "headers",
    "form",
    "json",
    "multipart",
    "raw",
    "require",
    "expect",
    "control",
    "unchanged",
    "observe",
    "capture",
    "poll",
    "each_page",
    "snapshot",
    "finally",
];

const CONTROL: [&str; 11] = [
    "request",
    "id",
    "token",
    "as",
    "query",
    "headers",
    "form",
    "json",
    "multipart",
    "raw",
    "require",
];

impl Reader {
    /// The keys that make up a request; `line` is where it is sent to.
    pub(super) fn shape(
        &mut self,
        fields: Fields<'_>,
        line: Option<RequestLine>,
    ) -> Option<RequestShape> {
        let token = match fields.get("token") {
            Some(node) => self.token(node).map(Some),
            None => Some(None),
        };
        let application = self.optional_text(fields, "as");
        let query = self.optional_pairs(fields, "query");
        let headers = self.optional_pairs(fields, "headers");
        let body = self.body(fields);
        Some(RequestShape {
            line,
            token: token?,
            application: application?,
            query: query?,
            headers: headers?,
            body: body?,
        })
    }

    fn optional_pairs(
        &mut self,
        fields: Fields<'_>,
        name: &str,
    ) -> Option<Vec<(super::super::model::Text, super::super::model::Json)>> {
        match fields.get(name) {
            Some(node) => self.pairs(node, &format!("`{name}`")),
            None => Some(Vec::new()),
        }
    }

    fn token(&mut self, node: &Node) -> Option<TokenChoice> {
        let text = self.text(node, "`token`")?;
        Some(match text.as_literal() {
            None => TokenChoice::Given(text),
            Some("none") => TokenChoice::None,
            Some("expired") => TokenChoice::Expired,
            Some("revoked") => TokenChoice::Revoked,
            Some("read") => TokenChoice::Shared(Scopes::READ),
            Some("write") => TokenChoice::Shared(Scopes::WRITE),
            Some("read write") => TokenChoice::Shared(Scopes::READ_WRITE),
            Some(other) => {
                let forms = "read, write, read write, expired, revoked, none, `<name>`";
                let help = Some(format!("there are {forms}; for any other give the header itself"));
                let message = format!("`token` can't be `{other}`");
                self.refuse_with(node.span, message, help);
                return None;
            }
        })
    }

    pub(super) fn request_step(
        &mut self,
        fields: Fields<'_>,
        line: Option<RequestLine>,
    ) -> Option<RequestStep> {
        let control = self.optional(fields, "control", |r, n| r.control(n, line.as_ref()));
        let shape = self.shape(fields, line);
        let require = self.optional(fields, "require", |r, n| r.expectation(n, "`require`"));
        let expect = self.optional(fields, "expect", Self::checks);
        let unchanged = self.optional(fields, "unchanged", Self::views);
        let observe = self.optional(fields, "observe", Self::observations);
        let capture = self.optional(fields, "capture", Self::captures);
        let poll = self.optional(fields, "poll", Self::poll);
        let each_page = self.optional(fields, "each_page", Self::each_page);
        let snapshot = self.optional(fields, "snapshot", Self::snapshot).map(Option::flatten);
        let finally = self.optional(fields, "finally", Self::steps);
        if let (Some(_), Some(key)) = (fields.get("poll"), fields.key("each_page")) {
            self.refuse(key.span, "a step has `poll` or `each_page`, not both");
            return None;
        }
        Some(RequestStep {
            shape: shape?,
            require: require?,
            expect: expect?.unwrap_or_default(),
            control: control?.map(Box::new),
            unchanged: unchanged?.unwrap_or_default(),
            observe: observe?.unwrap_or_default(),
            capture: capture?.unwrap_or_default(),
            poll: poll?,
            each_page: each_page?,
            snapshot: snapshot?,
            finally: finally?.unwrap_or_default(),
        })
    }

    /// A field that may be absent; `None` where it is there and broken.
    pub(super) fn optional<T>(
        &mut self,
        fields: Fields<'_>,
        name: &str,
        read: impl FnOnce(&mut Self, &Node) -> Option<T>,
    ) -> Option<Option<T>> {
        match fields.get(name) {
            Some(node) => read(self, node).map(Some),
            None => Some(None),
        }
    }

    /// `own` is the line of the step: an `id` alone replaces that of its operation.
    fn control(&mut self, node: &Node, own: Option<&RequestLine>) -> Option<Control> {
        let fields = self.fields(node, "`control`", &CONTROL)?;
        if fields.first_key().is_none() {
            self.refuse(node.span, "`control` is empty: the call would be the same");
            return None;
        }
        let line = match (fields.get("request"), fields.get("id"), own) {
            (Some(node), id, _) => Some(self.request_line(node, "`request`", id)?),
            (None, None, _) | (None, Some(_), None) => None,
            (None, Some(id), Some(RequestLine::Operation { operation, known, .. })) => {
                let (operation, known) = (operation.clone(), *known);
                let id = Some(self.text(id, "`id`")?);
                Some(RequestLine::Operation { operation, known, id })
            }
            (None, Some(id), Some(RequestLine::Path { .. })) => {
                self.refuse(id.span, "`id` belongs to an operation's name, not to a path");
                None
            }
        };
        let shape = self.shape(fields, line);
        let require = self.optional(fields, "require", |r, n| r.expectation(n, "`require`"));
        Some(Control { shape: shape?, require: require? })
    }

    fn views(&mut self, node: &Node) -> Option<Vec<RequestLine>> {
        let items = self.list(node, "`unchanged`", VIEWS_MAX)?;
        let lines: Vec<_> =
            items.iter().map(|item| self.request_line(item, "a view", None)).collect();
        lines.into_iter().collect()
    }

    fn poll(&mut self, node: &Node) -> Option<Poll> {
        let what = "`poll`";
        let fields = self.fields(node, what, &["until", "every", "at_most"])?;
        let until = self.needed(fields, what, "until");
        let until = until.and_then(|node| self.expectation(node, "`until`"));
        let every = self.needed(fields, what, "every");
        let every = every.and_then(|node| self.duration(node, "`every`"));
        let at_most = self.needed(fields, what, "at_most");
        let at_most = at_most.and_then(|node| self.duration(node, "`at_most`"));
        let (every, at_most) = (every?, at_most?);
        if every > at_most {
            self.refuse(fields.span, "`every` is longer than `at_most`");
            return None;
        }
        Some(Poll { until: until?, every, at_most })
    }

    fn each_page(&mut self, node: &Node) -> Option<EachPage> {
        let what = "`each_page`";
        let fields = self.fields(node, what, &["at_most", "expect"])?;
        let at_most = self.needed(fields, what, "at_most");
        let at_most = at_most.and_then(|node| self.integer(node, "`at_most`", 1..=PAGES_MAX));
        let expect = self.optional(fields, "expect", Self::checks);
        Some(EachPage { at_most: at_most?, expect: expect?.unwrap_or_default() })
    }

    /// `Some(None)`: the step is left out on purpose.
    fn snapshot(&mut self, node: &Node) -> Option<Option<SnapshotRule>> {
        match &node.value {
            Tree::Bool(true) => Some(Some(SnapshotRule::default())),
            Tree::Bool(false) => Some(None),
            Tree::Map(_) => {
                let fields = self.fields(node, "`snapshot`", &["redact"])?;
                let redact = self.needed(fields, "`snapshot`", "redact")?;
                let items = self.list(redact, "`redact`", REDACTED_MAX)?;
                let places: Vec<_> = items.iter().map(|n| self.place_of(n, "a place")).collect();
                Some(Some(SnapshotRule { redact: places.into_iter().collect::<Option<_>>()? }))
            }
            _ => {
                self.refuse_type(node, "`snapshot`", "true, false or `{ redact: [place] }`");
                None
            }
        }
    }
}

/// Keys of a shape with the bodies, for the steps that send.
pub(super) fn shape_keys() -> Vec<&'static str> {
    SHAPE.into_iter().chain(super::body::BODIES).collect()
}
