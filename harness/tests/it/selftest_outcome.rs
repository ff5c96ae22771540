//! The conditions for a passed self-test.

use moot_harness::selftest::SelftestOutcome;
use moot_harness::selftest::matrix::MatrixRow;
use moot_harness::selftest::score::MutationTest;

/// Checks a self-test whose matrix has only this row.
#[track_caller]
fn check(is_whole: bool, is_gating: bool, killed_by: &[&str], expected: bool) {
    let row = MatrixRow {
        requirement: "token.lifetime-7200".to_owned(),
        section: "2.8".to_owned(),
        is_gating,
        killed_by: killed_by.iter().map(|id| (*id).to_owned()).collect(),
    };
    let outcome = SelftestOutcome {
        version: "0.0.0",
        is_thorough: false,
        is_whole,
        is_deployed: false,
        defects: Vec::new(),
        mutation: MutationTest::default(),
        matrix: vec![row],
        unproven_as_deployment: None,
        combined: Vec::new(),
        alone: Vec::new(),
        degenerate: Vec::new(),
    };
    assert_eq!(outcome.is_proven(), expected);
}

#[test]
fn a_gating_row_without_a_killer_is_a_failure_where_every_defect_was_tried() {
    check(true, true, &["token.lifetime-3600"], true);
    check(true, true, &[], false);
    check(true, false, &[], true);
    check(false, true, &[], true);
}
