//! The event stream: one JSON object for each event, a line each, in order.
//!
//! `{"event": "planned", "scenarios": 3}`, `{"event": "started", "name": …}`,
//! `{"event": "ended", "scenario": …, "checks": […]}`, and last
//! `{"event": "finished", "outcome": …, "exit_code": …, "expected": […]}`. Only the last event has the known
//! failures, because they apply only to a whole run. Each line is made, masked and scanned right after its
//! event. A repeated run has a `planned` for each repetition, and one `finished`.

use serde_json::{Value, json};

use super::document::SCHEMA_VERSION;
use super::result_json;
use super::{Format, RenderError, Report};
use crate::exchange::escape;
use crate::exchange::masks::Secrets;
use crate::verdict::result::{Event, RunResult};

/// The line of an event, with its line end.
///
/// # Errors
/// It contains a secret.
pub fn line(event: &Event, secrets: &Secrets) -> Result<String, RenderError> {
    scanned(&value(event, secrets), secrets)
}

/// The last line, `finished`.
///
/// # Errors
/// It contains a secret.
pub fn last_line(result: &RunResult, secrets: &Secrets) -> Result<String, RenderError> {
    let report = Report::new(result, secrets);
    let value = json!({
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
    });
    scanned(&value, secrets)
}

fn value(event: &Event, secrets: &Secrets) -> Value {
    match event {
        Event::Planned { scenarios } => json!({
            "event": "planned",
            "schema_version": SCHEMA_VERSION,
            "moot_version": env!("CARGO_PKG_VERSION"),
            "scenarios": scenarios,
        }),
        Event::Started { name } => {
            json!({"event": "started", "name": secrets.mask(&name.to_string())})
        }
        Event::OperatorSaid { action, said } => {
            json!({"event": "operator_said", "action": action, "said": secrets.mask(said)})
        }
        Event::Ended(result) => {
            let mut scenario = (**result).clone();
            scenario.map_texts(secrets);
            let checks: Vec<Value> = scenario.checks().map(result_json::check).collect();
            json!({ "event": "ended", "scenario": result_json::scenario(&scenario), "checks": checks })
        }
    }
}

fn scanned(value: &Value, secrets: &Secrets) -> Result<String, RenderError> {
    let line = format!("{}\n", escape::json(&value.to_string()));
    if secrets.is_in(&line) { Err(RenderError::SecretFound(Format::Ndjson)) } else { Ok(line) }
}
