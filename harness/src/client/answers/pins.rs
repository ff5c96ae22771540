//! Answers that a target file pins. A different answer is drift.

use std::collections::BTreeMap;
use std::path::Path;

use moot_fixtures::answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AnswersEvidence;
use crate::scenario::yaml_file;

/// The answers that a deployment must give.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pins {
    /// By question: the answer, followed by the other observed ones if it varied.
    allowed: BTreeMap<String, Vec<Value>>,
}

impl Pins {
    /// The pins of an answers file.
    ///
    /// # Errors
    /// The file can't be read, is no answers file, or contradicts the specification. The message has its name.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display().to_string();
        let text = yaml_file::text(path, "file of pinned answers").map_err(|it| it.to_string())?;
        let observed =
            AnswersEvidence::from_text(&text).map_err(|error| error.in_file(&shown).to_string())?;
        Ok(Self::of(observed))
    }

    fn of(observed: AnswersEvidence) -> Self {
        let AnswersEvidence { answers, mut evidence } = observed;
        let allowed = answers
            .into_iter()
            .map(|(id, answer)| {
                let samples = evidence.remove(&id).map(|one| one.samples).unwrap_or_default();
                let others = samples
                    .iter()
                    .filter(|one| answers::fits(&id, &answer, &one.value) == Some(false));
                let varied: Vec<Value> =
                    others.filter_map(|one| answers::imitate(&id, &one.value)).collect();
                (id, [vec![answer], varied].concat())
            })
            .collect();
        Self { allowed }
    }

    /// The pinned answer, if this observation shows a different one. `is_within` tells whether the observation is one
    /// that the question allows. Such an observation shows nothing if it fits no answer or several. Any other one is a
    /// different answer.
    pub fn broken_by(&self, id: &str, observed: &Value, is_within: bool) -> Option<&Value> {
        let allowed = self.allowed.get(id)?;
        let mut fits = allowed.iter().filter_map(|answer| answers::fits(id, answer, observed));
        let is_kept = match fits.next() {
            Some(first) => first || fits.any(|fits| fits),
            None => is_within,
        };
        allowed.first().filter(|_| !is_kept)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Pins;
    use crate::client::answers::AnswersEvidence;

    #[test]
    fn only_another_answer_breaks_a_pin() {
        let text = "other_company: 404\nread_scope: read\ntoken_failure_status: {invalid_client: \
                    400, other: 401}\nobserved:\n  other_company: {\"steady\": \
                    false, \"samples\": [{\"value\": 403, \"times\": 1}], \"seen_in\": []}\n";
        let pins = Pins::of(AnswersEvidence::from_text(text).expect("an answers file"));
        for (id, observed, is_within, expected) in [
            ("other_company", json!(404), true, None),
            ("other_company", json!(403), true, None),
            ("read_scope", json!(403), true, None),
            ("read_scope", json!(200), true, Some(json!("read"))),
            ("per_page", json!(10), false, None),
            ("read_scope", json!("nonsense"), true, None),
            ("read_scope", json!("nonsense"), false, Some(json!("read"))),
            ("token_failure_status", json!({ "other": 401 }), true, None),
            ("token_failure_status", json!({ "invalid_client": 400 }), true, None),
        ] {
            let broken = pins.broken_by(id, &observed, is_within);
            assert_eq!(broken, expected.as_ref(), "{id} {observed}");
        }
    }
}
