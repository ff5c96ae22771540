//! A step's response beside its snapshot: a difference is drift, never a violation.

use std::sync::Arc;

use moot_fixtures::contract::Operation;
use moot_fixtures::stored;
use moot_snapshots::{Comparison, Metadata, Mode, RawResponse, Recorded, Stored};

use crate::exchange::Exchange;
use crate::scenario::model::{Place, SnapshotRule};
use crate::verdict::Verdict;
use crate::verdict::check::{Document, MismatchKind};
use crate::verdict::result::{CheckResult, Subject};

use super::scenario_walk::ScenarioWalk;
use super::snapshots_seen::{SnapshotMode, SnapshotState};

/// Compares or records; nothing where snapshots are off.
pub(super) fn judge(
    walk: &mut ScenarioWalk<'_>,
    rule: &SnapshotRule,
    document: &Document,
    exchange: &Arc<Exchange>,
) -> Option<CheckResult> {
    let mode = walk.shared.options.snapshots;
    let folder =
        walk.shared.options.snapshot_dir.as_deref().filter(|_| mode != SnapshotMode::Off)?;
    let content = content(walk, rule, document, exchange);
    let metadata = Metadata {
        scenario: scenario(walk),
        step: step(walk).to_owned(),
        target_class: walk.shared.target.description().class.to_string(),
        register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
        source: walk.planned.scenario.at.file.to_string(),
    };
    let writes = if mode == SnapshotMode::Record { Mode::Record } else { Mode::Check };
    let (name, is_row) = (name(walk), walk.is_row);
    let mut seen = walk.shared.snapshots_seen.lock();
    let (name, comparison) = match is_row {
        true => seen.rows.check(folder, &name, &metadata, &content, writes),
        false => {
            let comparison = moot_snapshots::check(folder, &name, &metadata, &content, writes);
            (name, comparison)
        }
    };
    let came = seen.used.entry(name.clone()).or_insert(SnapshotState::Same);
    *came = (*came).max(SnapshotState::of(&comparison));
    if let Comparison::Missing { new } | Comparison::Mismatch { new, .. } = &comparison {
        let recorded = Recorded { name: name.clone(), metadata, content: new.clone() };
        seen.new.insert(name.clone(), recorded);
    }
    drop(seen);
    let mut result = walk.origin().blank(&name, None, Some(Arc::clone(exchange)));
    result.subject = Subject::Snapshot(name.into());
    result.section = walk.planned.file.section.clone().into();
    result.place = Some(walk.planned.scenario.at.clone());
    verdict(&mut result, comparison, mode);
    Some(result)
}

fn content(
    walk: &mut ScenarioWalk<'_>,
    rule: &SnapshotRule,
    document: &Document,
    exchange: &Arc<Exchange>,
) -> String {
    let redact: Vec<String> = rule.redact.iter().filter_map(pointer).collect();
    // A sandbox has another address in each run, and the tag is the run's own.
    if let Some(base) = exchange.request.url.strip_suffix(exchange.request.path.as_str()) {
        walk.placeholders.hide_base(base);
    }
    walk.placeholders.hide(&walk.shared.options.target.run_tag, "tag");
    let told = RawResponse {
        status: document.status.unwrap_or(0),
        headers: &document.headers,
        json: document.json.as_deref(),
        text: &String::from_utf8_lossy(&document.body),
    };
    let content = walk.placeholders.response(told, &stored(document), &redact);
    walk.shared.options.masks.mask(&content)
}

/// Which places of this answer hold what somebody stored: those of the documented success.
fn stored(document: &Document) -> Stored {
    let is_success = document.status.is_some_and(|status| (200..300).contains(&status));
    let schema = document.operation.filter(|_| is_success).and_then(Operation::success_schema);
    let places = schema.map_or(&[][..], stored::places).iter();
    Stored::new(places.map(|place| (place.path.clone(), place.types.clone())))
}

fn verdict(result: &mut CheckResult, comparison: Comparison, mode: SnapshotMode) {
    match comparison {
        Comparison::Match | Comparison::Added | Comparison::Updated => {
            result.verdict = Verdict::Pass;
        }
        Comparison::Missing { .. } | Comparison::Mismatch { .. }
            if mode == SnapshotMode::Collect =>
        {
            result.verdict = Verdict::Pass;
        }
        Comparison::Missing { .. } => {
            result.verdict = Verdict::Drift;
            result.mismatch = Some(MismatchKind::Absent);
            "the step has no snapshot; record it with --snapshots record"
                .clone_into(&mut result.message);
        }
        Comparison::Mismatch { diff, changes, .. } => {
            result.changes = changes;
            result.verdict = Verdict::Drift;
            "the response differs from its snapshot".clone_into(&mut result.message);
            result.actual = diff;
        }
        Comparison::Error(why) => {
            result.verdict = Verdict::Error;
            result.message = format!("the snapshot can't be used: {why}");
        }
    }
}

fn pointer(place: &Place) -> Option<String> {
    let text = match place {
        Place::Pointer(text) => text,
        _ => return None,
    };
    match text.pieces.as_slice() {
        [crate::scenario::model::TextPiece::Literal(pointer)] => Some(pointer.clone()),
        _ => None,
    }
}

/// `STEM/SCENARIO__STEP`, in characters that every file system takes. Rows of a loop over what the target
/// holds share the name: their identifiers and their number are others tomorrow. Other rows of a loop
/// within a scenario are counted.
fn name(walk: &mut ScenarioWalk<'_>) -> String {
    let full = scenario(walk);
    let scenario = full.split_once('/').map_or(full.as_str(), |(_, name)| name);
    let step = stem_of(&walk.label);
    let stem = slug(&walk.planned.file.stem);
    let name = format!("{stem}/{}__{}", slug(scenario), slug(step));
    if walk.is_row {
        return name;
    }
    let count = walk.snapshot_names.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}__{count}") }
}

/// The step, without its row where that is one of the target's.
fn step<'a>(walk: &'a ScenarioWalk<'_>) -> &'a str {
    if walk.is_row { stem_of(&walk.label) } else { &walk.label }
}

/// A label without row and count.
fn stem_of(label: &str) -> &str {
    label.split(['[', '#']).next().unwrap_or(label).trim_end()
}

/// The scenario, with its row where the scenario file names that.
fn scenario(walk: &ScenarioWalk<'_>) -> String {
    let is_written =
        walk.planned.scenario.for_each.as_ref().is_some_and(|rows| rows.rows.is_written());
    if is_written { walk.name.to_string() } else { walk.planned.name() }
}

/// A text in characters that every file system takes.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || character == '-' {
            slug.push(character);
        } else if !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_are_made_of_what_every_file_system_takes() {
        assert_eq!(slug("from-schema[read write]"), "from-schema_read_write");
        assert_eq!(slug("POST /v1/requests"), "POST_v1_requests");
    }
}
