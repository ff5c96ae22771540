//! The event stream: one JSON object for each event, a line each, in order.
//!
//! `{"event": "planned", "scenarios": 3}`, `{"event": "started", "name": …}`,
//! `{"event": "ended", "scenario": …, "checks": […]}`, and last
//! `{"event": "finished", "outcome": …, "exit_code": …, "expected": […]}`. Only the last event has the known
//! failures, because they apply only to a whole run. Each line is made, masked and scanned right after its
//! event. A repeated run has a `planned` for each repetition, and one `finished`.

use serde_json::{Value, json};

use super::Report;
use super::document::SCHEMA_VERSION;
use super::row::ReportRow;
use crate::exchange::escape;
use crate::exchange::masks::Secrets;
use crate::verdict::result::{Event, RunResult};

/// A line for each event, and the last line.
///
/// # Errors
/// The error of the serialiser, as text.
pub fn render(events: &[Event], result: &RunResult, secrets: &Secrets) -> Result<String, String> {
    let mut out = String::new();
    for event in events {
        out.push_str(&line(event, secrets)?);
    }
    out.push_str(&last_line(result, secrets));
    Ok(out)
}

/// The line of an event, with its line end.
///
/// # Errors
/// The error of the serialiser, as text.
pub fn line(event: &Event, secrets: &Secrets) -> Result<String, String> {
    Ok(ended(&value(event, secrets)?))
}

/// The last line, `finished`.
pub fn last_line(result: &RunResult, secrets: &Secrets) -> String {
    let report = Report::new(result, secrets);
    ended(&json!({
        "event": "finished",
        "schema_version": report.schema_version,
        "outcome": report.outcome.as_str(),
        "exit_code": report.exit_code,
        "trouble": report.trouble,
        "expected": report.expected,
        "counts": report.counts,
        "scenario_counts": report.scenario_counts,
        "duration_seconds": report.duration_seconds,
        "requests_sent": report.requests_sent,
        "seed": report.seed,
        "reproduce": report.reproduce,
    }))
}

fn value(event: &Event, secrets: &Secrets) -> Result<Value, String> {
    Ok(match event {
        Event::Planned { scenarios } => json!({
            "event": "planned",
            "schema_version": SCHEMA_VERSION,
            "moot_version": env!("CARGO_PKG_VERSION"),
            "scenarios": scenarios,
        }),
        Event::Started { name } => json!({"event": "started", "name": secrets.mask(name)}),
        Event::OperatorSaid { action, said } => {
            json!({"event": "operator_said", "action": action, "said": secrets.mask(said)})
        }
        Event::Ended(result) => {
            let mut scenario = (**result).clone();
            scenario.map_texts(secrets);
            let checks: Vec<_> = scenario.checks().map(ReportRow).collect();
            let fault = |error: serde_json::Error| error.to_string();
            json!({
                "event": "ended",
                "scenario": serde_json::to_value(ReportRow(&scenario)).map_err(fault)?,
                "checks": serde_json::to_value(checks).map_err(fault)?,
            })
        }
    })
}

fn ended(value: &Value) -> String {
    format!("{}\n", escape::json(&value.to_string()))
}
