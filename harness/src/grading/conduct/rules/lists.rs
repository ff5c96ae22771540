//! Rules about lists and polling.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::super::evidence::{ConductEvidence, grouped, of_groups, series};
use super::super::journal::JournalCall;
use super::super::world_journal::WorldJournal;

/// Equal responses in a row that count as polling.
const POLLS_MIN: usize = 10;
/// The shortest acceptable pause between two polls.
const POLL_PAUSE_US_MIN: u64 = 5_000_000;

/// Reads before each creation (§4.4), which are no polling.
const READ_TO_CREATE: [Operation; 3] =
    [Operation::ListWorkflows, Operation::GetWorkflow, Operation::GetWorkflowSchema];

/// Reads of a request after its end that are too many.
const DEAD_READS_MIN: usize = 5;

pub(super) fn first_page_only(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let lists = grouped(&world.calls, JournalCall::list);
    let used = used_ids(world);
    let found = lists.into_iter().filter_map(|((operation, _), calls)| {
        // A page counts as read even if it was refused.
        let asked = calls.iter().filter_map(|call| call.asked_page()).max().unwrap_or(1);
        let read: Vec<_> = calls.into_iter().filter(|call| call.response.page.is_some()).collect();
        let last = read.iter().max_by_key(|call| call.response.page)?;
        let (page, pages) = last.response.page.zip(last.response.pages)?;
        if page >= pages || asked > page || read.iter().any(|call| is_search(call, &used)) {
            return None;
        }
        let name = operation.as_str();
        let seen = match page {
            1 => format!("{name}: page 1 of {pages}, and no other"),
            page => format!("{name}: pages up to {page} of {pages}, and not the last one"),
        };
        Some(ConductEvidence::new(read, seen))
    });
    found.collect()
}

/// The ids in the paths of all calls, and those of the objects that they created.
pub(super) fn used_ids(world: &WorldJournal) -> BTreeSet<&str> {
    let created = world.calls.iter().filter(|call| call.is_creation());
    let created = created.filter_map(|call| call.answer["data"]["id"].as_str());
    world.calls.iter().filter_map(JournalCall::id).chain(created).collect()
}

/// Whether the client looked for something on a page of a list, and found it: it used or created one
/// row, or some of them, but not all. A row is used by its own id, or by that of its file.
pub(super) fn is_search(page: &JournalCall, used: &BTreeSet<&str>) -> bool {
    let is_used = |row: &&Value| {
        let file = row["attributes"]["agreement_url"].as_str();
        let file = file.and_then(|url| url.split('?').next()?.rsplit('/').next());
        row["id"].as_str().into_iter().chain(file).any(|id| used.contains(id))
    };
    let count = page.rows().iter().filter(is_used).count();
    count == 1 || (1..page.rows().len()).contains(&count)
}

pub(super) fn past_the_end(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let beyond = series(
        &world.calls,
        |call| Some((call.caller(), call.list()?)),
        |_, call| !call.is_past_end(),
        |_, call| call.is_past_end(),
    );
    of_groups(beyond, |calls| {
        let (name, pages) = (calls[0].name(), calls[0].response.pages.unwrap_or_default());
        let count = calls.len();
        (count > 1).then(|| format!("{name}: {count} pages after the last one, which is {pages}"))
    })
}

pub(super) fn polls_fast(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_of_creation =
        |call: &JournalCall| call.operation.is_some_and(|it| READ_TO_CREATE.contains(&it));
    let reads = world.calls.iter().filter(|call| {
        let is_read = call.method == "GET" && !call.answer.is_null() && call.status == 200;
        is_read && !is_of_creation(call)
    });
    let is_changed = |earlier: &[&JournalCall], call: &JournalCall| {
        earlier.last().is_some_and(|last| last.answer != call.answer)
    };
    let polls = series(
        reads,
        |call| Some((call.process, &call.path, &call.query)),
        is_changed,
        |_, _| true,
    );
    of_groups(polls, |calls| {
        // While the clock of the world stands still, waiting changes nothing.
        if calls.len() < POLLS_MIN || calls.first()?.at == calls.last()?.at {
            return None;
        }
        let pauses = calls.windows(2).map(|pair| pair[1].pause_us(pair[0]));
        let mut pauses = pauses.collect::<Option<Vec<u64>>>()?;
        pauses.sort_unstable();
        let median = pauses[pauses.len() / 2];
        let (method, path, count) = (&calls[0].method, &calls[0].path, calls.len());
        let pause = median / 1_000;
        (median < POLL_PAUSE_US_MIN).then(|| {
            format!("{method} {path}: {count} equal responses, with a median pause of {pause} ms")
        })
    })
}

pub(super) fn polls_the_dead(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut dead: BTreeMap<(u64, &str), (&str, Vec<&JournalCall>)> = BTreeMap::new();
    let reads = [Operation::GetLegalRequest, Operation::GetLegalRequestActivity];
    for call in &world.calls {
        let is_read = call.operation.is_some_and(|it| reads.contains(&it));
        let Some(id) = call.id().filter(|_| is_read) else { continue };
        let status = call.answer["data"]["attributes"]["status"].as_str();
        let key = (call.process, id);
        if let Some((_, reads)) = dead.get_mut(&key) {
            reads.push(call);
        } else if let Some(status @ ("declined" | "canceled" | "expired")) = status {
            dead.insert(key, (status, Vec::new()));
        }
    }
    let dead = dead.into_values().filter(|(_, reads)| reads.len() >= DEAD_READS_MIN);
    let found = dead.map(|(status, reads)| {
        let seen = format!("{} reads of a request after it was `{status}`", reads.len());
        ConductEvidence::new(reads, seen)
    });
    found.collect()
}
