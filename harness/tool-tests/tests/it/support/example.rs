//! Runs a client of `examples/` against a mock and checks what it did.

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

/// The example prints what it should, uses these operations, meets no error and breaks no rule of conduct.
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
