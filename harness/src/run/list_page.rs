//! A page of a list, and the pages of one reading.

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::scenario::model::{Location, RequestLine, RequestShape};
use crate::verdict::check::{Document, as_count};

/// One page of a list.
pub(super) struct ListPage {
    pub(super) number: u64,
    pub(super) document: Document,
}

impl ListPage {
    pub(super) fn body(&self) -> &Value {
        self.document.json.as_deref().unwrap_or(&Value::Null)
    }

    pub(super) fn items(&self) -> &[Value] {
        self.body()["data"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the page is one of the list. An empty page after the last is not, even if the totals announce it.
    pub(super) fn is_of_list(&self) -> bool {
        self.number == 1 || !self.items().is_empty()
    }

    /// `total_count` of the list.
    pub(super) fn total(&self) -> &Value {
        &self.body()["pagination"]["total_count"]
    }

    /// Whether the number of pages is missing. An activity log may have none.
    pub(super) fn cannot_be_counted(&self) -> bool {
        let is_list = self.document.operation.is_some_and(Operation::is_list);
        is_list && self.pagination("total_pages").is_none()
    }

    /// The number of pages of the list.
    pub(super) fn pages_total(&self) -> u64 {
        self.pagination("total_pages").unwrap_or(1)
    }

    pub(super) fn pagination(&self, member: &str) -> Option<u64> {
        as_count(&self.body()["pagination"][member])
    }
}

/// The pages of a list that were read.
pub(super) struct ListRead {
    pub(super) pages: Vec<ListPage>,
    /// Whether all pages were read.
    pub(super) is_whole: bool,
    /// Whether `total_count` stayed the same.
    pub(super) is_steady: bool,
    /// A page that the totals announce and the target refused, with its number. The list ends before it.
    pub(super) refused: Option<(u64, Document)>,
}

/// The place of the request line in its file.
pub(super) fn line_at(shape: &RequestShape) -> Option<Location> {
    let (RequestLine::Path { path: text, .. } | RequestLine::Operation { operation: text, .. }) =
        shape.line.as_ref()?;
    Some(text.at.clone())
}
