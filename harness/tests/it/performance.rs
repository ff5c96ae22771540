//! What a run costs, as counts: a regression shows here without a clock.

use std::borrow::Cow;
use std::sync::Arc;

use moot_harness::environment::{TargetChoice, TargetOptions};
use moot_harness::report::{self, Format, text};
use moot_harness::result::{CheckResult, RunResult, Subject};
use moot_harness::run::{Kept, RunOptions, run};
use moot_harness::scenario::load;
use moot_harness::verdict::Verdict;

/// Bytes of a check, without what it points to: a run keeps ten for each of its calls.
const CHECK_BYTES_MAX: usize = 256;
/// Bytes kept of an answer that nobody complained about.
const BODY_KEPT_BYTES: usize = 1_000;

/// A section of the bundled suite on the mock in this process.
async fn walked(kept: Kept) -> RunResult {
    let run_tag = "moot-00000001".to_owned();
    let target = TargetOptions { run_tag, ..TargetOptions::default() };
    let files = load::bundled().expect("the bundled suite is sound");
    let options = RunOptions {
        selectors: vec!["section:4.6".to_owned()],
        jobs: Some(2),
        kept,
        ..RunOptions::new(TargetChoice::InProcess, target, files)
    };
    let result = run(options, |_| {}).await;
    assert_eq!(result.exit_code(), 0);
    result
}

fn checks(result: &RunResult) -> impl Iterator<Item = &CheckResult> {
    result.scenarios.iter().flat_map(|scenario| &scenario.steps).flat_map(|step| &step.checks)
}

#[tokio::test]
async fn what_is_the_same_in_many_checks_is_held_once() {
    assert!(size_of::<CheckResult>() <= CHECK_BYTES_MAX, "{}", size_of::<CheckResult>());
    let result = walked(Kept::Outline).await;
    let mut scenarios = 0;
    for scenario in &result.scenarios {
        let mut names = scenario.steps.iter().flat_map(|step| &step.checks).map(|it| &it.scenario);
        let Some(first) = names.next() else { continue };
        assert!(names.all(|name| Arc::ptr_eq(name, first)), "{first}");
        scenarios += 1;
    }
    assert!(scenarios > 10, "{scenarios}");
    for check in checks(&result).filter(|check| check.verdict == Verdict::Pass) {
        let Subject::Requirement(id) = &check.subject else { panic!("{}", check.id()) };
        assert!(matches!(id, Cow::Borrowed(_)), "{id} is a copy of the register");
        assert!(matches!(check.section, Cow::Borrowed(_)), "{id}");
        let texts = [&check.message, &check.expected, &check.actual];
        assert_eq!(texts.map(String::capacity), [0; 3], "{id}");
    }
    for step in result.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        assert_eq!(step.checks.len(), step.checks.capacity(), "{}", step.name);
    }
}

#[tokio::test]
async fn of_what_passed_an_outline_is_held_and_by_all_its_checks_the_same() {
    let result = walked(Kept::Outline).await;
    let mut outlines = 0;
    for step in result.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let remarkable = |number: u64| {
            let mut judging = step.checks.iter().filter(|check| check.verdict >= Verdict::Warn);
            judging.any(|check| check.exchange.as_ref().is_some_and(|it| it.number == number))
        };
        for exchange in &step.exchanges {
            let judged = step.checks.iter().filter_map(|check| check.exchange.as_ref());
            let mut same = judged.filter(|judged| judged.number == exchange.number);
            assert!(same.all(|judged| Arc::ptr_eq(judged, exchange)), "{}", step.name);
            if remarkable(exchange.number) {
                continue;
            }
            let request = &exchange.request;
            assert_eq!((request.headers.capacity(), request.curl.capacity()), (0, 0));
            if let Ok(response) = &exchange.outcome {
                assert!(response.headers.is_empty() && response.json.is_none(), "{}", step.name);
                assert!(response.body.len() <= BODY_KEPT_BYTES, "{}", response.body.len());
                outlines += 1;
            }
        }
    }
    assert!(outlines > 10, "{outlines}");
}

/// What the text report counts: lines with numbers of checks, without times.
fn counted(result: &RunResult) -> Vec<String> {
    let options = text::Options { color: false, detail: moot_harness::terminal::Detail::Normal };
    let text = report::render(Format::Text, result, &[], options).expect("it renders");
    let is_count = |line: &&str| line.ends_with(" pass") || line.contains(" checks in ");
    let counts = text.lines().filter(is_count);
    counts.filter_map(|line| line.split(" requests").next()).map(str::to_owned).collect()
}

#[tokio::test]
async fn where_no_report_lists_what_passed_it_is_only_counted_and_the_same_is_said() {
    let (listed, short) = (walked(Kept::Outline).await, walked(Kept::Counts).await);
    let passed =
        |result: &RunResult| checks(result).filter(|it| it.verdict == Verdict::Pass).count();
    let steps = short.scenarios.iter().flat_map(|scenario| &scenario.steps);
    assert_eq!(steps.map(|step| step.passed).sum::<usize>(), passed(&listed));
    assert_eq!(passed(&short), 0);
    assert!(passed(&listed) > 100);
    assert_eq!(counted(&short), counted(&listed));
    assert!(counted(&listed).len() > 1, "{:?}", counted(&listed));
    let verdicts = |result: &RunResult| -> Vec<Verdict> {
        result.scenarios.iter().map(|scenario| scenario.verdict).collect()
    };
    assert_eq!(verdicts(&short), verdicts(&listed));
    let warned = short.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let mut outlined = warned.filter(|step| step.verdict <= Verdict::Warn);
    assert!(outlined.all(|step| step.exchanges.iter().all(|it| it.request.curl.is_empty())));
}

#[tokio::test]
async fn a_page_finds_what_was_sent() {
    let result = walked(Kept::Beginning).await;
    let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let mut exchanges = steps.flat_map(|step| &step.exchanges).peekable();
    assert!(exchanges.peek().is_some());
    assert!(exchanges.all(|exchange| exchange.request.curl.starts_with("curl ")));
}
