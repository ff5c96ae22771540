//! Does a log have each entry, and each change of status, only once (§2.5)?
//!
//! Two entries with different ids are the same change if they have the same status and time. To reach a
//! status twice, a request must leave it, and then there is another entry at that time.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{AllowedValues, Operation};
use serde_json::Value;

use super::AnsweredExchange;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const VERIFIES: &[&str] = &["activity.entry-id-unique", "activity.each-change-once"];

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    if answered.operation() != Some(Operation::GetLegalRequestActivity) || !answered.is_success() {
        return Vec::new();
    }
    let body = answered.response.json.as_deref();
    let entries = body.and_then(|body| body.get("data")?.as_array());
    let Some(entries) = entries else { return Vec::new() };
    let mut findings = Vec::new();
    if entries.iter().any(|entry| id(entry).is_some()) {
        findings.push(("activity.entry-id-unique", ids_are_unique(entries)));
    }
    // A repeated entry is a mismatch of the check above only.
    let mut known = BTreeSet::new();
    let changes: Vec<StatusChange<'_>> = (entries.iter().enumerate())
        .filter(|(_, entry)| id(entry).is_none_or(|id| known.insert(id)))
        .filter_map(|(index, entry)| StatusChange::of(index, entry))
        .collect();
    if !changes.is_empty() {
        findings.push(("activity.each-change-once", changes_are_unique(&changes)));
    }
    findings
}

fn id(entry: &Value) -> Option<&str> {
    entry.get("id")?.as_str()
}

fn ids_are_unique(entries: &[Value]) -> Judgement {
    let mut known = BTreeSet::new();
    let mut ids = entries.iter().enumerate().filter_map(|(index, entry)| Some((index, id(entry)?)));
    match ids.find(|(_, id)| !known.insert(*id)) {
        None => Judgement::Holds,
        Some((index, id)) => Judgement::fails(
            MismatchKind::Duplicate,
            "an entry is in the log twice",
            "each id once",
            format!("{id:?} again"),
        )
        .at(format!("/data/{index}/id")),
    }
}

/// A change of status, with the members that distinguish it from others.
struct StatusChange<'a> {
    index: usize,
    at: &'a str,
    description: &'a str,
    comment: Option<&'a str>,
}

impl<'a> StatusChange<'a> {
    fn of(index: usize, entry: &'a Value) -> Option<Self> {
        let attributes = entry.get("attributes")?;
        let text = |name: &str| attributes.get(name).and_then(Value::as_str);
        (text("action")? == "status_change").then_some(())?;
        // Without the status, entries of one second may be different changes.
        let description = attributes.get("description");
        description.filter(|text| AllowedValues::NamesStatus.allows(text))?;
        Some(Self {
            index,
            at: text("created_at")?,
            description: text("description")?,
            comment: text("comment"),
        })
    }
}

fn changes_are_unique(changes: &[StatusChange<'_>]) -> Judgement {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for change in changes {
        let same = counts.entry((change.at, change.description, change.comment)).or_default();
        *same += 1;
        let is_other = |other: &&StatusChange<'_>| {
            other.at == change.at && other.description != change.description
        };
        let others = changes.iter().filter(is_other).count();
        if *same > others + 1 {
            return Judgement::fails(
                MismatchKind::Duplicate,
                "a change of status is in the log again, under another id",
                "one entry for each change",
                format!("{:?} at {} again", change.description, change.at),
            )
            .at(format!("/data/{}", change.index));
        }
    }
    Judgement::Holds
}
