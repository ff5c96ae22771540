//! Reading a ledger: what runs left on a deployment.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::exchange::Residue;

/// An object that a run made, or may have made, and that nobody deleted since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftObject {
    /// What it is, with its run and its scenario.
    pub residue: Residue,
    /// The application that made it, as the target file names it.
    pub application: String,
    /// The number of its row in its run.
    pub row: usize,
}

/// What a ledger says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerContent {
    /// Left on the target, the oldest first.
    pub left: Vec<LeftObject>,
    /// Base addresses of other targets in the same file.
    pub other_targets: BTreeSet<String>,
    /// Numbers of lines that are not rows: a run was killed while it wrote them.
    pub unreadable: Vec<usize>,
}

/// A line of a ledger.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LedgerLine {
    /// When it was written.
    #[serde(default)]
    pub(crate) at: String,
    /// The version of Moot that wrote it.
    #[serde(default)]
    pub(crate) moot_version: String,
    /// The base address.
    pub(crate) target: String,
    /// The tag of the run that made the object.
    pub(crate) run: String,
    pub(crate) row: usize,
    pub(crate) what: LedgerEvent,
    pub(crate) kind: String,
    pub(crate) scenario: String,
    pub(crate) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) application: Option<String>,
}

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LedgerEvent {
    Creating,
    Created,
    Unknown,
    Refused,
    #[serde(rename = "not sent")]
    NotSent,
    Deleted,
}

/// What the runs on this target left, by the text of a ledger.
pub(crate) fn read(text: &str, target: &str) -> LedgerContent {
    let mut content = LedgerContent::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<LedgerLine>(line) {
            Err(_) => content.unreadable.push(index + 1),
            Ok(line) if line.target != target => {
                content.other_targets.insert(line.target);
            }
            Ok(line) => apply(&mut content.left, line),
        }
    }
    content
}

fn apply(left: &mut Vec<LeftObject>, line: LedgerLine) {
    let is_row = |it: &LeftObject| it.residue.tag == line.run && it.row == line.row;
    match line.what {
        LedgerEvent::Creating => left.push(LeftObject {
            residue: Residue { kind: line.kind, id: None, tag: line.run, scenario: line.scenario },
            application: line.application.unwrap_or_else(|| "main".to_owned()),
            row: line.row,
        }),
        LedgerEvent::Created => {
            if let Some(object) = left.iter_mut().rev().find(|it| is_row(it)) {
                object.residue.id = line.id;
            }
        }
        LedgerEvent::Unknown => {}
        LedgerEvent::Refused | LedgerEvent::NotSent => {
            if let Some(at) = left.iter().rposition(is_row) {
                left.remove(at);
            }
        }
        LedgerEvent::Deleted => left.retain(|it| {
            let is_same = it.residue.id.is_some() && it.residue.id == line.id;
            !(is_same && it.residue.kind == line.kind)
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read;

    const TARGET: &str = "https://legal.example.com/api";

    fn line(run: &str, row: usize, what: &str, kind: &str, id: Option<&str>) -> Value {
        json!({
            "at": "2026-11-22T10:00:00Z", "target": TARGET, "run": run, "row": row, "what": what,
            "kind": kind, "scenario": "s/a", "application": "writer", "id": id,
        })
    }

    #[test]
    fn what_was_made_and_not_deleted_is_left() {
        let lines = [
            line("moot-1", 0, "creating", "webhook", None),
            line("moot-1", 0, "created", "webhook", Some("w0")),
            line("moot-1", 1, "creating", "webhook", None),
            line("moot-1", 1, "created", "webhook", Some("w1")),
            line("moot-1", 2, "creating", "webhook", None),
            line("moot-1", 2, "refused", "webhook", None),
            line("moot-1", 3, "creating", "legal_request", None),
            line("moot-1", 3, "unknown", "legal_request", None),
            line("moot-2", 0, "creating", "webhook", None),
            line("moot-2", 0, "not sent", "webhook", None),
            line("moot-1", 0, "deleted", "webhook", Some("w0")),
        ];
        let mut other = line("moot-3", 0, "creating", "webhook", None);
        other["target"] = json!("https://other.example.com");
        let text: String = lines.iter().chain([&other]).map(|line| format!("{line}\n")).collect();
        let content = read(&format!("{text}{{\"at\": \"2026"), TARGET);
        let left: Vec<(&str, Option<&str>, &str)> = content
            .left
            .iter()
            .map(|it| (&*it.residue.kind, it.residue.id.as_deref(), &*it.application))
            .collect();
        assert_eq!(left, [("webhook", Some("w1"), "writer"), ("legal_request", None, "writer")]);
        assert_eq!(content.unreadable, [13]);
        assert_eq!(content.other_targets.len(), 1);
    }
}
