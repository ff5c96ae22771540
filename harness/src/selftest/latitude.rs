//! Latitude: services that answer the open questions differently, each of them conformant.
//!
//! Every seed draws all questions at once. The suite must report no `fail`, and what it observed
//! must be what was drawn, wherever an observation tells which answer stands behind it.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt};
use moot_fixtures::answers;
use serde::Serialize;
use serde_json::Value;

use super::Bench;
use crate::run::result::{CheckResult, RunResult, Subject};
use crate::target::{TargetChoice, TargetOptions};
use crate::verdict::Verdict;

/// A service with drawn answers, and what the suite said of it.
#[derive(Debug, Clone, Serialize)]
pub struct Drawn {
    /// `random:SEED` are its answers.
    pub seed: u64,
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
pub async fn latitude(bench: &Bench, seeds: u64) -> Vec<Drawn> {
    let files = bench.light();
    let trials = (1..=seeds).map(|seed| {
        let answers = Some(answers::draw(seed));
        let options = TargetOptions { seed, answers, ..TargetOptions::default() };
        let trial = bench.run(TargetChoice::InProcess, files.clone(), options);
        async move { judged(seed, &trial.await) }
    });
    stream::iter(trials).buffered(bench.lanes).collect().await
}

fn judged(seed: u64, result: &RunResult) -> Drawn {
    let drawn = answers::draw(seed);
    let all = serde_json::to_value(&drawn).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut disagreements = Vec::new();
    for (question, observed) in &result.answers {
        for (value, _) in &observed.answers {
            let Some(answer) = answers::imitate_over(&drawn, question, value) else { continue };
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
        seed,
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
    let requirement = match &check.subject {
        Subject::Requirement(id) | Subject::Question(id) | Subject::Snapshot(id) => id.clone(),
    };
    FalseFail {
        requirement,
        scenario: check.scenario.clone(),
        step: check.step.clone(),
        said: format!("{}; expected {}, got {}", check.message, check.expected, check.actual),
    }
}
