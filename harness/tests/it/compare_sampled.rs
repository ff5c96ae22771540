//! Sampled defects and answers on one side of a comparison, in process. Each is reported in its class, without other
//! differences. With the sides swapped, the report names the other side.

use std::sync::Arc;

use moot_fixtures::answers;
use moot_harness::compare::{
    ComparisonPlan, DifferenceClass, RunReadings, SideRun, TargetComparison, compare,
};
use moot_harness::run::environment::{TargetChoice, TargetOptions};
use moot_harness::run::{RunOptions, run};
use moot_harness::scenario::load;
use moot_harness::verdict::result::Event;

/// Files with fast scenarios that show many differences.
const SELECTORS: [&str; 11] = [
    "02_resources",
    "02_07_pagination",
    "04_01_create_access_token",
    "04_03_get_workflow",
    "04_06_list_legal_requests",
    "04_07_get_legal_request",
    "04_08_get_legal_request_activity",
    "04_11_get_repository_document",
    "04_13_delete_webhook",
    "05_isolation",
    "07_errors",
];

/// Defects, each with a requirement that it breaks. Those of one run are independent.
const DEFECTS: [[(&str, &str); 2]; 5] = [
    [
        ("page.one-short", "pagination.full-until-last"),
        ("problem.status-text", "errors.member-status"),
    ],
    [
        ("page.total-count-of-page", "pagination.total-count-agrees"),
        ("delete-webhook.unknown-is-400", "delete-webhook.unknown-404"),
    ],
    [
        ("workflow.bare", "get-workflow.shape"),
        ("delete-webhook.stays-listed", "delete-webhook.gone-from-list"),
    ],
    [
        ("request.status-203", "get-legal-request.status-200"),
        ("documents.get-bare", "get-repository-document.shape"),
    ],
    [
        ("request.another", "get-legal-request.returns-the-asked"),
        ("isolation.workflow-read", "isolation.get-workflow"),
    ],
];

/// Answers that differ from the default ones, by question. Those of one run are independent.
const ANSWERS: [[&str; 3]; 4] = [
    ["list_order: oldest_first", "other_company: 403", "webhook_delete_status: 200"],
    [
        "per_page: 20",
        "problem_content_type: application/json",
        "token_failure_status: { invalid_client: 400, other: 400 }",
    ],
    ["instance_prefix: false", "page_past_end: not_found", "timestamps: milliseconds"],
    [
        "activity_paginated: true",
        "other_errors: { unknown_path: 404, wrong_method: 404, wrong_media_type: 422, too_large: 413 }",
        "status_filter_unknown: ignored",
    ],
];

/// A run of these scenarios with these options. Without a selector it runs all scenarios.
async fn side(word: &str, target: TargetOptions, selectors: &[&str]) -> SideRun {
    let files = Arc::new(load::bundled().expect("the bundled suite is sound"));
    let target = TargetOptions { seed: 7, run_tag: "moot-00000007".to_owned(), ..target };
    let options = RunOptions {
        selectors: selectors.iter().map(ToString::to_string).collect(),
        jobs: Some(4),
        ..RunOptions::new(TargetChoice::InProcess, target, files)
    };
    let told = Arc::new(RunReadings::new("moot-00000007"));
    let listener = Arc::clone(&told);
    let result = run(options, move |event: Event| listener.add(&event)).await;
    SideRun::new(word, result, &told)
}

fn held(a: &SideRun, b: &SideRun) -> TargetComparison {
    let asked = ComparisonPlan { seed: 7, selectors: Vec::new(), reproduce: String::new() };
    compare(a, b, asked)
}

/// The differences with their classes.
fn rows(comparison: &TargetComparison) -> Vec<(DifferenceClass, String)> {
    comparison.differences.iter().map(|one| (one.class, one.subject.clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_defect_on_a_side_is_reported_as_a_violation_of_that_side() {
    let sound = side("sound", TargetOptions::default(), &SELECTORS).await;
    for pair in DEFECTS {
        let defects = pair.map(|(defect, _)| defect.to_owned());
        let target = TargetOptions { defects: defects.to_vec(), ..TargetOptions::default() };
        let erring = side("erring", target, &SELECTORS).await;
        for (a, b, class) in [
            (&sound, &erring, DifferenceClass::BViolates),
            (&erring, &sound, DifferenceClass::AViolates),
        ] {
            let comparison = held(a, b);
            // Another object has another id. Its own finding says which side is right.
            let by_id = (DifferenceClass::Undecidable, "member legal_request/id".to_owned());
            let rows: Vec<_> = rows(&comparison).into_iter().filter(|row| *row != by_id).collect();
            assert_eq!(comparison.exit_code, 1, "{defects:?}: {rows:?}");
            for (_, requirement) in pair {
                assert!(rows.contains(&(class, requirement.to_owned())), "{defects:?}: {rows:?}");
            }
            assert!(rows.iter().all(|(found, _)| *found == class), "{defects:?}: {rows:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_answer_is_reported_only_as_that_answer() {
    let one = side("default", TargetOptions::default(), &SELECTORS).await;
    for lines in ANSWERS {
        let answers = answers::parse(&lines.join("\n")).expect("they are allowed");
        let target = TargetOptions { answers: Some(answers), ..TargetOptions::default() };
        let other = side("other", target, &SELECTORS).await;
        let ids = lines.map(|line| line.split(':').next().expect("a question"));
        let expected = ids.map(|id| (DifferenceClass::BothAllowed, id.to_owned()));
        let comparison = held(&one, &other);
        assert_eq!(rows(&comparison), expected, "{lines:?}");
        assert_eq!(comparison.exit_code, 5, "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_of_the_whole_suite_on_one_service_have_no_difference() {
    let one = side("one", TargetOptions::default(), &[]).await;
    let other = side("other", TargetOptions { ..TargetOptions::default() }, &[]).await;
    let comparison = held(&one, &other);
    assert_eq!(rows(&comparison), [], "nothing differs");
    assert_eq!(comparison.exit_code, 0, "{:?}", comparison.not_compared);
    assert!(comparison.compared.checks > 10_000, "{:?}", comparison.compared);
}
