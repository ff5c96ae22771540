//! The kill matrix in docs/self-proof.md is up to date: it has each gating requirement and each defect.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_harness::selftest::markdown;
use moot_mock::defect;

/// The first code span of each line below a heading, with the whole line.
fn rows(page: &str, heading: &str) -> Vec<(String, String)> {
    let below = page.split_once(heading).map_or("", |(_, below)| below);
    let table = below.lines().take_while(|line| !line.starts_with('#') && *line != markdown::END);
    table.filter_map(|line| Some((line.split('`').nth(1)?.to_owned(), line.to_owned()))).collect()
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/self-proof.md");
    let page = fs::read_to_string(path).expect("the page is there");
    let (_, rest) = page.split_once(markdown::BEGIN).expect("it has the first marker");
    rest.to_owned()
}

#[test]
fn every_gating_row_is_on_the_page_with_a_defect_that_exists() {
    let page = page();
    let known: BTreeSet<&str> = defect::all().iter().map(|defect| defect.id.as_str()).collect();
    let mut gating = BTreeSet::new();
    for (id, line) in rows(&page, "### Rows") {
        let row = register::get(&id).unwrap_or_else(|| panic!("no row `{id}`: {line}"));
        let is_gating = line.contains("| yes |");
        assert_eq!(is_gating, row.level == Level::Stated, "{line}");
        let killers: Vec<&str> = line.split('`').skip(3).step_by(2).collect();
        assert!(!is_gating || !killers.is_empty(), "no defect: {line}");
        assert!(killers.iter().all(|killer| known.contains(killer)), "{line}");
        if is_gating {
            gating.insert(id);
        }
    }
    let stated: BTreeSet<String> = register::all()
        .iter()
        .filter(|row| row.level == Level::Stated && row.unverifiable.is_none())
        .map(|row| row.id.clone())
        .collect();
    assert_eq!(gating, stated, "moot selftest --report markdown=docs/self-proof.md");
}

#[test]
fn every_defect_is_on_the_page_and_caught() {
    let rows = rows(&page(), "### Defects");
    let shown: Vec<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
    let known: Vec<&str> = defect::all().iter().map(|defect| defect.id.as_str()).collect();
    assert_eq!(shown, known, "moot selftest --report markdown=docs/self-proof.md");
    for (id, line) in &rows {
        assert!(line.split('`').nth(3).is_some(), "{id} is not caught");
    }
}
