//! Repeated runs of the suite. The verdict of a scenario depends neither on the order nor on concurrent scenarios. The
//! gate runs the whole suite twenty times with `moot run --repeat 20 --shuffle`.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_harness::run::environment::{TargetChoice, TargetOptions};
use moot_harness::run::{RunOptions, run};
use moot_harness::scenario::load;
use moot_harness::scenario::model::ScenarioFile;

/// The number of runs that are compared with the first. Each has its own order and number of jobs.
const RUNS: u64 = 50;
const JOBS: [usize; 5] = [1, 2, 3, 8, 32];
/// Each of these runs has every Nth scenario, so that together they run each scenario once more.
const PART: usize = 50;

/// The scenarios whose place in the suite is `number`, `number` + [`PART`], and so on.
fn part(files: &[ScenarioFile], number: usize) -> Vec<ScenarioFile> {
    let mut place = 0;
    let mut files = files.to_vec();
    for file in &mut files {
        file.scenarios.retain(|_| {
            place += 1;
            place % PART == number % PART
        });
    }
    files.retain(|file| !file.scenarios.is_empty());
    files
}

/// The verdict on each check, and the exit code.
async fn verdicts(
    files: Arc<Vec<ScenarioFile>>,
    jobs: usize,
    shuffle: Option<u64>,
) -> (BTreeMap<String, String>, u8) {
    let run_tag = "moot-00000007".to_owned();
    let target = TargetOptions { seed: 7, run_tag, ..TargetOptions::default() };
    let options = RunOptions {
        jobs: Some(jobs),
        shuffle,
        ..RunOptions::new(TargetChoice::InProcess, target, files)
    };
    let result = run(options, |_| {}).await;
    let checks = result.scenarios.iter().flat_map(|scenario| {
        let own = (scenario.name.to_string(), scenario.verdict.as_str().to_owned());
        let steps = scenario.steps.iter().flat_map(|step| &step.checks);
        let each = steps.map(|check| (check.id(), check.verdict.as_str().to_owned()));
        std::iter::once(own).chain(each)
    });
    (checks.collect(), result.exit_code())
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_runs_in_any_order_and_company_say_the_same() {
    let files = Arc::new(load::bundled().expect("the bundled suite is sound"));
    let first = verdicts(Arc::clone(&files), 4, None).await;
    assert_eq!(first.1, 0);
    assert!(first.0.len() > 1_000, "{}", first.0.len());
    let mut again = BTreeMap::new();
    for (number, jobs) in (0..RUNS).zip(JOBS.into_iter().cycle()) {
        let place = usize::try_from(number).expect("it is small");
        let (some, code) = verdicts(Arc::new(part(&files, place)), jobs, Some(number)).await;
        let differs = some.iter().find(|(id, verdict)| first.0.get(*id) != Some(verdict));
        assert_eq!(differs, None, "order {number}, {jobs} jobs");
        assert_eq!(code, 0, "order {number}, {jobs} jobs");
        again.extend(some);
    }
    assert_eq!(again.len(), first.0.len(), "every scenario was walked again");
}
