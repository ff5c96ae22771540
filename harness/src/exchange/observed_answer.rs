//! The answers that a run observed to open questions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Distinct answers kept for one question.
const ANSWERS_MAX: usize = 20;

/// Steps kept for one question.
const SEEN_IN_MAX: usize = 10;

/// The answers that a run observed to one open question.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedAnswer {
    /// Id of the question.
    pub question: String,
    /// The clause.
    pub section: String,
    /// Distinct answers in the order first observed, each with its count.
    pub answers: Vec<(Value, u32)>,
    /// Steps that observed it, at most 10.
    pub seen_in: Vec<String>,
}

/// One answer that a step observed. Its texts are masked, and its addresses have no query.
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

/// Groups observations by question. The same observations in the same order give the same result.
pub fn by_question<'a>(
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

/// An address without its query, which may be the signature of a download. Any other text is not changed.
pub(crate) fn without_query(text: &str) -> &str {
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    let query = text.find('?').filter(|_| is_address).unwrap_or(text.len());
    &text[..query]
}

#[cfg(test)]
mod tests {
    use super::without_query;

    #[test]
    fn only_addresses_lose_their_query() {
        for (text, expected) in [
            ("https://files.example/a.pdf?sig=abc&b=?", "https://files.example/a.pdf"),
            ("http://files.example/a.pdf", "http://files.example/a.pdf"),
            ("is this an address?", "is this an address?"),
        ] {
            assert_eq!(without_query(text), expected);
        }
    }
}
