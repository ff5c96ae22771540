//! Rows of a loop: number and order are data, what they were told is not.

use std::path::Path;

use moot_snapshots::{Comparison, Metadata, Rows, StoreMode, accept, list, pending};

const NAME: &str = "04_07_get_request/by-id__get";

fn metadata() -> Metadata {
    Metadata {
        scenario: "04_07_get_request/by-id".to_owned(),
        step: "GET /v1/requests/<id>".to_owned(),
        target_class: "mock in process".to_owned(),
        register_version: "1.0.0".to_owned(),
        source: "scenarios/04_07_get_request.yaml".to_owned(),
    }
}

/// What a run with these rows says of each: `=` the same, `+` recorded, `~` waits, `!` differs, `?` is not
/// there; then the number in the name.
fn run(dir: &Path, rows: &[&str], mode: StoreMode) -> String {
    let mut seen = Rows::default();
    let mut said = Vec::new();
    for content in rows {
        let (name, comparison) = seen.check(dir, NAME, &metadata(), content, mode);
        let sign = match comparison {
            Comparison::Match => '=',
            Comparison::Added => '+',
            Comparison::Updated => '~',
            Comparison::Mismatch { .. } => '!',
            Comparison::Missing { .. } => '?',
            Comparison::Error(why) => panic!("{why}"),
        };
        let number = name.rsplit_once("__").filter(|(_, end)| end.parse::<u32>().is_ok());
        said.push(format!("{sign}{}", number.map_or("1", |(_, end)| end)));
    }
    said.join(" ")
}

#[test]
fn rows_that_are_told_the_same_share_a_snapshot_in_any_number_and_order() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(run(dir.path(), &["a", "b", "a"], StoreMode::Check), "?1 ?2 ?1");
    assert_eq!(run(dir.path(), &["a", "b", "a"], StoreMode::Record), "+1 +2 =1");
    assert_eq!(list(dir.path()).expect("readable").len(), 2);
    for rows in [&["b", "a", "a", "b", "b"][..], &["a"], &["b"]] {
        let all = run(dir.path(), rows, StoreMode::Check);
        assert!(!all.contains(['!', '?']), "{all}");
        let again = run(dir.path(), rows, StoreMode::Record);
        assert!(!again.contains(['+', '~']), "{again}");
    }
}

#[test]
fn a_row_that_differs_from_all_is_a_difference_and_waits_for_a_decision() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    run(dir.path(), &["a", "b"], StoreMode::Record);
    assert_eq!(run(dir.path(), &["b", "c", "d", "a"], StoreMode::Check), "=2 !1 !3 =1");
    assert_eq!(run(dir.path(), &["c", "a", "d", "c"], StoreMode::Record), "~1 =1 ~3 =1");
    let waiting = pending(dir.path()).expect("readable");
    assert_eq!(waiting.len(), 2);
    assert!(waiting[0].diff.contains("-a") && waiting[0].diff.contains("+c"), "{waiting:?}");
    assert!(waiting[1].diff.contains("+d"), "{waiting:?}");
    // What no longer comes no longer waits.
    run(dir.path(), &["a", "d"], StoreMode::Record);
    let waiting = pending(dir.path()).expect("readable");
    assert_eq!(waiting.len(), 1);
    accept(&waiting[0]).expect("writable");
    assert_eq!(run(dir.path(), &["d", "b"], StoreMode::Check), "=1 =2");
}

#[test]
fn a_row_with_an_empty_list_is_like_one_that_knows_its_items() {
    let page = |items: &str| format!("HTTP 200\n\n{{\n  \"data\": [\n    \"{items}\"\n  ]\n}}");
    let (empty, full) = (page("(none)"), page("string"));
    for (rows, said) in [([&empty[..], &full], "+1 +1"), ([&full, &empty], "+1 =1")] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(run(dir.path(), &rows, StoreMode::Record), said, "nothing waits");
        assert_eq!(list(dir.path()).expect("readable").len(), 1);
        assert_eq!(run(dir.path(), &[&full, &empty], StoreMode::Check), "=1 =1");
        assert_eq!(run(dir.path(), &[&page("integer")], StoreMode::Check), "!1");
    }
}
