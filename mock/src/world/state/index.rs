//! The rows of a list: a bitmap for each company and status, in which the row at a place of the list is found fast.

use std::sync::Arc;

use moot_fixtures::contract::ListOrder;
use roaring::RoaringBitmap;

/// The rows of one resource, by company. Worlds of the same seed world share an index until they change it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index(Vec<Arc<Members>>);

/// The rows of one company. Each bitmap is shared separately, so that a change copies only its own bitmaps.
#[derive(Debug, Clone, Default)]
struct Members {
    all: Arc<RoaringBitmap>,
    /// As far as there is a status with rows.
    by_status: Vec<Arc<RoaringBitmap>>,
}

impl Index {
    /// An index without rows, for this number of companies.
    pub(crate) fn new(companies: usize) -> Self {
        Self(vec![Arc::default(); companies])
    }

    /// Adds a row. `status` is the place of its status, if the resource has one.
    pub(crate) fn insert(&mut self, company: u32, row: u32, status: Option<usize>) {
        self.change(company, |members| {
            if !members.all.contains(row) {
                Arc::make_mut(&mut members.all).insert(row);
            }
            if let Some(status) = status {
                let length = members.by_status.len().max(status + 1);
                members.by_status.resize_with(length, Arc::default);
                Arc::make_mut(&mut members.by_status[status]).insert(row);
            }
        });
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, company: u32, row: u32) {
        self.change(company, |members| {
            let all = std::iter::once(&mut members.all).chain(&mut members.by_status);
            for rows in all.filter(|rows| rows.contains(row)) {
                Arc::make_mut(rows).remove(row);
            }
        });
    }

    fn change(&mut self, company: u32, change: impl FnOnce(&mut Members)) {
        if let Some(members) = self.0.get_mut(company as usize) {
            change(Arc::make_mut(members));
        }
    }

    /// The rows of a company, or those with one status.
    pub(crate) fn rows(&self, company: u32, status: Option<usize>) -> Option<&RoaringBitmap> {
        let members = self.0.get(company as usize)?;
        match status {
            Some(status) => members.by_status.get(status).map(AsRef::as_ref),
            None => Some(&members.all),
        }
    }
}

/// The rows of one page: `count` rows after the first `skipped`, in `order`.
pub(crate) fn page(rows: &RoaringBitmap, order: ListOrder, skipped: u64, count: u32) -> Vec<u32> {
    let count = count as usize;
    let mut page = Vec::with_capacity(usize::try_from(rows.len()).unwrap_or(count).min(count));
    match order {
        ListOrder::OldestFirst => {
            let Some(first) = select(rows, Some(skipped)) else { return page };
            page.extend(rows.range(first..).take(count));
        }
        ListOrder::NewestFirst => {
            let rank = rows.len().checked_sub(1).and_then(|last| last.checked_sub(skipped));
            let Some(first) = select(rows, rank) else { return page };
            page.extend(rows.range(..=first).rev().take(count));
        }
    }
    page
}

fn select(rows: &RoaringBitmap, rank: Option<u64>) -> Option<u32> {
    rows.select(u32::try_from(rank?).ok()?)
}
