//! The whole suite, again and again: neither the order nor the company of a scenario decides what is
//! said of it.

use std::collections::BTreeMap;

use moot_harness::run::{RunOptions, SnapshotMode, run};
use moot_harness::scenario::load;
use moot_harness::scenario::model::ScenarioFile;
use moot_harness::target::{TargetChoice, TargetOptions};

/// Runs that are compared with the first; each has its own order and its own number of jobs.
const JOBS: [usize; 4] = [1, 3, 8, 32];

/// Files and the scenarios in them, put in an order that `seed` alone decides.
fn shuffled(mut seed: u64) -> Vec<ScenarioFile> {
    let mut drawn = move |below: usize| {
        // xorshift64
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).expect("it is below a usize")
    };
    let mut files = load::bundled().expect("the bundled suite is sound");
    for file in &mut files {
        for last in (1..file.scenarios.len()).rev() {
            file.scenarios.swap(last, drawn(last + 1));
        }
    }
    for last in (1..files.len()).rev() {
        files.swap(last, drawn(last + 1));
    }
    files
}

/// The verdict on each check, and the exit code.
async fn verdicts(files: Vec<ScenarioFile>, jobs: usize) -> (BTreeMap<String, String>, u8) {
    let options = RunOptions {
        choice: TargetChoice::InProcess,
        target: TargetOptions {
            seed: 7,
            run_tag: "moot-00000007".to_owned(),
            ..TargetOptions::default()
        },
        files,
        selectors: Vec::new(),
        jobs: Some(jobs),
        strict: false,
        snapshots: SnapshotMode::Off,
        snapshot_dir: None,
        recorder: None,
        reproduce: String::new(),
    };
    let result = run(options, |_| {}).await;
    let checks = result.scenarios.iter().flat_map(|scenario| {
        let own = (scenario.name.clone(), scenario.verdict.as_str().to_owned());
        let steps = scenario.steps.iter().flat_map(|step| &step.checks);
        let each = steps.map(|check| (check.id.clone(), check.verdict.as_str().to_owned()));
        std::iter::once(own).chain(each)
    });
    (checks.collect(), result.exit_code)
}

#[tokio::test(flavor = "multi_thread")]
async fn order_and_jobs_change_no_verdict() {
    let first = verdicts(load::bundled().expect("the bundled suite is sound"), 4).await;
    assert_eq!(first.1, 0);
    assert!(first.0.len() > 1_000, "{}", first.0.len());
    for (seed, jobs) in (1..).zip(JOBS) {
        let again = verdicts(shuffled(seed), jobs).await;
        let differs = first.0.iter().find(|(id, verdict)| again.0.get(*id) != Some(verdict));
        assert_eq!(differs, None, "order {seed}, {jobs} jobs");
        assert_eq!((again.0.len(), again.1), (first.0.len(), 0), "order {seed}, {jobs} jobs");
    }
}
