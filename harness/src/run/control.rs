//! The control of a step: the same call without the flaw. If the target refuses it, the step proves nothing.

use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use crate::client::target_file::created_kind;
use crate::scenario::model::{
    ControlRequest, Json, Multipart, RequestBody, RequestShape, RequestStep, Text,
};
use crate::verdict::NotRunKind;
use crate::verdict::check::Document;

use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{judge, prepare, send};

/// Sends the control. Stops the scenario unless it is accepted.
pub(super) async fn check(
    run: &mut ScenarioRun<'_>,
    step: &RequestStep,
    control: &ControlRequest,
) -> Result<(), Stop> {
    let shape = merged(&step.shape, &control.shape);
    let prepared = prepare::request(run, &shape).await?;
    // On a deployment, a control that creates something is sent once per run and application, and again if its
    // response was lost. A control that asks for a token is sent once per set of fields, because the limit of the token
    // endpoint is low.
    let fields = match prepared.operation {
        _ if run.shared.target.is_mock() => None,
        Some(Operation::CreateAccessToken) => Some(sorted_fields(&prepared.body.shown())),
        Some(operation) if created_kind(operation).is_some() => Some(String::new()),
        _ => None,
    };
    let key = fields.map(|fields| {
        format!("{} {} {} {fields}", prepared.application, prepared.method, prepared.path)
    });
    let recorded_key = format!("control {} {}", prepared.method, prepared.path);
    if let Some(key) = &key {
        let known = run.shared.controls.lock().get(key).cloned();
        // A recording is judged in the order of the files, and the run may have had another order.
        match run.session.recording.outcome(&recorded_key) {
            Some(Ok(Value::Bool(true))) => return Ok(()),
            Some(Ok(Value::Null)) => {}
            _ => {
                let is_accepted = known.as_ref().map(Result::is_ok);
                run.session.recording.keep(recorded_key, &Ok(json!(is_accepted)));
                if let Some(known) = known {
                    return known;
                }
            }
        }
    }
    let first = run.record.exchanges.len();
    let outcome = match send::send(run, &shape).await {
        Ok(document) => judge_control(run, control, &document),
        Err(stop) => Err(stop),
    };
    run.record.control = first..run.record.exchanges.len();
    let Some(key) = key else { return outcome };
    let is_final = match outcome.as_ref().err().and_then(Stop::not_run_kind) {
        Some(NotRunKind::RateLimited) => false,
        // One lost response says nothing about the control of a later scenario. The target may have carried out the
        // call, so it is sent only once more.
        Some(NotRunKind::NoAnswer) => !run.shared.lost_controls.lock().insert(key.clone()),
        _ => true,
    };
    if is_final {
        run.shared.controls.lock().insert(key, outcome.clone());
    }
    outcome
}

/// The fields of a form in a fixed order.
fn sorted_fields(form: &str) -> String {
    let mut fields: Vec<&str> = form.split('&').collect();
    fields.sort_unstable();
    fields.join("&")
}

fn judge_control(
    run: &ScenarioRun<'_>,
    control: &ControlRequest,
    document: &Document,
) -> Result<(), Stop> {
    match (&control.require, document.status) {
        (Some(require), _) => judge::holds(run, require, document, NotRunKind::Control),
        (None, Some(200..=299)) => Ok(()),
        (None, status) => {
            let status = status.map_or_else(|| "unknown".to_owned(), |status| status.to_string());
            let reason = format!("{} (status {status})", judge::CONTROL);
            Err(Stop::not_run(NotRunKind::Control, reason))
        }
    }
}

/// The shape of a control: that of its step, except for the values that the control replaces. Maps merge by key.
pub(super) fn merged(own: &RequestShape, control: &RequestShape) -> RequestShape {
    RequestShape {
        line: control.line.clone().or_else(|| own.line.clone()),
        token: control.token.clone().or_else(|| own.token.clone()),
        application: control.application.clone().or_else(|| own.application.clone()),
        query: merged_map(&own.query, &control.query),
        headers: merged_map(&own.headers, &control.headers),
        body: match (&own.body, &control.body) {
            (Some(RequestBody::Form(ours)), Some(RequestBody::Form(theirs))) => {
                Some(RequestBody::Form(merged_map(ours, theirs)))
            }
            (Some(RequestBody::Multipart(ours)), Some(RequestBody::Multipart(theirs))) => {
                Some(RequestBody::Multipart(merged_multipart(ours, theirs)))
            }
            (Some(RequestBody::Json(ours)), Some(RequestBody::Json(theirs))) => {
                Some(RequestBody::Json(merged_json(ours, theirs)))
            }
            (ours, None) => ours.clone(),
            (_, Some(theirs)) => Some(theirs.clone()),
        },
    }
}

fn merged_map(own: &[(Text, Json)], control: &[(Text, Json)]) -> Vec<(Text, Json)> {
    let mut entries = own.to_vec();
    for (key, value) in control {
        match entries.iter_mut().find(|(known, _)| known.pieces == key.pieces) {
            Some(entry) => entry.1 = value.clone(),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    entries
}

fn merged_json(own: &Json, control: &Json) -> Json {
    match (own, control) {
        (Json::Map(ours), Json::Map(theirs)) => Json::Map(merged_map(ours, theirs)),
        (Json::Map(_) | Json::List(_) | Json::Text(_) | Json::Fixed(_), theirs) => theirs.clone(),
    }
}

fn merged_multipart(own: &Multipart, control: &Multipart) -> Multipart {
    Multipart {
        from_schema: control.from_schema.clone().or_else(|| own.from_schema.clone()),
        set: merged_map(&own.set, &control.set),
        append: merged_map(&own.append, &control.append),
        content_types: merged_map(&own.content_types, &control.content_types),
        omit_variables: control.omit_variables.clone().or_else(|| own.omit_variables.clone()),
        omit: control.omit.clone().or_else(|| own.omit.clone()),
        parts: control.parts.clone().or_else(|| own.parts.clone()),
    }
}
