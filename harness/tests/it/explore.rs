//! `explore()` finds nothing wrong with the mock, whatever its answers are, and finds its defects.

use std::collections::BTreeSet;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use moot_harness::explore::{Exploration, ExploreOptions, explore};
use moot_harness::run::RunOptions;
use moot_harness::run::environment::{TargetChoice, TargetOptions};

fn options(seed: u64, answers: Option<&Answers>, defects: &[&str]) -> RunOptions {
    let target = TargetOptions {
        seed,
        answers: answers.cloned(),
        defects: defects.iter().map(|id| (*id).to_owned()).collect(),
        run_tag: "moot-00000001".to_owned(),
        ..TargetOptions::default()
    };
    RunOptions { jobs: Some(4), ..RunOptions::new(TargetChoice::InProcess, target, Vec::new()) }
}

async fn explored(
    seed: u64,
    cases: u64,
    (target, model): (Option<&Answers>, Option<&Answers>),
    defects: &[&str],
) -> Exploration {
    let options = ExploreOptions {
        target: options(seed, target, defects),
        model: options(seed, model, &[]),
        cases,
        stem: "explored".to_owned(),
    };
    explore(options, std::sync::Arc::default(), |_| {})
        .await
        .expect("every drawn case is a scenario")
}

fn said(explored: &Exploration) -> Vec<String> {
    let checks = explored.violations.iter().filter_map(|violation| violation.check());
    checks.map(|(step, check)| format!("{}: {} {check:?}", step.name, check.id())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mock_survives_with_any_answers_and_is_its_own_model() {
    let sets = [(answers::default().clone(), 40), (answers::documented().clone(), 20)];
    let drawn = (1..=4).map(|seed| (answers::draw(seed), 8));
    for (seed, (set, cases)) in (1..).zip(sets.into_iter().chain(drawn)) {
        let found = explored(seed, cases, (Some(&set), Some(&set)), &[]).await;
        assert_eq!(found.result.exit_code(), 0, "{seed}: {:#?}", said(&found));
        assert_eq!((found.cases, found.walked), (cases, cases), "{seed}: {:?}", found.not_walked);
        assert!(found.differences.is_empty(), "{seed}: {:?}", found.differences);
        assert_eq!(found.file(), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_answers_are_differences_and_no_violations() {
    let mut other = answers::default().clone();
    other.other_company = 403;
    other.not_found_type.problem_type = "not_found".to_owned();
    let found = explored(3, 40, (Some(&other), None), &[]).await;
    assert_eq!(found.result.exit_code(), 0, "{:#?}", said(&found));
    let what: BTreeSet<&str> = found.differences.keys().map(|(_, what)| what.as_str()).collect();
    assert!(what.contains("answers 403 forbidden, the model 404 request_not_found"), "{what:?}");
    assert!(what.contains("answers 404 not_found, the model 404 request_not_found"), "{what:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_defect_is_found_once_and_reduced_to_the_smallest_case() {
    for (defect, requirement) in [
        ("activity.description-missing", "get-legal-request-activity.shape"),
        ("token.lifetime-text", "token.lifetime-7200"),
    ] {
        let found = explored(1, 60, (None, None), &[defect]).await;
        assert_eq!(found.result.exit_code(), 1, "{defect}");
        let violation = found
            .violations
            .iter()
            .find(|it| it.requirement == requirement)
            .unwrap_or_else(|| panic!("{defect}: {:#?}", said(&found)));
        assert_eq!(violation.case.acts.len(), 1, "{defect}: {:?}", violation.case);
        assert!(violation.curl().iter().all(|line| line.contains("curl -sS")), "{defect}");
        let requirements: BTreeSet<_> = found.violations.iter().map(|it| &it.requirement).collect();
        assert_eq!(requirements.len(), found.violations.len(), "each once");
        assert!(found.file().is_some_and(|text| text.contains("case-")), "{defect}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_drawn_service_fails() {
    for seed in 101..=108 {
        let set = answers::draw(seed);
        let found = explored(seed, 8, (Some(&set), None), &[]).await;
        assert_eq!(found.result.exit_code(), 0, "{seed}: {:#?}", said(&found));
        assert_eq!(found.walked, 8, "{seed}: {:?}", found.not_walked);
    }
}

/// Defects of which no implicit check knows: an act of their own has to come across them.
#[tokio::test(flavor = "multi_thread")]
async fn a_defect_that_only_one_act_shows_is_found() {
    for (defect, requirement) in [
        ("requests.filter-misses", "list-legal-requests.filter-does-not-miss"),
        ("isolation.upload-shared", "isolation.create-repository-document"),
        ("create.required-fields-optional", "create-legal-request.required-field"),
        ("upload.private-address-taken", "create-repository-document.private-addresses-blocked"),
    ] {
        let found = explored(1, 80, (None, None), &[defect]).await;
        let names: Vec<&str> = found.violations.iter().map(|it| it.requirement.as_str()).collect();
        assert!(names.contains(&requirement), "{defect}: {names:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_draws_and_finds_the_same() {
    let one = explored(5, 20, (None, None), &["activity.description-missing"]).await;
    let two = explored(5, 20, (None, None), &["activity.description-missing"]).await;
    assert_eq!(one.file(), two.file());
    assert!(one.file().is_some());
    let other = explored(6, 20, (None, None), &["activity.description-missing"]).await;
    assert_ne!(one.file(), other.file());
}
