//! Pages of lists that were answered lately: whoever asks for one again gets the very same bytes.
//!
//! A page follows from its rows alone, so it is given out only while none of their table has changed.
//! Never here: what a page shows, and which rows it has (that is [`crate::list`]).

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use parking_lot::Mutex;

use crate::limits::{RECENT_PAGE_BYTES_MAX, RECENT_PAGES_MAX, RECENT_QUERY_BYTES_MAX};
use crate::response::Listed;

/// What a page was asked for as.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Which list.
    pub(crate) list: Operation,
    /// Index of the company whose rows it has.
    pub(crate) company: u32,
    /// As sent: it says which page, and which status.
    pub(crate) query: Option<&'a str>,
    /// Of the table of its rows, see [`crate::table::Table::revision`].
    pub(crate) revision: u64,
}

/// The pages of one world. Nothing is held before the first.
#[derive(Debug, Default)]
pub(crate) struct RecentPages(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    pages: Vec<Page>,
    /// Where the next one goes, once there are as many as may be.
    next: usize,
}

#[derive(Debug)]
struct Page {
    list: Operation,
    company: u32,
    query: Option<Box<str>>,
    revision: u64,
    body: Bytes,
    listed: Listed,
}

impl RecentPages {
    /// The page, if it was answered lately and shows what it would show now.
    pub(crate) fn find(&self, asked: &Asked<'_>) -> Option<(Bytes, Listed)> {
        let held = self.0.lock();
        let page = held.pages.iter().find(|page| page.is(asked))?;
        Some((page.body.clone(), page.listed))
    }

    /// Keeps a page that was not found; those of its list that changed since go.
    pub(crate) fn keep(&self, asked: &Asked<'_>, body: &Bytes, listed: Listed) {
        let query_length = asked.query.map_or(0, str::len);
        if body.len() > RECENT_PAGE_BYTES_MAX || query_length > RECENT_QUERY_BYTES_MAX {
            return;
        }
        let page = Page {
            list: asked.list,
            company: asked.company,
            query: asked.query.map(Box::from),
            revision: asked.revision,
            body: body.clone(),
            listed,
        };
        let held = &mut *self.0.lock();
        held.pages.retain(|old| old.list != page.list || old.revision == page.revision);
        if held.pages.len() < RECENT_PAGES_MAX {
            held.pages.push(page);
            return;
        }
        held.next = (held.next + 1) % RECENT_PAGES_MAX;
        if let Some(oldest) = held.pages.get_mut(held.next) {
            *oldest = page;
        }
    }
}

impl Page {
    fn is(&self, asked: &Asked<'_>) -> bool {
        self.list == asked.list
            && self.company == asked.company
            && self.revision == asked.revision
            && self.query.as_deref() == asked.query
    }
}
