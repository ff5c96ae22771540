//! The reports of a run do not depend on the part of the run that is kept in memory.

use moot_harness::report::terminal::Detail;
use moot_harness::report::terminal::paint::plain;
use moot_harness::report::{self, Format};
use moot_harness::run::environment::{TargetChoice, TargetOptions};
use moot_harness::run::{RunOptions, run};
use moot_harness::scenario::load;
use moot_harness::verdict::Verdict;
use moot_harness::verdict::result::{CheckResult, RunResult};

/// A section of the bundled suite on the mock in this process.
async fn walked(lists_checks: bool) -> RunResult {
    let run_tag = "moot-00000001".to_owned();
    let target = TargetOptions { run_tag, ..TargetOptions::default() };
    let files = load::bundled().expect("the bundled suite is sound");
    let options = RunOptions {
        selectors: vec!["section:4.6".to_owned()],
        jobs: Some(2),
        lists_checks,
        ..RunOptions::new(TargetChoice::InProcess, target, files)
    };
    let result = run(options, |_| {}).await;
    assert_eq!(result.exit_code(), 0);
    result
}

fn checks(result: &RunResult) -> impl Iterator<Item = &CheckResult> {
    result.scenarios.iter().flat_map(|scenario| &scenario.steps).flat_map(|step| &step.checks)
}

/// The lines of the text report with numbers of checks, without times.
fn counted(result: &RunResult) -> Vec<String> {
    let text = report::render(Format::Text, result, Detail::Normal).expect("it renders");
    let text = plain(&text);
    let is_count = |line: &&str| line.contains(" pass, ") || line.contains(" checks in ");
    let counts = text.lines().filter(is_count);
    counts.filter_map(|line| line.split(" requests").next()).map(str::to_owned).collect()
}

#[tokio::test]
async fn passed_checks_that_no_report_lists_are_only_counted() {
    let (listed, short) = (walked(true).await, walked(false).await);
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
async fn a_page_has_the_sent_requests() {
    let result = walked(true).await;
    let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let mut exchanges = steps.flat_map(|step| &step.exchanges).peekable();
    assert!(exchanges.peek().is_some());
    assert!(exchanges.all(|exchange| exchange.request.curl.starts_with("curl ")));
}
