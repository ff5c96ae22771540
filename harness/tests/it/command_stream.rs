//! The event stream and `--repeat`, with the real binary.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command_support::{message, moot, run};
use crate::deployment::{deployed, judged, start};

/// The time limit for the first scenarios of a slow run.
const FIRST_WITHIN: Duration = Duration::from_secs(30);

fn events(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["event"] == kind).count()
}

#[tokio::test]
async fn a_killed_run_leaves_its_events() {
    let server = start("default").await;
    let dir = deployed(&server, "");
    // With this pace the run takes minutes.
    let words = ["run", "--target", "target.yaml", "--rate", "300", "--report", "ndjson=events"];
    let mut command = moot(&words, dir.path());
    let mut child = command.stdout(Stdio::null()).spawn().expect("the binary runs");
    let file = dir.path().join("events");
    let begun = Instant::now();
    let has_some = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.matches("{\"event\":\"ended\"").count() >= 3
    };
    while !has_some() && begun.elapsed() < FIRST_WITHIN {
        tokio::task::yield_now().await;
        thread::sleep(Duration::from_millis(20));
    }
    assert!(child.try_wait().expect("it can be asked").is_none(), "it still runs");
    child.kill().expect("it can be killed");
    child.wait().expect("it ended");
    let text = fs::read_to_string(&file).expect("it is there");
    // The last line may be incomplete.
    let seen = events(&text[..text.rfind('\n').map_or(0, |end| end + 1)]);
    assert_eq!(seen[0]["event"], "planned");
    assert!(count(&seen, "ended") >= 3 && count(&seen, "started") >= 1, "{seen:?}");
    assert_eq!(count(&seen, "finished"), 0);
}

#[test]
fn repeated_runs_tell_of_all_and_end_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["run", "section:4.3", "--repeat", "3", "--shuffle", "--report", "ndjson=-"];
    let ran = run(&words, dir.path()).ended(0);
    let seen = events(&ran.stdout);
    assert_eq!((count(&seen, "planned"), count(&seen, "finished")), (3, 1));
    assert_eq!(seen.last().map(|last| last["event"].clone()), Some("finished".into()));
    assert!(ran.stderr.contains("--repeat 3 --shuffle --seed"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_verdict_that_differs_between_runs_is_drift_of_a_deployment() {
    let server = start("default").await;
    // The requests that open the target come before the scenario, with another query.
    let flaky = wiremock::Mock::given(wiremock::matchers::path("/api/v1/workflows"))
        .and(wiremock::matchers::query_param("page", "7"))
        .respond_with(wiremock::ResponseTemplate::new(500))
        .up_to_n_times(1)
        .with_priority(1);
    let dir = deployed(&server, "consent: []\ntolerate: [write]\n");
    fs::write(
        dir.path().join("sample.yaml"),
        "section: \"4.2\"
title: A sample
scenarios:
  - id: lists
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/workflows?page=7
        token: read
        expect:
          list-workflows.status-200: { status: 200 }
",
    )
    .expect("writable");
    let trouble = |code: i32| {
        let words = ["--scenarios", "sample.yaml", "--repeat", "3", "--format", "json"];
        let report = judged(dir.path(), &words, code).json();
        report["trouble"].clone()
    };
    assert_eq!(trouble(0), Value::Null);
    server.register(flaky).await;
    let said = trouble(1);
    // The number of verdicts depends on the checks that every response gets.
    let (_, said) = said.as_str().and_then(|it| it.split_once(' ')).expect("a number and a text");
    let own: Vec<&str> = said.lines().filter(|line| !line.contains("/implicit/")).collect();
    insta::assert_snapshot!(own.join("\n"), @r"
    verdicts differed between 3 runs:
    sample/lists: pass 2, fail 1
    sample/lists/GET /v1/workflows?page=7/list-workflows.status-200: pass 2, fail 1
    ");
}

#[tokio::test]
async fn only_harmless_runs_are_repeated_on_a_deployment() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: [write]\n");
    let ran = judged(dir.path(), &["--repeat", "2"], 2);
    insta::assert_snapshot!(message(&ran.stderr), @"error: --repeat on a deployment needs `consent: []` in the target file: the limits of the file are those of one run");
}
