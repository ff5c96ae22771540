//! The answers that a run saw of one open question.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Distinct answers kept of one question.
const ANSWERS_MAX: usize = 20;

/// Places kept of one question.
const SEEN_IN_MAX: usize = 10;

/// An answer seen of an open question.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedAnswer {
    /// Id of the question.
    pub question: String,
    /// The clause.
    pub section: String,
    /// Distinct answers in the order first seen, each with how often.
    pub answers: Vec<(Value, u32)>,
    /// Steps where it was seen, at most 10.
    pub seen_in: Vec<String>,
}

/// One answer that a step of a scenario saw. Its texts are masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSight {
    /// Id of the question.
    pub question: String,
    /// The clause.
    pub section: String,
    /// The answer.
    pub value: Value,
    /// `stem/id[row]/step`.
    pub place: String,
}

/// The answers by question. The same sights in the same order give the same answers.
pub fn gathered<'a>(
    sights: impl IntoIterator<Item = &'a AnswerSight>,
) -> BTreeMap<String, ObservedAnswer> {
    let mut all: BTreeMap<String, ObservedAnswer> = BTreeMap::new();
    for sight in sights {
        let answer = all.entry(sight.question.clone()).or_insert_with(|| ObservedAnswer {
            question: sight.question.clone(),
            section: sight.section.clone(),
            answers: Vec::new(),
            seen_in: Vec::new(),
        });
        match answer.answers.iter().position(|(known, _)| *known == sight.value) {
            Some(at) => answer.answers[at].1 += 1,
            None if answer.answers.len() < ANSWERS_MAX => {
                answer.answers.push((sight.value.clone(), 1));
            }
            None => {}
        }
        if answer.seen_in.len() < SEEN_IN_MAX && !answer.seen_in.contains(&sight.place) {
            answer.seen_in.push(sight.place.clone());
        }
    }
    all
}
