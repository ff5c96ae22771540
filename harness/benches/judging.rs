//! The main work of a run, reading scenarios and judging a response: `cargo bench -p moot-harness`.
//!
//! References: counting the lines of the same files, and parsing the same response with serde_json.

use std::error::Error;
use std::hint::black_box;

use criterion::Criterion;
use moot_harness::scenario::load;
use moot_harness::verdict::check::{Document, Judgement, schema};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios"));
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        texts.extend(std::fs::read_to_string(entry?.path()));
    }
    criterion.bench_function("reference: lines of the bundled scenarios", |bench| {
        bench.iter(|| texts.iter().map(|text| black_box(text).lines().count()).sum::<usize>());
    });
    criterion.bench_function("bundled scenarios, read and validated", |bench| {
        bench.iter(|| load::bundled().map(|files| files.len()).unwrap_or_default());
    });
    let page = page();
    let bytes = page.to_string();
    let document = Document::of_value(page);
    let judge = || schema::judge("legal_request_list", black_box(&document));
    if let Judgement::Fails(mismatch) = judge() {
        return Err(format!("the page is not a page: {}", mismatch.message).into());
    }
    criterion.bench_function("reference: a page of 25, read as JSON", |bench| {
        bench.iter(|| serde_json::from_str::<Value>(black_box(&bytes)).is_ok());
    });
    criterion.bench_function("a page of 25, judged by its schema", |bench| {
        bench.iter(judge);
    });
    criterion.final_summary();
    Ok(())
}

/// A list of 25 requests (§4.6).
fn page() -> Value {
    let row = |number: u32| {
        json!({
            "id": format!("rq{number:08}"),
            "type": "legal_request",
            "attributes": {
                "name": format!("Mutual NDA — Sample Counterparty {number:03} Ltd"),
                "description": null,
                "status": "initial_review",
            },
        })
    };
    let pagination =
        json!({ "current_page": 1, "per_page": 25, "total_pages": 3, "total_count": 60 });
    json!({ "pagination": pagination, "data": (0..25).map(row).collect::<Vec<_>>() })
}
