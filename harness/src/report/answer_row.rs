//! Answers to open questions, as reports show them.

use moot_fixtures::questions;
use serde::Serialize;
use serde_json::Value;

use crate::client::answers::{AnswersEvidence, Sample};
use crate::exchange::{ObservedAnswer, escape};
use crate::report::terminal::first_of;
use crate::verdict::result::{RunResult, TextMap};

/// The answers of a target to one question.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerRow {
    /// The id of the question.
    pub question: String,
    /// The clause.
    pub section: String,
    /// The question as a sentence.
    pub ask: Option<String>,
    /// The different answers, in the order of their first occurrence.
    pub answers: Vec<Sample>,
    /// The steps that observed them, at most 10.
    pub seen_in: Vec<String>,
    /// The answer in an answers file for the mock. Only for people, because programs read that file.
    #[serde(skip)]
    pub imitated: Option<Value>,
}

/// The answers of a run. Every text passes `map`.
pub(super) fn answers(result: &RunResult, map: &impl TextMap) -> Vec<AnswerRow> {
    let shown = |value: &Value| {
        // The whole value is mapped as text, so that a secret inside it is masked too.
        let mapped = map.block(&value.to_string());
        serde_json::from_str(&mapped).unwrap_or(Value::String(mapped))
    };
    let imitated = AnswersEvidence::of_run(&result.answers).answers;
    let row = |seen: &ObservedAnswer| AnswerRow {
        imitated: imitated.get(&seen.question).map(shown),
        question: seen.question.clone(),
        section: seen.section.clone(),
        ask: questions::get(&seen.question).map(|question| question.ask.clone()),
        answers: seen
            .answers
            .iter()
            .map(|(value, times)| Sample { value: shown(value), times: *times })
            .collect(),
        seen_in: seen.seen_in.iter().map(|step| map.line(step)).collect(),
    };
    result.answers.values().map(row).collect()
}

/// The most characters of a single answer on a line for people.
const ANSWER_CHARACTERS_MAX: usize = 60;
/// The most characters of each answer if there are several.
const EACH_ANSWER_CHARACTERS_MAX: usize = 24;
/// The most answers on a line.
const ANSWERS_SHOWN_MAX: usize = 3;

impl AnswerRow {
    /// The answer on one line: the one for the mock, else the only answer, else the number of answers.
    pub fn line(&self) -> String {
        let short = |value: &Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            escape::cut(&escape::line(&text), ANSWER_CHARACTERS_MAX)
        };
        match (&self.imitated, self.answers.as_slice()) {
            (Some(imitated), _) => short(imitated),
            (None, [only]) if !only.value.is_array() && !only.value.is_object() => {
                short(&only.value)
            }
            (None, seen) if seen.iter().all(|one| one.value.is_number()) => self.seen_line(),
            (None, seen) => format!("free: {} seen", seen.len()),
        }
    }

    /// The first answers on one line. If there are several, each has the number of its occurrences.
    pub fn seen_line(&self) -> String {
        let short = |seen: &Sample, max| escape::cut(&escape::line(&seen.value.to_string()), max);
        if let [only] = self.answers.as_slice() {
            return short(only, ANSWER_CHARACTERS_MAX);
        }
        let shown = self
            .answers
            .iter()
            .map(|seen| format!("{} ×{}", short(seen, EACH_ANSWER_CHARACTERS_MAX), seen.times));
        first_of(shown, ANSWERS_SHOWN_MAX).join(", ")
    }
}
