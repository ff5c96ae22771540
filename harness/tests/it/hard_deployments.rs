//! Deployments with hostile or broken behaviour. Each run ends soon, needs little memory, and has the correct verdict,
//! reason and exit code.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command_support::{LIST_SCENARIO, moot};
use crate::deployment::target;
use crate::hard_servers::{BARE_REFUSAL, Hard, ROWS, SILENT};

/// The longest time of a run: opening the target, and two attempts until their deadline.
const RUN_TIME_MAX: Duration = Duration::from_secs(40);
/// The most memory of a run.
const MEMORY_KIB_MAX: u64 = 256 * 1024;
/// The time between two reads of the memory of a run. The system keeps the peak.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The number of concurrent runs.
const RUNS: usize = 6;

/// The result of a run.
struct Outcome {
    code: Option<i32>,
    took: Duration,
    /// `None` if the system does not report it.
    memory_peak_kib: Option<u64>,
    report: Value,
    text: String,
}

#[test]
fn every_run_ends_soon_small_and_with_the_right_verdict() {
    let rows: Vec<&Hard> = ROWS.iter().chain([&SILENT]).collect();
    let mut wrong_runs: Vec<String> = Vec::new();
    for some in rows.chunks(RUNS) {
        thread::scope(|scope| {
            let runs: Vec<_> = some.iter().map(|hard| scope.spawn(|| wrong(hard))).collect();
            let ended = runs.into_iter().filter_map(|run| run.join().expect("no run panics"));
            wrong_runs.extend(ended);
        });
    }
    assert!(wrong_runs.is_empty(), "{}", wrong_runs.join("\n\n"));
    if !cfg!(target_os = "linux") {
        eprintln!(
            "the memory of the runs was not measured: only Linux tells the peak of a process"
        );
    }
}

const BROKEN_OFF: &str = r#"section: "7"
title: A sample
scenarios:
  - id: broken-off
    title: A body that breaks off
    needs: [write]
    steps:
      - request: POST /v1/requests
        token: write
        raw: { content_type: multipart/form-data; boundary=moot, text: "--moot\r\n", declared_length: 4096 }
        expect: { errors.never-5xx: { status: { max: 499 } } }
"#;

#[test]
fn an_http_server_may_refuse_a_request_that_breaks_off_without_a_problem() {
    let outcome = ran(&BARE_REFUSAL, BROKEN_OFF, "consent: [write]\n");
    let checks = outcome.report["checks"].as_array().expect("it has checks");
    let verdicts: Vec<&str> = checks.iter().filter_map(|it| it["verdict"].as_str()).collect();
    assert!(!verdicts.contains(&"fail") && !verdicts.contains(&"warn"), "{checks:#?}");
    assert!(verdicts.contains(&BARE_REFUSAL.verdict), "{checks:#?}");
    assert_eq!(outcome.code, Some(BARE_REFUSAL.code), "{}", outcome.text);
}

/// The errors in the run on this server.
fn wrong(hard: &Hard) -> Option<String> {
    let outcome = ran(hard, LIST_SCENARIO, "");
    let checks = outcome.report["checks"].as_array();
    let is_said = checks.into_iter().flatten().any(|check| {
        check["verdict"] == hard.verdict
            && check["message"].as_str().is_some_and(|message| message.contains(hard.says))
    });
    let is_small = match outcome.memory_peak_kib {
        Some(peak) => peak < MEMORY_KIB_MAX,
        None => !cfg!(target_os = "linux"),
    };
    let is_right =
        outcome.code == Some(hard.code) && outcome.took < RUN_TIME_MAX && is_small && is_said;
    (!is_right).then(|| {
        let said: Vec<String> = checks
            .into_iter()
            .flatten()
            .map(|check| format!("  {} {}: {}", check["verdict"], check["id"], check["message"]))
            .collect();
        format!(
            "{}: code {:?} (wanted {}), {:?}, peak {:?} KiB, wanted `{}` saying `{}`:\n{}\n{}",
            hard.name,
            outcome.code,
            hard.code,
            outcome.took,
            outcome.memory_peak_kib,
            hard.verdict,
            hard.says,
            said.join("\n"),
            outcome.text.chars().take(1_000).collect::<String>(),
        )
    })
}

fn ran(hard: &Hard, scenario: &str, keys: &str) -> Outcome {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("sample.yaml"), scenario).expect("writable");
    target(dir.path(), &hard.serve(), keys);
    let words = ["run", "--target", "target.yaml", "--scenarios", "sample.yaml"];
    let mut command = moot(&words, dir.path());
    command.args(["--report", "json=report.json", "--report", "html=report.html"]);
    command.stdout(file(dir.path(), "stdout")).stderr(file(dir.path(), "stderr"));
    let started = Instant::now();
    let mut child = command.spawn().expect("the binary runs");
    let memory_peak_kib = watched(&mut child);
    let took = started.elapsed();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap_or_default();
    Outcome {
        code: child.wait().expect("it ended").code(),
        took,
        memory_peak_kib,
        report: serde_json::from_str(&read("report.json")).unwrap_or(Value::Null),
        text: read("stdout") + &read("stderr"),
    }
}

fn file(dir: &Path, name: &str) -> Stdio {
    File::create(dir.join(name)).expect("writable").into()
}

/// Waits until the run has ended, or ends it after the time limit. Returns the peak of its memory.
fn watched(child: &mut Child) -> Option<u64> {
    let started = Instant::now();
    let mut peak = None;
    while child.try_wait().expect("it can be asked").is_none() {
        peak = memory_peak_kib(child.id()).max(peak);
        if started.elapsed() > RUN_TIME_MAX {
            // The process may have ended.
            let _ = child.kill();
        }
        thread::sleep(LOOK_EVERY);
    }
    peak
}

/// `VmHWM` of the process: the peak of its memory. Before `exec` it is that of the tests.
fn memory_peak_kib(process_id: u32) -> Option<u64> {
    let program = fs::read_link(format!("/proc/{process_id}/exe")).ok()?;
    if program == fs::read_link("/proc/self/exe").ok()? {
        return None;
    }
    let status = fs::read_to_string(format!("/proc/{process_id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
