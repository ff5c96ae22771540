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
use super::row;
use crate::exchange::escape;
use crate::exchange::masks::Secrets;
use crate::verdict::result::{Event, RunResult};

/// A line for each event, and the last line.
pub fn render(events: &[Event], result: &RunResult, secrets: &Secrets) -> String {
    let lines: String = events.iter().map(|event| line(event, secrets)).collect();
    lines + &last_line(result, secrets)
}

/// The line of an event, with its line end.
pub fn line(event: &Event, secrets: &Secrets) -> String {
    with_line_end(&value(event, secrets))
}

/// The last line, `finished`.
pub fn last_line(result: &RunResult, secrets: &Secrets) -> String {
    let report = Report::new(result, secrets);
    with_line_end(&json!({
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
            let checks: Vec<Value> = scenario.checks().map(row::check).collect();
            json!({ "event": "ended", "scenario": row::scenario(&scenario), "checks": checks })
        }
    }
}

fn with_line_end(value: &Value) -> String {
    format!("{}\n", escape::json(&value.to_string()))
}
