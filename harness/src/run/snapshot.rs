//! A step's response beside its snapshot: a difference is drift, never a violation.

use std::path::PathBuf;
use std::sync::Arc;

use moot_snapshots::{Comparison, Metadata, Mode};

use crate::check::Document;
use crate::exchange::Exchange;
use crate::run::result::{CheckResult, Subject};
use crate::scenario::model::{Place, SnapshotRule};
use crate::verdict::Verdict;

use super::scenario::Walk;

/// What is done with snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Compared; a difference is drift.
    Check,
    /// Written.
    Record,
    /// Left alone.
    Off,
}

/// Compares or records; nothing where snapshots are off.
pub(super) fn judge(
    walk: &mut Walk<'_>,
    rule: &SnapshotRule,
    document: &Document,
    label: &str,
    exchange: &Arc<Exchange>,
) -> Option<CheckResult> {
    let (mode, folder) = match (walk.shared.snapshots, &walk.shared.snapshot_dir) {
        (SnapshotMode::Off, _) | (_, None) => return None,
        (SnapshotMode::Check, Some(folder)) => (Mode::Check, folder.clone()),
        (SnapshotMode::Record, Some(folder)) => (Mode::Record, folder.clone()),
    };
    let redact: Vec<String> = rule.redact.iter().filter_map(pointer).collect();
    // A sandbox has another address in each run, and the tag is the run's own.
    if let Some(base) = exchange.request.url.strip_suffix(exchange.request.path.as_str()) {
        walk.placeholders.hide_base(base);
    }
    walk.placeholders.hide(&walk.shared.run_tag, "tag");
    let content = walk.placeholders.response(
        document.status.unwrap_or(0),
        &document.headers,
        document.json.as_deref(),
        &String::from_utf8_lossy(&document.body),
        &redact,
    );
    let content = walk.shared.masks.mask(&content);
    let (dir, name) = place(walk, folder, label);
    let metadata = Metadata {
        scenario: walk.name.clone(),
        step: label.to_owned(),
        target_class: walk.shared.target.description().class,
        register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
        source: walk.planned.scenario.at.file.to_string(),
    };
    let comparison = moot_snapshots::check(&dir, &name, &metadata, &content, mode);
    let mut result = walk.standing(label).blank(&name, None, Some(Arc::clone(exchange)));
    result.id = format!("{}/{label}/snapshot", walk.name);
    result.subject = Subject::Snapshot(name);
    result.section.clone_from(&walk.planned.file.section);
    result.place = Some(walk.planned.scenario.at.clone());
    verdict(&mut result, comparison);
    Some(result)
}

fn verdict(result: &mut CheckResult, comparison: Comparison) {
    match comparison {
        Comparison::Match | Comparison::Added | Comparison::Updated => {
            result.verdict = Verdict::Pass;
        }
        Comparison::Missing { .. } => {
            result.verdict = Verdict::Drift;
            "the step has no snapshot; record it with --snapshots record"
                .clone_into(&mut result.message);
        }
        Comparison::Mismatch { diff, .. } => {
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
        [crate::scenario::model::Piece::Literal(pointer)] => Some(pointer.clone()),
        _ => None,
    }
}

/// `<folder>/<file stem>/<scenario>__<step>`, in characters that every file system takes.
fn place(walk: &Walk<'_>, folder: PathBuf, label: &str) -> (PathBuf, String) {
    let scenario = walk.name.split_once('/').map_or(walk.name.as_str(), |(_, name)| name);
    let name = format!("{}__{}", slug(scenario), slug(label));
    (folder.join(&walk.planned.file.stem), name)
}

fn slug(text: &str) -> String {
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
