//! Latitude: services that answer the open questions differently, each of them conformant.
//!
//! Every seed draws all questions at once ([`combined`]); beside that each question is drawn alone,
//! all others answered as by default (`alone`). The suite must report no `fail`, and what it
//! observed must be what was drawn, wherever an observation tells which answer stands behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use serde::Serialize;
use serde_json::Value;

use super::Bench;
use super::trial::side_by_side;
use crate::environment::{TargetChoice, TargetOptions};
use crate::result::{CheckResult, RunResult};
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;

/// A service with drawn answers, and what the suite said of it.
#[derive(Debug, Clone, Serialize)]
pub struct Drawn {
    /// Its answers: `random:7`, or `list_order: "oldest_first"` where that question alone is drawn;
    /// a file with this line is what `--answers` takes.
    pub answers: String,
    /// What failed although nothing is wrong.
    pub false_fails: Vec<FalseFail>,
    /// Scenarios that did not run, or not to their end, each with the reason.
    pub not_run: BTreeMap<String, String>,
    /// Observed answers that are not the drawn ones.
    pub disagreements: Vec<Disagreement>,
    /// Questions whose drawn answer was seen from outside.
    pub seen: BTreeSet<String>,
}

/// A check that failed although nothing is wrong.
#[derive(Debug, Clone, Serialize)]
pub struct FalseFail {
    /// The requirement.
    pub requirement: String,
    /// `file/scenario[row]`.
    pub scenario: String,
    /// The step.
    pub step: String,
    /// What the check said: the message, what it expected, what came.
    pub said: String,
}

/// An observed answer that is not the drawn one.
#[derive(Debug, Clone, Serialize)]
pub struct Disagreement {
    /// The question.
    pub question: String,
    /// As drawn.
    pub drawn: Value,
    /// As observed.
    pub observed: Value,
}

impl Drawn {
    /// Whether the suite bore it.
    pub fn is_borne(&self) -> bool {
        self.false_fails.is_empty() && self.disagreements.is_empty()
    }
}

/// Tries the services of the seeds 1 to `seeds`, in this order.
pub async fn combined(bench: &Bench, seeds: u64) -> Vec<Drawn> {
    let files = Arc::new(bench.light());
    let trials = (1..=seeds).map(|seed| {
        let drawn = Draw { name: format!("random:{seed}"), seed, answers: answers::draw(seed) };
        tried(bench, drawn, Arc::clone(&files))
    });
    side_by_side(trials, bench.lanes).await
}

/// Answers that were drawn.
pub(super) struct Draw {
    /// For reports.
    pub(super) name: String,
    /// Of the run.
    pub(super) seed: u64,
    /// All of them.
    pub(super) answers: Answers,
}

/// Runs these scenarios on the service that answers like this.
pub(super) async fn tried(bench: &Bench, draw: Draw, files: Arc<Vec<ScenarioFile>>) -> Drawn {
    let answers = Some(draw.answers.clone());
    let options = TargetOptions { seed: draw.seed, answers, ..TargetOptions::default() };
    let result = bench.run(&draw.name, TargetChoice::InProcess, files, options).await;
    judged(draw, &result)
}

fn judged(draw: Draw, result: &RunResult) -> Drawn {
    let all = serde_json::to_value(&draw.answers).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut disagreements = Vec::new();
    for (question, observed) in &result.answers {
        for (value, _) in &observed.answers {
            let imitated = answers::imitate_over(&draw.answers, question, value);
            let Some(answer) = imitated else { continue };
            seen.insert(question.clone());
            if all.get(question) != Some(&answer) {
                let drawn = all.get(question).cloned().unwrap_or_default();
                let (question, observed) = (question.clone(), value.clone());
                disagreements.push(Disagreement { question, drawn, observed });
            }
        }
    }
    let not_run = result.scenarios.iter().filter_map(|scenario| {
        Some((scenario.name.clone(), scenario.not_run.as_ref()?.reason.clone()))
    });
    Drawn {
        answers: draw.name,
        false_fails: false_fails(result),
        not_run: not_run.collect(),
        disagreements,
        seen,
    }
}

/// What failed, or broke off by a fault of ours, in a run of a conformant service.
fn false_fails(result: &RunResult) -> Vec<FalseFail> {
    let mut found = Vec::new();
    if let Some(trouble) = &result.trouble {
        let (requirement, scenario, step) = Default::default();
        found.push(FalseFail { requirement, scenario, step, said: trouble.clone() });
    }
    let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
    for check in steps.flat_map(|step| &step.checks) {
        if matches!(check.verdict, Verdict::Fail | Verdict::Error) {
            found.push(false_fail(check));
        }
    }
    found
}

fn false_fail(check: &CheckResult) -> FalseFail {
    FalseFail {
        requirement: check.subject.as_str().to_owned(),
        scenario: check.scenario.to_string(),
        step: check.step.to_string(),
        said: format!("{}; expected {}, got {}", check.message, check.expected, check.actual),
    }
}
