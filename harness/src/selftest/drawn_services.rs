//! Conformant services with answers to all open questions that are drawn by a seed.
//!
//! The suite must report no `fail` on them, and every observed answer must be the drawn one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::trial::{TrialEnvironment, of_shard, side_by_side};
use crate::run::LIST_LAG;
use crate::run::environment::{Shard, TargetChoice, TargetOptions};
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, RunResult};

/// A service with drawn answers, and the report of the suite.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DrawnService {
    /// Its answers, as for `--answers`: `random:7`, or `list_order: "oldest_first"` as the only line of a file.
    pub answers: String,
    /// Checks that failed although nothing is wrong.
    pub false_fails: Vec<FalseFail>,
    /// Scenarios that did not run to their end, each with the reason.
    pub not_run: BTreeMap<String, String>,
    /// Observed answers that are not the drawn ones.
    pub disagreements: Vec<Disagreement>,
    /// Questions whose answer was observed.
    pub seen: BTreeSet<String>,
}

/// A check that failed although nothing is wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FalseFail {
    /// The requirement.
    pub requirement: String,
    /// `file/scenario[row]`.
    pub scenario: String,
    /// The step.
    pub step: String,
    /// The message of the check, with the expected and the actual value.
    pub said: String,
}

/// An observed answer that is not the drawn one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Disagreement {
    /// The question.
    pub question: String,
    /// As drawn.
    pub drawn: Value,
    /// As observed.
    pub observed: Value,
}

impl DrawnService {
    /// Whether the suite found nothing wrong.
    pub fn is_passed(&self) -> bool {
        self.false_fails.is_empty() && self.disagreements.is_empty()
    }
}

/// Tries the services of a shard, from those with the seeds 1 to `seeds`.
pub async fn combined(bench: &TrialEnvironment, seeds: u64, shard: Shard) -> Vec<DrawnService> {
    let files = Arc::new(bench.light());
    let trials = of_shard(1..=seeds, shard).map(|(_, seed)| {
        let drawn =
            AnswerDraw { name: format!("random:{seed}"), seed, answers: answers::draw(seed) };
        try_answers(bench, drawn, Arc::clone(&files))
    });
    side_by_side(trials, bench.lanes).await
}

/// A set of drawn answers.
pub(super) struct AnswerDraw {
    /// The name in reports.
    pub(super) name: String,
    /// The seed of the run.
    pub(super) seed: u64,
    pub(super) answers: Answers,
}

/// Runs scenarios on the service with these answers.
pub(super) async fn try_answers(
    bench: &TrialEnvironment,
    draw: AnswerDraw,
    files: Arc<Vec<ScenarioFile>>,
) -> DrawnService {
    let answers = Some(draw.answers.clone());
    let options = TargetOptions { seed: draw.seed, answers, ..TargetOptions::default() };
    let result = bench.run(&draw.name, TargetChoice::InProcess, files, options).await;
    judge(draw, &result)
}

fn judge(draw: AnswerDraw, result: &RunResult) -> DrawnService {
    let all = answers::to_map(&draw.answers);
    let mut seen = BTreeSet::new();
    let mut disagreements = Vec::new();
    for (question, observed) in &result.answers {
        for (value, _) in &observed.answers {
            let imitated = answers::imitate_over(&draw.answers, question, value);
            let Some(answer) = imitated else { continue };
            seen.insert(question.clone());
            // A lag is measured from the first call after the change, so the observed lag may be shorter.
            if question != LIST_LAG && all.get(question) != Some(&answer) {
                let drawn = all.get(question).cloned().unwrap_or_default();
                let (question, observed) = (question.clone(), value.clone());
                disagreements.push(Disagreement { question, drawn, observed });
            }
        }
    }
    let not_run = result.scenarios.iter().filter_map(|scenario| {
        Some((scenario.name.to_string(), scenario.not_run.as_ref()?.reason.clone()))
    });
    DrawnService {
        answers: draw.name,
        false_fails: false_fails(result),
        not_run: not_run.collect(),
        disagreements,
        seen,
    }
}

/// Checks that failed or broke off in a run on a conformant service.
fn false_fails(result: &RunResult) -> Vec<FalseFail> {
    let mut found = Vec::new();
    if let Some(trouble) = &result.trouble {
        let (requirement, scenario, step) = Default::default();
        found.push(FalseFail { requirement, scenario, step, said: trouble.clone() });
    }
    for check in result.checks() {
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
