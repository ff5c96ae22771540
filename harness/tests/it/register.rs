//! The register, the scenarios and the implicit checks have the same requirements. Every requirement has a check or a
//! reason, and every check has a requirement.

use std::collections::BTreeSet;

use moot_fixtures::contract::{Level, Requirement};
use moot_fixtures::{questions, register};
use moot_harness::run::LIST_LAG;
use moot_harness::scenario::declared;
use moot_harness::verdict::check::implicit;

use crate::scenario_bundled::bundled;

/// Requirements that a check verifies: explicit checks of the bundled scenarios, and implicit checks.
fn verified() -> BTreeSet<String> {
    let explicit = bundled().into_iter().flat_map(|file| file.scenarios);
    explicit
        .flat_map(|scenario| declared::requirements(&scenario.steps))
        .chain(implicit_ids().map(str::to_owned))
        .collect()
}

fn observed() -> BTreeSet<String> {
    let scenarios = bundled().into_iter().flat_map(|file| file.scenarios);
    scenarios
        .flat_map(|scenario| declared::questions(&scenario.steps))
        .chain([LIST_LAG.to_owned()])
        .collect()
}

fn implicit_ids() -> impl Iterator<Item = &'static str> {
    implicit::TABLE.iter().flat_map(|row| row.verifies.iter().copied())
}

/// The rows for which `is` holds, one per line.
fn rows(is: impl Fn(&Requirement) -> bool) -> String {
    let ids = register::all().iter().filter(|row| is(row)).map(|row| format!("{}\n", row.id));
    ids.collect()
}

#[test]
fn every_row_has_a_check_or_a_reason() {
    let (verified, observed) = (verified(), observed());
    let unchecked = rows(|row| {
        row.unverifiable.is_none()
            && match row.level {
                Level::Open => !row.question.as_ref().is_some_and(|q| observed.contains(q)),
                Level::Stated | Level::Inherited | Level::Example => !verified.contains(&row.id),
            }
    });
    assert!(unchecked.is_empty(), "rows without a check or a reason:\n{unchecked}");
}

#[test]
fn a_row_with_a_check_has_no_excuse() {
    let verified = verified();
    let excused = rows(|row| row.unverifiable.is_some() && verified.contains(&row.id));
    assert!(excused.is_empty(), "rows that are checked and called unverifiable:\n{excused}");
}

#[test]
fn every_check_has_a_row() {
    let unknown: Vec<String> =
        verified().into_iter().filter(|id| register::get(id).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn no_check_expects_an_answer_to_an_open_question() {
    let verified = verified();
    let open = rows(|row| row.level == Level::Open && verified.contains(&row.id));
    assert!(open.is_empty(), "open rows with an expectation:\n{open}");
}

#[test]
fn an_implicit_requirement_has_one_row_of_the_table() {
    let mut ids: Vec<&str> = implicit_ids().collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn every_question_of_a_row_exists() {
    let unknown = rows(|row| row.question.as_ref().is_some_and(|q| questions::get(q).is_none()));
    assert!(unknown.is_empty(), "rows of unknown questions:\n{unknown}");
}
