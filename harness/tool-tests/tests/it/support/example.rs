//! Runs a client of `examples/` against a mock, and checks its calls.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{moot, root};

const PRINTED: &str = "73 requests\n\
                       created: Mutual NDA — Granite Works Kft, draft\nnow: signed\n\
                       created: Third-party paper — Granite Works Kft, draft\nnow: signed\n";
const OPERATIONS: [&str; 5] = [
    "create_access_token",
    "get_workflow_schema",
    "create_legal_request",
    "list_legal_requests",
    "get_legal_request",
];

/// Asserts that the example prints its output, uses these operations, gets no error and breaks no rule of conduct.
#[track_caller]
pub(crate) fn check(interpreter: &str, file: &str) {
    let options = ["exec", "--format", "json", "--seed", "1", "--progression", "on-read:1", "--"];
    let output = moot(&[options.as_slice(), &[interpreter, file]].concat(), root());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{}", output.stdout);
    let (printed, report) = output.stdout.trim_end().rsplit_once('\n').expect("several lines");
    assert_eq!(format!("{printed}\n"), PRINTED);
    let report: Value = serde_json::from_str(report).expect("the last line is JSON");
    assert_eq!(report["conduct"]["errors"], json!([]));
    assert_eq!(report["conduct"]["findings"], json!([]));
    let operations = report["conduct"]["operations"].as_array().expect("a list").iter();
    let names: Vec<&Value> = operations.map(|row| &row["operation"]).collect();
    assert_eq!(names, OPERATIONS);
}

/// Seeds of the runs that must not have a finding.
const SEEDS: u64 = 20;
/// The number of concurrent clients. It is larger than the number of processors, so that the machine is busy.
const CLIENTS: usize = 4;

/// Asserts that one command grades the client `ready`, and that it has no finding with twenty seeds on a busy machine.
#[track_caller]
pub(crate) fn check_ready(client: &[&str]) {
    let options = ["drill", "--progression", "on-read:1", "--seed", "1", "--format", "json", "--"];
    let output = moot(&[&options[..], client].concat(), root());
    let certificate: Value = serde_json::from_str(&output.stdout).expect("a certificate");
    let drills = certificate["drills"].as_array().expect("drills").iter();
    let wrong: Vec<&Value> = drills
        .filter(|it| !["held", "not_applicable"].iter().any(|end| it["end"] == *end))
        .collect();
    assert_eq!(certificate["grade"], "ready", "{wrong:?} {}", certificate["reasons"]);
    assert_eq!(output.code, Some(0));

    let seeds = Mutex::new(1..=SEEDS);
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while let Some(seed) = next(&seeds) {
                    check_seed(client, seed);
                }
            });
        }
    });
}

fn next(seeds: &Mutex<std::ops::RangeInclusive<u64>>) -> Option<u64> {
    seeds.lock().expect("no thread failed while it took a seed").next()
}

#[track_caller]
fn check_seed(client: &[&str], seed: u64) {
    let seed = seed.to_string();
    let options = ["exec", "--format", "json", "--progression", "on-read:1", "--seed", &seed, "--"];
    let output = moot(&[&options[..], client].concat(), root());
    assert_eq!(output.code, Some(0), "seed {seed}: {}{}", output.stdout, output.stderr);
    let report = output.stdout.lines().last().expect("a report");
    let report: Value = serde_json::from_str(report).expect("the last line is JSON");
    assert_eq!(report["conduct"]["findings"], json!([]), "seed {seed}");
}
