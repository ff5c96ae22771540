//! The clients of `examples/` do all that they say, and nothing that a client should not do.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::command_support::run;

const SAID: &str = "73 requests\n\
                    created: Mutual NDA — Granite Works Kft, draft\nnow: signed\n\
                    created: Third-party paper — Granite Works Kft, draft\nnow: signed\n";

/// Runs an example under `moot exec`, where `probe` shows that its interpreter is there.
#[track_caller]
fn check(probe: &[&str], command: &[&str]) {
    let found = Command::new(probe[0])
        .args(&probe[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        eprintln!("`{}` does not work here: {} is not tested", probe.join(" "), command[1]);
        return;
    }
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let options = ["exec", "--format", "json", "--seed", "1", "--progression", "on-read:1", "--"];
    let ran = run(&[options.as_slice(), command].concat(), root);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let (said, told) = ran.stdout.trim_end().rsplit_once('\n').expect("several lines");
    assert_eq!(format!("{said}\n"), SAID);
    let told: Value = serde_json::from_str(told).expect("it is JSON");
    assert_eq!(told["conduct"]["errors"], json!([]));
    assert_eq!(told["conduct"]["habits"], json!([]));
    let used = told["conduct"]["operations"].as_array().expect("a list").iter();
    let names: Vec<&Value> = used.map(|one| &one["operation"]).collect();
    let expected = [
        "create_access_token",
        "get_workflow_schema",
        "create_legal_request",
        "list_legal_requests",
        "get_legal_request",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_python_client_behaves_well() {
    check(&["python3", "-c", "import requests"], &["python3", "examples/python/client.py"]);
}

#[test]
fn the_javascript_client_behaves_well() {
    let probe = ["node", "-e", "if (!globalThis.fetch || !globalThis.FormData) process.exit(1)"];
    check(&probe, &["node", "examples/javascript/client.mjs"]);
}
