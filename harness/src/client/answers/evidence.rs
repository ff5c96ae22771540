//! The answers that a run observed, as a file. A mock with this file imitates the deployment.

use std::collections::BTreeMap;

use moot_fixtures::{DataError, answers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::ObservedAnswer;

/// The first lines of a written file.
const HEAD: &str = concat!(
    "# Written by moot ",
    env!("CARGO_PKG_VERSION"),
    ". What was seen of a deployment. `moot mock --answers` takes this file.\n# Below `observed` are the observations.\n"
);

/// An answers file with the observations behind it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswersEvidence {
    /// Answers by question, in the form of an answers file. A question has none if the observations show none.
    pub answers: BTreeMap<String, Value>,
    /// Observations by question.
    pub evidence: BTreeMap<String, Evidence>,
}

/// The observations of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Whether every observation shows the same answer.
    pub steady: bool,
    /// Distinct observations, in their first order.
    pub samples: Vec<Sample>,
    /// Steps that observed it.
    pub seen_in: Vec<String>,
}

/// A distinct observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// A status, a member or a body.
    pub value: Value,
    /// The number of times it was observed.
    pub times: u32,
}

impl AnswersEvidence {
    /// The observations of a run. An answer that no mock may give is left out.
    pub fn of_run(seen: &BTreeMap<String, ObservedAnswer>) -> Self {
        let mut observed = Self::default();
        for (id, one) in seen {
            let merged = answers::merge(id, &one.answers);
            let steady = merged.is_steady;
            let samples = one.answers.iter().cloned();
            let samples = samples.map(|(value, times)| Sample { value, times }).collect();
            let evidence = Evidence { steady, samples, seen_in: one.seen_in.clone() };
            observed.evidence.insert(id.clone(), evidence);
            let allowed = merged.answer.filter(|answer| is_allowed(id, answer));
            observed.answers.extend(allowed.map(|answer| (id.clone(), answer)));
        }
        observed
    }

    /// Reads an answers file. It was written by a run or by hand.
    ///
    /// # Errors
    /// It is no answers file, or contradicts the specification.
    pub fn from_text(text: &str) -> Result<Self, DataError> {
        let file = answers::read_file(text)?;
        let evidence = match file.observed {
            Some(observed) => serde_json::from_value(observed).map_err(|error| {
                let message =
                    format!("`observed` does not have the form that a run writes: {error}");
                let hint = "take it from the file that `moot run --save-answers` wrote".to_owned();
                DataError { hint: Some(hint), ..DataError::new("answers", message) }
            })?,
            None => BTreeMap::new(),
        };
        Ok(Self { answers: file.given, evidence })
    }

    /// The text of the file: YAML with a line for each question.
    pub fn to_text(&self) -> String {
        let mut out = HEAD.to_owned();
        // A JSON text on one line is a YAML text.
        for (id, answer) in &self.answers {
            out.push_str(&format!("{id}: {answer}\n"));
        }
        if !self.evidence.is_empty() {
            out.push_str("observed:\n");
        }
        for (id, evidence) in &self.evidence {
            let evidence = serde_json::to_value(evidence).unwrap_or_default();
            out.push_str(&format!("  {id}: {evidence}\n"));
        }
        out
    }
}

fn is_allowed(id: &str, answer: &Value) -> bool {
    answers::parse(&format!("{id}: {answer}\n")).is_ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::AnswersEvidence;
    use crate::exchange::ObservedAnswer;

    #[track_caller]
    fn check(id: &str, seen: &[(Value, u32)], answer: Option<Value>, steady: bool) {
        let one = ObservedAnswer {
            question: id.to_owned(),
            section: "4".to_owned(),
            answers: seen.to_vec(),
            seen_in: vec!["s/a/b".to_owned()],
        };
        let observed = AnswersEvidence::of_run(&BTreeMap::from([(id.to_owned(), one)]));
        assert_eq!(observed.answers.get(id), answer.as_ref(), "{id}");
        assert_eq!(observed.evidence[id].steady, steady, "{id}");
        let read = AnswersEvidence::from_text(&observed.to_text());
        assert_eq!(read.as_ref(), Ok(&observed));
    }

    #[test]
    fn the_most_frequent_answer_is_kept() {
        check("per_page", &[(json!(25), 3)], Some(json!(25)), true);
        check("other_company", &[(json!(403), 1), (json!(404), 2)], Some(json!(404)), false);
        check("other_company", &[(json!(403), 2), (json!(404), 2)], Some(json!(403)), false);
    }

    #[test]
    fn different_observations_may_show_one_answer() {
        let seen = [(json!("2026-03-05T14:30:00Z"), 1), (json!("2026-03-06T14:30:00Z"), 1)];
        check("timestamps", &seen, Some(json!("seconds")), true);
        check("read_scope", &[(json!(401), 1), (json!(403), 1)], Some(json!("read")), true);
    }

    #[test]
    fn an_answer_that_no_mock_may_give_is_only_evidence() {
        check("per_page", &[(json!(0), 3)], None, true);
        check("upload_success_status", &[(json!(204), 1)], None, true);
        check("webhook_auth_types", &[(json!(["none"]), 1)], None, true);
        check("other_errors", &[(json!(405), 1), (json!(404), 1)], None, false);
        check("upload_size_max", &[(json!(413), 1)], None, true);
    }

    #[test]
    fn parts_of_an_answer_are_joined() {
        let both = json!({ "invalid_client": 401, "other": 401 });
        let seen = [(json!({ "invalid_client": 401 }), 4), (json!({ "other": 401 }), 2)];
        check("token_failure_status", &seen, Some(both), true);
        let revoked = json!({ "endpoint": false, "newer_token": true });
        let seen = [(json!({ "endpoint": 404 }), 1), (json!({ "earlier_token": 401 }), 1)];
        check("token_revocation", &seen, Some(revoked), true);
        let seen = [(json!({ "basic": 422 }), 1), (json!({ "none": 201 }), 1)];
        check("webhook_auth_types", &seen, Some(json!(["none", "bearer"])), true);
        let seen = [(json!({ "basic": 422 }), 1), (json!({ "basic": 201 }), 2)];
        check("webhook_auth_types", &seen, Some(json!(["none", "basic", "bearer"])), false);
    }
}
