//! Merging the parts of a run gives exactly the reports of one run, for 1, 2, 3 and 8 shards in any order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use moot_harness::report::terminal::Detail;
use moot_harness::report::{Format, render};
use moot_harness::run::environment::Shard;
use moot_harness::run::part::PartScope;
use moot_harness::run::part_files::{PartSet, read_run};
use moot_harness::run::{RunOptions, run};
use moot_harness::scenario::load;
use moot_harness::scenario::model::ScenarioFile;
use moot_harness::verdict::result::RunResult;
use regex::Regex;

use crate::shards_support::{options, plan_of, suite, walked, without_times, written};

const FORMATS: [Format; 6] =
    [Format::Text, Format::Json, Format::Junit, Format::Markdown, Format::Github, Format::Html];

/// Numbers of shards, the largest last.
const SHARDS: [u16; 4] = [1, 2, 3, SHARDS_MAX];
const SHARDS_MAX: u16 = 8;

/// Defects of the mock, so that there are findings of several kinds.
const DEFECTS: [&str; 2] = ["problem.title-missing", "problem.instance-root"];

/// Times in the responses of the mock. Its clock is real.
fn timeless(text: &str) -> String {
    let iso = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z").expect("a pattern");
    let http = Regex::new(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT");
    let text = iso.replace_all(text, "TIME");
    http.expect("a pattern").replace_all(&text, "TIME").into_owned()
}

fn reports(result: RunResult) -> Vec<(Format, String)> {
    let result = without_times(result);
    let rendered =
        |format| timeless(&render(format, &result, Detail::Verbose).expect("it renders"));
    FORMATS.map(|format| (format, rendered(format))).into()
}

/// The reports of the merged parts in these folders.
fn merged(dirs: &[PathBuf], lists_checks: bool) -> RunResult {
    let set = PartSet::read(dirs, false).expect("parts of one run");
    read_run(&set).expect("whole parts").shortened(lists_checks).concluded(PartScope::Whole)
}

#[track_caller]
fn assert_same(expected: &[(Format, String)], found: &[(Format, String)], what: &str) {
    for ((format, expected), (_, found)) in expected.iter().zip(found) {
        if expected == found {
            continue;
        }
        let at = expected.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            let bytes = text.as_bytes();
            let (from, to) = (at.saturating_sub(200).min(bytes.len()), (at + 200).min(bytes.len()));
            String::from_utf8_lossy(&bytes[from..to]).into_owned()
        };
        panic!("{format} of {what}:\n{}\n--- merged\n{}", near(expected), near(found));
    }
}

fn selected(files: &Arc<Vec<ScenarioFile>>, expected: Option<&Path>) -> RunOptions {
    let selectors =
        ["02_07_pagination", "04_12_list_webhooks", "04_14_create_webhook", "07_errors"];
    let mut options = options(files);
    options.selectors = selectors.map(str::to_owned).into();
    options.target.expected = expected.map(Path::to_owned);
    options.target.defects = DEFECTS.map(str::to_owned).into();
    options
}

#[tokio::test(flavor = "multi_thread")]
async fn merging_gives_the_reports_of_one_run_for_few_and_many_shards_in_any_order() {
    let files = Arc::new(load::bundled().expect("the bundled suite is sound"));
    let dir = tempfile::tempdir().expect("a folder");
    let known = dir.path().join("known.yaml");
    std::fs::write(&known, "- { id: 07_errors/*, outcome: fail, reason: OPS-1 }\n")
        .expect("a file");
    let result = run(selected(&files, Some(&known)), |_| ()).await;
    assert_ne!(result.exit_code(), 0, "there is something to tell");
    assert!(result.checks().any(|check| check.known.is_some()), "a known failure happened");
    assert!(!result.answers.is_empty(), "answers were seen");
    let one = reports(result);
    for count in SHARDS {
        let mut dirs = Vec::new();
        for number in 1..=count {
            let options = selected(&files, Some(&known));
            let plan = plan_of(&options, count);
            let part = dir.path().join(format!("{count}-{number}"));
            written(options, Shard { number, count }, &plan, &part).await;
            dirs.push(part);
        }
        // Many orders are tested with the most parts, and two orders with fewer parts.
        let turns = if count == SHARDS_MAX { count } else { count.min(2) };
        for turn in 0..usize::from(turns) {
            dirs.rotate_left(turn);
            if turn % 2 == 1 {
                dirs.reverse();
            }
            let merged = reports(merged(&dirs, true));
            assert_same(&one, &merged, &format!("{count} shards, turn {turn}"));
        }
    }
}

/// Scenarios, requirements and rows of files of the user.
const OWN: &str = r#"section: "4.2"
title: A sample
requirements:
  - id: own.teapot
    level: stated
    sentence: The service is a teapot.
    source: OPS-3
    remedy: Buy a teapot.
scenarios:
  - id: sound
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect: { list-legal-requests.status-200: { status: 200 } }
        observe: { per_page: /pagination/per_page }
  - id: teapot
    title: No target can hold this
    needs: [read]
    for_each: { place: [a, b] }
    steps:
      - request: GET /v1/workflows
        token: read
        expect: { own.teapot: { status: 418 } }
  - id: stopped
    title: What fails stops the rest
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        require: { status: 418 }
        expect: { list-workflows.status-200: { status: 200 } }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn merged_parts_keep_own_requirements_and_reasons_for_not_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("scenarios");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("own.yaml"), OWN).expect("a file");
    let files = suite(&folder);
    for lists_checks in [true, false] {
        let one = RunOptions { lists_checks, ..options(&files) };
        let mut result = run(one, |_| ()).await;
        assert_eq!(result.exit_code(), 1);
        for scenario in &mut result.scenarios {
            // The path of a part is relative.
            scenario.at.file = scenario.at.file.rsplit('/').next().unwrap_or_default().into();
            for check in scenario.steps.iter_mut().flat_map(|step| &mut step.checks) {
                let place = check.place.iter_mut();
                place
                    .for_each(|at| at.file = at.file.rsplit('/').next().unwrap_or_default().into());
            }
        }
        let mut dirs = Vec::new();
        for number in 1..=2 {
            let part = dir.path().join(format!("{lists_checks}-{number}"));
            let plan = plan_of(&options(&files), 2);
            written(options(&files), Shard { number, count: 2 }, &plan, &part).await;
            let text = std::fs::read_to_string(part.join("part.jsonl")).expect("a part");
            assert!(!text.contains(dir.path().to_str().expect("UTF-8")), "an absolute path");
            assert!(!text.contains("demo-main-secret"), "a secret");
            dirs.push(part);
        }
        assert_same(
            &reports(result),
            &reports(merged(&dirs, lists_checks)),
            &format!("{lists_checks}"),
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_failure_is_stale_only_for_the_whole_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("scenarios");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("own.yaml"), OWN).expect("a file");
    let known = dir.path().join("known.yaml");
    let entries = "- { id: list-legal-requests.status-200, outcome: fail, reason: OPS-1 }\n";
    std::fs::write(&known, entries).expect("a file");
    let files = suite(&folder);
    let with_known = || {
        let mut options = options(&files);
        options.selectors = vec!["sound".to_owned()];
        options.target.expected = Some(known.clone());
        options
    };
    let plan = plan_of(&with_known(), 2);
    let number = plan.scenarios[0].shard;
    let alone = walked(with_known(), Shard { number, count: 2 }, &plan).await;
    assert_eq!(alone.clone().concluded(PartScope::Share).exit_code(), 0);
    assert_eq!(alone.concluded(PartScope::Whole).exit_code(), 5);
    let other = Shard { number: 3 - number, count: 2 };
    let empty = walked(with_known(), other, &plan).await.concluded(PartScope::Share);
    assert_eq!(empty.exit_code(), 3, "a shard without a scenario proves nothing");
}
