//! The event stream: one JSON object a line, in the order things happened.
//!
//! `{"event": "planned", "scenarios": 3}`, `{"event": "started", "name": …}`,
//! `{"event": "ended", "scenario": …, "checks": […]}`, and last
//! `{"event": "finished", "outcome": …, "exit_code": …, "expected": […]}`. Known failures are told
//! there alone: whether they apply is known only at the end. It is rendered when the run has ended: only
//! then all secrets that must not stand in it are known.

use serde_json::{Value, json};

use super::build;
use super::escape;
use super::secret::Secrets;
use crate::run::Event;
use crate::run::result::RunResult;

/// A line an event, and one for the end.
///
/// # Errors
/// The serialiser's, as text.
pub fn render(events: &[Event], result: &RunResult, secrets: &Secrets) -> Result<String, String> {
    let mut out = String::new();
    for event in events {
        push(&mut out, &value(event, secrets)?);
    }
    let report = build::raw(result, secrets);
    push(
        &mut out,
        &json!({
            "event": "finished",
            "schema_version": report.schema_version,
            "outcome": report.outcome,
            "exit_code": report.exit_code,
            "trouble": report.trouble,
            "expected": report.expected,
            "counts": report.counts,
            "scenario_counts": report.scenario_counts,
            "duration_seconds": report.duration_seconds,
            "requests_sent": report.requests_sent,
            "seed": report.seed,
            "reproduce": report.reproduce,
        }),
    );
    Ok(out)
}

fn value(event: &Event, secrets: &Secrets) -> Result<Value, String> {
    Ok(match event {
        Event::Planned { scenarios } => json!({"event": "planned", "scenarios": scenarios}),
        Event::Started { name } => json!({"event": "started", "name": secrets.mask(name)}),
        Event::Ended(result) => {
            let (scenario, checks) = build::raw_scenario(result, secrets);
            let fault = |error: serde_json::Error| error.to_string();
            json!({
                "event": "ended",
                "scenario": serde_json::to_value(scenario).map_err(fault)?,
                "checks": serde_json::to_value(checks).map_err(fault)?,
            })
        }
    })
}

fn push(out: &mut String, value: &Value) {
    out.push_str(&escape::json(&value.to_string()));
    out.push('\n');
}
