//! The JSON of scenarios, steps and checks in the JSON report and in the event stream.

use serde::Serializer;
use serde_json::{Value, json};

use crate::verdict::result::{
    CheckResult, RunOutcome, ScenarioResult, StepResult, Subject, seconds,
};

/// Serialises an outcome as its name.
pub(super) fn outcome<S: Serializer>(of: &RunOutcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(of.as_str())
}

pub(super) fn scenarios<S: Serializer>(
    all: &[ScenarioResult],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(scenario))
}

pub(super) fn checks<S: Serializer>(all: &[CheckResult], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(check))
}

pub(super) fn scenario(scenario: &ScenarioResult) -> Value {
    let mut row = json!({
        "name": scenario.name,
        "title": scenario.title,
        "verdict": scenario.verdict,
        "not_run": scenario.not_run.as_ref().map(|why| &why.reason),
    });
    if let Some(known) = &scenario.known {
        row["known"] = json!(known);
    }
    row["duration_seconds"] = json!(seconds(scenario.duration));
    row["place"] = json!(scenario.at);
    row["steps"] = scenario.steps.iter().map(step).collect();
    row
}

fn step(step: &StepResult) -> Value {
    json!({
        "name": step.name,
        "verdict": step.verdict,
        "duration_seconds": seconds(step.duration),
        "exchanges": step.exchanges.iter().map(|exchange| exchange.number).collect::<Vec<_>>(),
    })
}

pub(super) fn check(check: &CheckResult) -> Value {
    let kind = match &check.subject {
        Subject::Requirement(_) => "requirement",
        Subject::Question(_) => "question",
        Subject::Snapshot(_) => "snapshot",
    };
    let mut row = json!({
        "id": check.id(),
        kind: check.subject.as_str(),
        "section": check.section,
        "level": check.level,
        "sentence": check.sentence(),
        "remedy": check.remedy(),
        "verdict": check.verdict,
        "scenario": *check.scenario,
        "step": *check.step,
        "message": check.message,
        "expected": check.expected,
        "actual": check.actual,
        "pointer": check.pointer,
        "place": check.place,
        "exchange": check.exchange_number(),
        "curl": check.curl,
    });
    if let Some(known) = &check.known {
        row["known"] = json!(known);
    }
    row
}
