//! The result of exploring as JSON.

use serde_json::{Value, json};

use super::Exploration;
use super::text::outcome_word;
use super::violation::Violation;

/// The version of the shape below.
const SCHEMA_VERSION: u32 = 1;

/// `{schema_version, moot_version, outcome, exit_code, target, seed, cases, walked, requests_sent, violations: [],
/// warnings: [], differences: [], expected: [], not_walked: [], residue: [], saved, trouble, reproduce}`.
pub fn json(explored: &Exploration, saved: Option<&str>) -> Value {
    let result = &explored.result;
    let warnings = explored.warnings.iter().map(
        |(id, (message, times))| json!({ "requirement": id, "message": message, "times": times }),
    );
    let differences =
        explored.differences.iter().map(|((act, what), (times, first))| {
            json!({ "act": act, "what": what, "times": times, "first": first })
        });
    let expected = result.expected.iter();
    let not_walked = explored.not_walked.iter();
    let not_walked = not_walked.map(|(reason, cases)| json!({ "reason": reason, "cases": cases }));
    json!({
        "schema_version": SCHEMA_VERSION,
        "moot_version": env!("CARGO_PKG_VERSION"),
        "outcome": outcome_word(result),
        "exit_code": result.exit_code(),
        "target": result.target,
        "seed": result.seed,
        "cases": explored.cases,
        "walked": explored.walked,
        "requests_sent": result.requests_sent,
        "violations": explored.violations.iter().map(violation).collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
        "expected": expected.collect::<Vec<_>>(),
        "not_walked": not_walked.collect::<Vec<_>>(),
        "residue": result.residue,
        "saved": saved,
        "trouble": result.trouble,
        "reproduce": result.reproduce,
    })
}

fn violation(violation: &Violation) -> Value {
    let mut value = violation.check().map_or_else(
        || json!({}),
        |(step, check)| {
            json!({
                "section": check.section, "step": step.name, "message": check.message,
                "expected": check.expected, "actual": check.actual, "pointer": check.pointer,
            })
        },
    );
    value["requirement"] = violation.requirement.as_str().into();
    let operations = violation.operations.iter().map(|it| it.as_str());
    value["operations"] = operations.collect::<Vec<_>>().into();
    value["scenario"] = violation.result.name.to_string().into();
    value["cases"] = violation.cases.into();
    value["acts_before"] = violation.acts_before.into();
    value["acts"] = violation.case.acts.len().into();
    value["curl"] = violation.curl().into();
    value
}
