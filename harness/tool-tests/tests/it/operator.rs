//! The operator of `examples/operator`: bash and curl, on a mock that is judged as a deployment.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use crate::support::{Output, moot, program, root, script};

/// The files of the example.
const FILES: [&str; 3] = ["mock.sh", "operate.sh", "target.yaml"];

/// The mock of the example in its own folder. It is stopped when this is dropped.
struct Example {
    folder: tempfile::TempDir,
}

impl Example {
    fn start() -> Self {
        program(&[&["curl", "--version"]], "curl");
        let folder = tempfile::tempdir().expect("a folder");
        for name in FILES {
            let from = root().join("examples/operator").join(name);
            fs::copy(from, folder.path().join(name)).expect("the example is there");
        }
        let example = Self { folder };
        let started = example.mock("start");
        assert_eq!(started.code, Some(0), "{}", started.stderr);
        let listen = fs::read_to_string(example.path().join(".mock/listen")).expect("an address");
        example.change("127.0.0.1:4010", listen.trim());
        example
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn mock(&self, verb: &str) -> Output {
        script(&["bash", "./mock.sh", verb], self.path(), &[("MOCK_LISTEN", "127.0.0.1:0")])
    }

    /// Changes the target file.
    fn change(&self, from: &str, to: &str) {
        let file = self.path().join("target.yaml");
        let text = fs::read_to_string(&file).expect("the target file");
        assert!(text.contains(from), "{from}: {text}");
        fs::write(&file, text.replace(from, to)).expect("it is ours");
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        self.mock("stop");
    }
}

/// Scenarios that need an operator, and nothing that only a mock has. Those with the longest waits for deliveries are
/// left out.
fn tagged() -> Vec<String> {
    let listed = moot(&["list", "--format", "json"], root());
    let listed: Value = serde_json::from_str(&listed.stdout).expect("it is JSON");
    let scenarios = listed["scenarios"].as_array().expect("a list").iter();
    let has = |scenario: &Value, prefix: &str| {
        let needs = scenario["needs"].as_array().expect("a list");
        needs.iter().any(|need| need.as_str().is_some_and(|need| need.starts_with(prefix)))
    };
    let names: Vec<String> = scenarios
        .filter(|scenario| has(scenario, "operator.") && !has(scenario, "admin"))
        .filter(|scenario| !has(scenario, "second_company") && scenario["section"] != "6")
        .map(|scenario| scenario["name"].as_str().expect("a name").to_owned())
        .collect();
    assert!(names.len() > 12, "{names:?}");
    names
}

#[test]
fn an_operator_makes_more_checks_of_a_deployment_possible() {
    let example = Example::start();
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let receiver = free.local_addr().expect("its address").to_string();
    drop(free);
    let receiver_url = format!("http://{receiver}");
    let tagged = tagged();
    let names: Vec<&str> = tagged.iter().map(String::as_str).collect();
    let receiving = ["--receiver", &receiver, "--receiver-url", &receiver_url];
    let run = ["run", "--target", "target.yaml", "--report", "json=report.json"];
    let ran = moot(&[&run[..], &receiving, &names].concat(), example.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let report = fs::read_to_string(example.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(report["counts"]["not_run"].as_u64().unwrap_or(0), 0, "{}", report["counts"]);

    // Without the consent the operator does nothing, and the plan names the missing setting.
    example.change("consent: [write, delete, operate]", "consent: [write, delete]");
    let plan = ["plan", "--target", "target.yaml", "--format", "json"];
    let planned = moot(&[&plan[..], &receiving, &names].concat(), example.path());
    let planned: Value = serde_json::from_str(&planned.stdout).expect("it is JSON");
    for scenario in planned["scenarios"].as_array().expect("a list") {
        let setting = scenario["setting"].as_str().unwrap_or_default();
        assert!(setting.contains("consent: [operate]"), "{scenario}");
    }
}

#[test]
fn the_output_of_an_operator_is_shown_and_its_failure_is_no_violation() {
    let example = Example::start();
    let failing = "#!/bin/sh\necho \"no $1 for demo-main-secret-Vr8Kq3Zt6Wm1Xc5B\" >&2\nexit 3\n";
    fs::write(example.path().join("operate.sh"), failing).expect("it is ours");
    let scenario = "04_08_get_legal_request_activity/activity-of-the-asked";
    let run = ["run", "--target", "target.yaml", scenario];
    let ran = moot(&run, example.path());
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    for part in ["failed to `set_status ", "exit status: 3", "no set_status for "] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("demo-main-secret-Vr8K"), "{}", ran.stdout);
}
