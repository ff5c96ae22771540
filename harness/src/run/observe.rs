//! Answers to open questions, as they are seen.

use std::sync::Arc;

use moot_fixtures::contract::{AnswerStanding as Latitude, Level};
use moot_fixtures::questions;
use serde_json::Value;

use crate::exchange::{AnswerSight, Exchange};
use crate::scenario::model::{AnswerPlace, Observation, Place};
use crate::verdict::Verdict;
use crate::verdict::check::{self, AnswerPart, Document, MismatchKind};
use crate::verdict::result::{CheckResult, Subject};

use super::scenario_walk::ScenarioWalk;

/// Keeps what the step observes; a check each, `observed`, or `warn` beyond the latitude.
pub(super) fn observe(
    walk: &ScenarioWalk<'_>,
    observations: &[Observation],
    document: &Document,
    exchange: Option<&Arc<Exchange>>,
) -> Vec<CheckResult> {
    let observe = |observation: &Observation| {
        let found = check::place::observed(&observation.place, document, &walk.names);
        let mut result =
            answer(walk, &observation.question, found.unwrap_or(Value::Null), exchange);
        result.place = Some(observation.at.clone());
        match result.verdict {
            Verdict::Drift => {
                result.part = Some(part(&observation.place));
                result.pointer = pointer(walk, observation, document);
            }
            Verdict::Warn => result.pointer = pointer(walk, observation, document),
            _ => {}
        }
        result
    };
    observations.iter().map(observe).collect()
}

/// Keeps one answer. Its check is `observed`, `warn` beyond the latitude, or `drift` from a pin.
pub(super) fn answer(
    walk: &ScenarioWalk<'_>,
    id: &str,
    value: Value,
    exchange: Option<&Arc<Exchange>>,
) -> CheckResult {
    let mut result = walk.origin().blank(id, None, exchange.cloned());
    result.subject = Subject::Question(id.to_owned().into());
    result.level = Some(Level::Open);
    let Some(question) = questions::get(id) else {
        result.verdict = Verdict::Error;
        "the question is not in the list of questions".clone_into(&mut result.message);
        return result;
    };
    result.section = question.section.as_str().into();
    result.actual = shown(walk, &value);
    let is_within = question.judge(&value) == Latitude::Within;
    if value.is_null() && !is_within {
        "it could not be seen here".clone_into(&mut result.message);
        return result;
    }
    result.verdict = if is_within { Verdict::Observed } else { Verdict::Warn };
    if !is_within {
        result.expected = question.latitude.to_string();
        result.message = format!("the answer to `{id}` is outside its latitude");
    }
    if let Some(pinned) = walk.shared.target.pins().broken_by(id, &value, is_within) {
        result.verdict = Verdict::Drift;
        result.mismatch = Some(MismatchKind::Value);
        result.expected = pinned.to_string();
        "the answer differs from the pinned one".clone_into(&mut result.message);
    }
    keep(walk, id, &question.section, value);
    result
}

fn part(place: &AnswerPlace) -> AnswerPart {
    match place {
        AnswerPlace::Whole(Place::Status) => AnswerPart::Status,
        AnswerPlace::Whole(Place::Header(name)) => AnswerPart::Header(name.to_ascii_lowercase()),
        AnswerPlace::Whole(_) | AnswerPlace::Members(_) => AnswerPart::Body,
    }
}

/// Where it was seen, where that is one place.
fn pointer(
    walk: &ScenarioWalk<'_>,
    observation: &Observation,
    document: &Document,
) -> Option<String> {
    match &observation.place {
        AnswerPlace::Whole(place) => check::place::pointer(place, "", document, &walk.names),
        AnswerPlace::Members(_) => None,
    }
}

fn shown(walk: &ScenarioWalk<'_>, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    walk.shared.options.masks.mask(&check::shortened(&text))
}

fn keep(walk: &ScenarioWalk<'_>, id: &str, section: &str, value: Value) {
    walk.answers.lock().push(AnswerSight {
        question: id.to_owned(),
        section: section.to_owned(),
        value: masked(walk, value),
        place: format!("{}/{}", walk.name, walk.label),
    });
}

/// The value with every text masked.
fn masked(walk: &ScenarioWalk<'_>, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(walk.shared.options.masks.mask(&text)),
        Value::Array(items) => items.into_iter().map(|item| masked(walk, item)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, member)| (name, masked(walk, member))).collect()
        }
        other => other,
    }
}
