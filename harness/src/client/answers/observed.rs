//! What a run saw of a deployment's answers, as the file that imitates it.

use std::collections::BTreeMap;

use moot_fixtures::{DataError, answers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::ObservedAnswer;

/// What stands at the head of a written file.
const HEAD: &str = concat!(
    "# Written by moot ",
    env!("CARGO_PKG_VERSION"),
    ". What was seen of a deployment. `moot mock --answers` takes this file.\n# Below `observed` are the observations.\n"
);

/// An answers file with what it was made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// By question, in the form of an answers file; none where the observations tell none.
    pub answers: BTreeMap<String, Value>,
    /// By question, what was seen.
    pub evidence: BTreeMap<String, Evidence>,
}

/// What was seen of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Whether every observation tells the same answer.
    pub steady: bool,
    /// Distinct observations, in the order first seen.
    pub samples: Vec<Sample>,
    /// Steps where it was seen.
    pub seen_in: Vec<String>,
}

/// One observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// A status, a member, a body.
    pub value: Value,
    /// How often.
    pub times: u32,
}

impl Observed {
    /// What a run saw.
    pub fn of_run(seen: &BTreeMap<String, ObservedAnswer>) -> Self {
        let mut observed = Self::default();
        for (id, one) in seen {
            let settled = answers::settle(id, &one.answers);
            let steady = settled.is_steady;
            let samples = one.answers.iter().cloned();
            let samples = samples.map(|(value, times)| Sample { value, times }).collect();
            let evidence = Evidence { steady, samples, seen_in: one.seen_in.clone() };
            observed.evidence.insert(id.clone(), evidence);
            observed.answers.extend(settled.answer.map(|answer| (id.clone(), answer)));
        }
        observed.only_allowed()
    }

    /// Reads an answers file, made by a run or by hand.
    ///
    /// # Errors
    /// It is none, or contradicts the specification.
    pub fn from_text(text: &str) -> Result<Self, DataError> {
        let file = answers::read_file(text)?;
        let evidence = match file.observed {
            Some(observed) => serde_json::from_value(observed).map_err(|error| DataError {
                file: "answers".to_owned(),
                place: None,
                message: format!("`observed` is not what a run writes: {error}"),
                hint: Some("take it from the file that `moot run --save-answers` wrote".to_owned()),
            })?,
            None => BTreeMap::new(),
        };
        Ok(Self { answers: file.given, evidence })
    }

    /// The whole file: YAML, a line for each question.
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

    /// Without the answers that no mock may give; what was seen of them stays.
    fn only_allowed(mut self) -> Self {
        let is_allowed =
            |id: &str, answer: &Value| answers::parse(&format!("{id}: {answer}\n")).is_ok();
        self.answers.retain(|id, answer| is_allowed(id, answer));
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::Observed;
    use crate::exchange::ObservedAnswer;

    #[track_caller]
    fn check(id: &str, seen: &[(Value, u32)], answer: Option<Value>, steady: bool) {
        let one = ObservedAnswer {
            question: id.to_owned(),
            section: "4".to_owned(),
            answers: seen.to_vec(),
            seen_in: vec!["s/a/b".to_owned()],
        };
        let observed = Observed::of_run(&BTreeMap::from([(id.to_owned(), one)]));
        assert_eq!(observed.answers.get(id), answer.as_ref(), "{id}");
        assert_eq!(observed.evidence[id].steady, steady, "{id}");
        let read = Observed::from_text(&observed.to_text());
        assert_eq!(read.as_ref(), Ok(&observed));
    }

    #[test]
    fn the_most_frequent_answer_is_kept() {
        check("per_page", &[(json!(25), 3)], Some(json!(25)), true);
        check("other_company", &[(json!(403), 1), (json!(404), 2)], Some(json!(404)), false);
        check("other_company", &[(json!(403), 2), (json!(404), 2)], Some(json!(403)), false);
    }

    #[test]
    fn different_observations_may_tell_one_answer() {
        let seen = [(json!("2026-03-05T14:30:00Z"), 1), (json!("2026-03-06T14:30:00Z"), 1)];
        check("timestamps", &seen, Some(json!("seconds")), true);
        check("read_scope", &[(json!(401), 1), (json!(403), 1)], Some(json!("read")), true);
    }

    #[test]
    fn what_no_mock_may_do_is_only_evidence() {
        check("per_page", &[(json!(0), 3)], None, true);
        check("upload_success_status", &[(json!(204), 1)], None, true);
        check("webhook_auth_types", &[(json!(["none"]), 1)], None, true);
        check("other_errors", &[(json!(405), 1), (json!(404), 1)], None, false);
        check("upload_size_max", &[(json!(413), 1)], None, true);
    }

    #[test]
    fn parts_of_an_answer_come_together() {
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
