//! What the ledger of a target says is left, and rows of several runs.

use serde_json::{Value, json};

use super::{Ledger, read_ledger};

const TARGET: &str = "https://legal.example.com/api";

fn line(run: &str, row: usize, what: &str, kind: &str, id: Option<&str>) -> Value {
    json!({
        "at": "2026-11-22T10:00:00Z", "target": TARGET, "run": run, "row": row, "what": what,
        "kind": kind, "scenario": "s/a", "application": "writer", "id": id,
    })
}

#[test]
fn created_and_not_deleted_objects_are_left() {
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
    let content = read_ledger(&format!("{text}{{\"at\": \"2026"), TARGET);
    let left: Vec<(&str, Option<&str>, &str)> = content
        .left
        .iter()
        .map(|it| (&*it.residue.kind, it.residue.id.as_deref(), &*it.application))
        .collect();
    assert_eq!(left, [("webhook", Some("w1"), "writer"), ("legal_request", None, "writer")]);
    assert_eq!(content.unreadable, [13]);
    assert_eq!(content.other_targets.len(), 1);
}

#[test]
fn runs_at_the_same_time_write_whole_lines() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("ledger.ndjson");
    let (runs, rows) = (["moot-1", "moot-2", "moot-3"], 300);
    std::thread::scope(|scope| {
        for run in runs {
            let ledger = Ledger::open(&path, run, TARGET).expect("writable");
            scope.spawn(move || {
                for _ in 0..rows {
                    ledger.begin("webhook", &"a/b".into(), "main").expect("written");
                }
            });
        }
    });
    let text = std::fs::read_to_string(&path).expect("readable");
    let content = read_ledger(&text, TARGET);
    assert_eq!((content.left.len(), content.unreadable), (runs.len() * rows, Vec::new()));
}

#[test]
fn the_moves_of_the_clock_of_a_target_are_added_up() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("ledger.ndjson");
    let open = |target| Ledger::open(&path, "moot-1", target).expect("writable");
    for (target, seconds) in [(TARGET, 7200), ("https://other.example.com", 10), (TARGET, 60)] {
        open(target).clock_moved(seconds);
    }
    assert_eq!(open(TARGET).clock_moved_seconds, 7260);
    let text = std::fs::read_to_string(&path).expect("readable");
    assert_eq!(read_ledger(&text, TARGET).unreadable, [0; 0]);
}
