//! Drills of lists: which pages the client read.

use moot_fixtures::conduct::DrillEnd;
use serde_json::{Value, json};

use super::{call, drill, run};
use crate::grading::drill::judge::judge;
use crate::grading::drill::recording::DrillRecording;

/// Reads of these pages of a list, of this number of pages.
fn paged(pages: &[(u64, u64)]) -> DrillRecording {
    run(&page_reads(1, "list", pages))
}

fn page_reads(serial: u64, name: &str, pages: &[(u64, u64)]) -> Vec<Value> {
    let calls = (serial..).zip(pages).map(|(serial, (page, pages))| {
        let mut call = call(serial, name, 200);
        call["response"] = json!({ "page": page, "pages": pages });
        call
    });
    calls.collect()
}

#[test]
fn a_client_that_stops_when_it_has_found_its_row_assumes_no_page_size() {
    let short_page = || {
        let mut run = paged(&[(1, 11)]);
        run.journal["worlds"][0]["exchanges"][0]["answer"] = json!(r#"{"data": [{"id": "r1"}]}"#);
        run
    };
    let findings = |calm: &DrillRecording| -> Vec<String> {
        let result = judge(drill("other-page-size"), calm, &short_page());
        result.findings.into_iter().map(|it| it.rule).collect()
    };
    assert_eq!(findings(&paged(&[(1, 3), (2, 3), (3, 3)])), ["assumes-25"]);
    assert_eq!(findings(&paged(&[(1, 3), (2, 3)])), ["first-page-only"]);
}

#[test]
fn pages_that_move_are_read_to_the_last_one() {
    let whole = paged(&[(1, 3), (2, 3), (3, 3)]);
    let first = paged(&[(1, 3)]);
    let searched = paged(&[(1, 3), (2, 3)]);
    let all = [(1, 3), (2, 4), (3, 4), (4, 4)];
    for (calm, pages, orders_done, expected) in [
        (&whole, &all[..], 2, DrillEnd::Held),
        (&whole, &all[..3], 2, DrillEnd::Failed),
        (&whole, &all[..1], 2, DrillEnd::NotReached),
        (&whole, &all, 1, DrillEnd::NotReached),
        // A client that stops early in the calm run too looks for something.
        (&searched, &all[..2], 2, DrillEnd::Held),
        (&first, &all, 2, DrillEnd::NotApplicable),
        // Pages that are read at the same time arrive in any order.
        (&whole, &[(1, 3), (3, 4), (4, 4), (2, 4)], 2, DrillEnd::Held),
        (&paged(&[(1, 3), (3, 3), (2, 3)]), &[(1, 3), (3, 4), (2, 4)], 2, DrillEnd::Failed),
    ] {
        let run = DrillRecording { orders_done, ..paged(pages) };
        let result = judge(drill("pages-move"), calm, &run);
        assert_eq!(result.end, expected, "{pages:?}: {}", result.why);
    }
}

#[test]
fn each_list_is_read_to_its_last_page_not_only_the_last_list() {
    let documents = page_reads(10, "list documents", &[(1, 1)]);
    let then_documents = |pages: &[(u64, u64)]| {
        let reads = [page_reads(1, "list", pages), documents.clone()].concat();
        DrillRecording { orders_done: 2, ..run(&reads) }
    };
    let calm = then_documents(&[(1, 3), (3, 3), (2, 3)]);
    let result = judge(drill("pages-move"), &calm, &then_documents(&[(1, 3), (3, 4), (2, 4)]));
    assert_eq!(result.end, DrillEnd::Failed);
    assert_eq!(result.why, "it stopped at page 3 of 4");
    let result = judge(drill("pages-move"), &calm, &then_documents(&[(1, 3), (4, 4), (2, 4)]));
    assert_eq!(result.end, DrillEnd::Held, "{}", result.why);
}
