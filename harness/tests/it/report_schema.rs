//! The published JSON Schema of the JSON report accepts the written reports, and nothing else.

use moot_harness::report::terminal::Detail;
use moot_harness::report::{Format, json, render};
use moot_harness::verdict::result::RunResult;
use serde_json::Value;

use crate::report_sample::{result, unreachable};

fn report(result: &RunResult) -> Value {
    let text = render(Format::Json, result, Detail::Normal).expect("no secret in it");
    serde_json::from_str(&text).expect("it is JSON")
}

#[track_caller]
fn check(report: &Value, is_valid: bool) {
    let schema: Value = serde_json::from_str(json::SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(report).map(|e| e.to_string()).collect();
    assert_eq!(errors.is_empty(), is_valid, "{errors:?}");
}

#[test]
fn written_reports_are_valid() {
    check(&report(&result()), true);
    check(&report(&unreachable()), true);
}

#[test]
fn another_shape_is_not() {
    let sample = report(&result());
    for (pointer, value) in [
        ("/schema_version", Value::from(2)),
        ("/exit_code", Value::from(6)),
        ("/outcome", Value::from("fine")),
        ("/checks/0/verdict", Value::from("ok")),
        ("/counts/fail", Value::from(-1)),
        ("/not_run", Value::Null),
        ("/exchanges/0/status", Value::from("404")),
    ] {
        let mut broken = sample.clone();
        let place = broken.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}"));
        *place = value;
        check(&broken, false);
    }
    let mut broken = sample;
    broken["more"] = Value::Null;
    check(&broken, false);
}
