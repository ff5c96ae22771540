//! What a run saw of a deployment's answers, as the file that imitates it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use moot_fixtures::{DataError, answers};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::result::ObservedAnswer;

/// What stands at the head of a written file.
const HEAD: &str = "# What was seen of a deployment. `moot mock --answers` takes this file; below \
                    `observed` stands from what.\n";

/// Questions about all values of a member: rows show some, and never that there are no others.
const SEEN_IN_ROWS: [&str; 2] = ["event_kinds", "webhook_auth_types"];

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
            let told = told(id, &one.answers);
            let steady = match told.len() {
                0 => one.answers.len() == 1,
                count => count == 1,
            };
            let samples = one.answers.iter().cloned();
            let samples = samples.map(|(value, times)| Sample { value, times }).collect();
            let evidence = Evidence { steady, samples, seen_in: one.seen_in.clone() };
            observed.evidence.insert(id.clone(), evidence);
            // The first of the most frequent.
            let most = told.iter().map(|(_, times)| *times).max();
            if let Some((answer, _)) = told.into_iter().find(|(_, times)| Some(*times) == most) {
                observed.answers.insert(id.clone(), answer);
            }
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
            writeln!(out, "{id}: {answer}").expect("a String takes all");
        }
        if !self.evidence.is_empty() {
            out.push_str("observed:\n");
        }
        for (id, evidence) in &self.evidence {
            let evidence = serde_json::to_value(evidence).unwrap_or_default();
            writeln!(out, "  {id}: {evidence}").expect("a String takes all");
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

/// The distinct answers that the observations of a question tell, each with how often.
fn told(id: &str, seen: &[(Value, u32)]) -> Vec<(Value, u32)> {
    let mut told: Vec<(Value, u32)> = Vec::new();
    if SEEN_IN_ROWS.contains(&id) {
        return told;
    }
    for (value, times) in seen {
        let Some(answer) = answers::imitate(id, value) else { continue };
        match told.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, known)) => *known += times,
            None => told.push((answer, *times)),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::Observed;
    use crate::run::result::ObservedAnswer;

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
    }
}
