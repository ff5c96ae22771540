//! Rules about lists and polling.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;

use super::super::finding::ConductEvidence;
use super::super::journal::{JournalCall, WorldJournal};
use super::super::theme::grouped;

/// Equal answers in a row that make polling.
const POLLS_MIN: usize = 10;
/// The pause that polling needs at least.
const POLL_PAUSE_US_MIN: u64 = 5_000_000;

/// Looks at a request after its end that are too many.
const DEAD_LOOKS_MIN: usize = 5;

/// A list as it was asked for, without the page.
pub(super) fn list_key(call: &JournalCall) -> Option<(Operation, Vec<(String, String)>)> {
    let operation = call.operation.filter(|operation| operation.is_list())?;
    let filter = call.parameters().into_iter().filter(|(name, _)| name != "page");
    Some((operation, filter.collect()))
}

pub(super) fn asked_page(call: &JournalCall) -> Option<u64> {
    let page = call.parameters().into_iter().find(|(name, _)| name == "page");
    page.and_then(|(_, page)| page.parse().ok())
}

pub(super) fn first_page_only(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let lists = grouped(&world.calls, list_key);
    let used: BTreeSet<&str> = world.calls.iter().filter_map(JournalCall::id).collect();
    let found = lists.into_iter().filter_map(|((operation, _), calls)| {
        // Also a page that was asked for and refused.
        if calls.iter().any(|call| asked_page(call).is_some_and(|page| page > 1)) {
            return None;
        }
        let read: Vec<_> = calls.into_iter().filter(|call| call.response.page == Some(1)).collect();
        let pages = read.iter().filter_map(|call| call.response.pages).max()?;
        let is_used = |call: &&JournalCall| {
            let rows = call.answer["data"].as_array().into_iter().flatten();
            rows.filter_map(|row| row["id"].as_str()).any(|id| used.contains(id))
        };
        if pages < 2 || read.iter().any(is_used) {
            return None;
        }
        let seen = format!("{}: page 1 of {pages}, and no other", operation.as_str());
        ConductEvidence::of(read, seen)
    });
    found.collect()
}

pub(super) fn past_the_end(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut beyond: BTreeMap<_, Vec<&JournalCall>> = BTreeMap::new();
    let mut found = Vec::new();
    for call in &world.calls {
        let Some(key) = list_key(call) else { continue };
        let row = beyond.entry((call.caller(), key)).or_default();
        let is_beyond = match (call.response.page, call.response.pages) {
            (Some(page), Some(pages)) => page > pages.max(1),
            _ => false,
        };
        if is_beyond {
            row.push(call);
        } else {
            found.push(std::mem::take(row));
        }
    }
    found.extend(beyond.into_values());
    let found = found.into_iter().filter(|row| row.len() > 1).filter_map(|row| {
        let pages = row[0].response.pages.unwrap_or_default();
        let seen =
            format!("{}: {} pages after the last one, which is {pages}", row[0].name(), row.len());
        ConductEvidence::of(row, seen)
    });
    found.collect()
}

pub(super) fn polls_fast(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut rows: BTreeMap<_, Vec<&JournalCall>> = BTreeMap::new();
    let mut done = Vec::new();
    for call in &world.calls {
        if call.method != "GET" || call.answer.is_null() || call.status != 200 {
            continue;
        }
        let row = rows.entry((call.caller(), &call.path, &call.query)).or_default();
        if row.last().is_some_and(|last| last.answer != call.answer) {
            done.push(std::mem::take(row));
        }
        row.push(call);
    }
    done.extend(rows.into_values());
    let found = done.into_iter().filter(|row| row.len() >= POLLS_MIN).filter_map(|row| {
        // While the clock of the world stands still, nothing changes by waiting.
        if row.first()?.at == row.last()?.at {
            return None;
        }
        let pauses = row.windows(2).map(|pair| pair[1].pause_us(pair[0]));
        let mut pauses = pauses.collect::<Option<Vec<u64>>>()?;
        pauses.sort_unstable();
        let median = pauses[pauses.len() / 2];
        if median >= POLL_PAUSE_US_MIN {
            return None;
        }
        let seen = format!(
            "{} {}: {} equal answers, with a median pause of {} ms",
            row[0].method,
            row[0].path,
            row.len(),
            median / 1_000
        );
        ConductEvidence::of(row, seen)
    });
    found.collect()
}

pub(super) fn polls_the_dead(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut dead: BTreeMap<&str, (&str, Vec<&JournalCall>)> = BTreeMap::new();
    for call in &world.calls {
        let looks = [Operation::GetLegalRequest, Operation::GetLegalRequestActivity];
        let Some(id) = call.id().filter(|_| call.operation.is_some_and(|it| looks.contains(&it)))
        else {
            continue;
        };
        let status = call.answer["data"]["attributes"]["status"].as_str();
        if let Some((_, looks)) = dead.get_mut(id) {
            looks.push(call);
        } else if let Some(status @ ("declined" | "canceled" | "expired")) = status {
            dead.insert(id, (status, Vec::new()));
        }
    }
    let found = dead.into_values().filter(|(_, looks)| looks.len() >= DEAD_LOOKS_MIN);
    let found = found.filter_map(|(status, looks)| {
        let seen = format!("{} looks at a request after it was `{status}`", looks.len());
        ConductEvidence::of(looks, seen)
    });
    found.collect()
}
