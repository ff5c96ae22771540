//! A run observes the answers of a service, and a mock that loads them behaves like that service. The tests use drawn
//! sets of answers in process. Together they have every value of the first twenty sets. Every drawn answer is observed,
//! except for a closed list of questions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use moot_harness::client::answers::{AnswersEvidence, UNDECIDABLE};
use moot_harness::run::LIST_LAG;
use moot_harness::run::environment::{TargetChoice, TargetOptions};
use moot_harness::scenario::model::{AnswerPlace, ScenarioFile, Step, StepAction};
use moot_harness::scenario::{declared, load};
use moot_harness::selftest::TrialEnvironment;
use serde_json::Value;

/// Drawn sets whose values are observed.
const SETS: u64 = 20;

/// Sets whose loaded answers are also judged. For the others the loaded answers are only compared with the drawn ones.
const SETS_JUDGED_AGAIN: usize = 2;

/// Sets for which the limits of §8 are also observed, with hundreds of calls and hundreds of megabytes.
const SETS_OF_LIMITS: u64 = 2;

/// Questions that only the scenarios of §8 observe.
const OF_LIMITS: [&str; 4] =
    ["rate_limit_response", "rate_limit_window", "support_document_size", "token_rate_limit"];

/// The assumed number of rows of a loop.
const ROWS: usize = 5;

/// For each part of each question: the shortest of these scenarios that observes it.
fn bench(takes: impl Fn(&ScenarioFile, usize) -> bool) -> TrialEnvironment {
    let files = load::bundled().expect("the bundled suite is sound");
    let all = TrialEnvironment { files, lanes: 4, jobs: 2, tell: Arc::new(|_| ()) };
    let mut shortest: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for file in &all.files {
        for (at, scenario) in file.scenarios.iter().enumerate().filter(|(at, _)| takes(file, *at)) {
            debug_assert_eq!(scenario.id, file.scenarios[at].id);
            let rows = if scenario.for_each.is_some() { ROWS } else { 1 };
            let key = (rows * length(&scenario.steps), scenario.id.clone());
            for part in parts(&scenario.steps) {
                let known = shortest.entry(part).or_insert_with(|| key.clone());
                *known = key.clone().min(known.clone());
            }
        }
    }
    let chosen: BTreeSet<String> = shortest.into_values().map(|(_, id)| id).collect();
    TrialEnvironment { files: all.only(|_, scenario| chosen.contains(&scenario.id)), ..all }
}

/// Whether a scenario sends many requests or bytes to test a limit.
fn is_of_limits(file: &ScenarioFile, at: usize) -> bool {
    file.section == "8" && file.scenarios[at].id != "largest-text-field"
        || file.scenarios[at].tags.iter().any(|tag| tag == "heavy")
}

/// Questions that a step observes, each with the observed members of the answer.
fn parts(steps: &[Step]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for step in steps {
        found.extend(parts(declared::inner(step)));
        for observation in declared::observations(step) {
            let members = match &observation.place {
                AnswerPlace::Whole(_) => String::new(),
                AnswerPlace::Members(members) => format!(
                    "{:?}",
                    members.iter().map(|(name, _)| &name.pieces).collect::<Vec<_>>()
                ),
            };
            found.insert(format!("{} {members}", observation.question));
        }
    }
    found
}

fn length(steps: &[Step]) -> usize {
    let one = |step: &Step| match &step.action {
        StepAction::ForEach(_, steps) => ROWS * length(steps),
        _ => 1 + length(declared::inner(step)),
    };
    steps.iter().map(one).sum()
}

/// The answers that a run observes on a mock with these answers.
async fn observed(bench: &TrialEnvironment, seed: u64, answers: Answers) -> AnswersEvidence {
    let options = TargetOptions { seed, answers: Some(answers), ..TargetOptions::default() };
    let result = bench.run("random", TargetChoice::InProcess, bench.files.clone(), options).await;
    assert_eq!(result.exit_code(), 0, "{seed}: {:?}", result.trouble);
    AnswersEvidence::of_run(&result.answers)
}

/// The drawn answers of a seed, each with its question.
fn drawn(seed: u64) -> Vec<(String, Value)> {
    let drawn = serde_json::to_value(answers::draw(seed)).expect("plain data");
    drawn.as_object().expect("an object").clone().into_iter().collect()
}

/// The values in an answer, each with its place. The members are observed separately.
fn values(place: &str, answer: &Value) -> Vec<String> {
    match answer.as_object() {
        Some(members) => members
            .iter()
            .flat_map(|(name, member)| values(&format!("{place}/{name}"), member))
            .collect(),
        None => vec![format!("{place}: {answer}")],
    }
}

/// Seeds up to `sets` that together draw every value that any of them draws. The next seed is always the one with the
/// most missing values.
fn covering(sets: u64) -> Vec<u64> {
    let of = |seed| drawn(seed).into_iter().flat_map(|(id, answer)| values(&id, &answer));
    let mut missing: BTreeSet<String> = (1..=sets).flat_map(of).collect();
    let mut seeds = Vec::new();
    while !missing.is_empty() {
        let news = |seed: &u64| of(*seed).filter(|value| missing.contains(value)).count();
        let next = (1..=sets).rev().max_by_key(news).expect("there is a set");
        of(next).for_each(|value| {
            missing.remove(&value);
        });
        seeds.push(next);
    }
    seeds
}

/// The answers that a run observes for a drawn set, and those that a mock loads from the file of that run.
async fn there_and_back(
    bench: &TrialEnvironment,
    seed: u64,
    is_judged_again: bool,
) -> (BTreeMap<String, Value>, Answers) {
    let first = observed(bench, seed, answers::draw(seed)).await;
    let text = first.to_text();
    let loaded = answers::parse(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
    if is_judged_again {
        let second = observed(bench, seed, loaded.clone()).await;
        assert_eq!(first.answers, second.answers, "random:{seed}");
    }
    (first.answers, loaded)
}

/// Checks that every set is observed as it was drawn for these questions, and that questions that cannot be observed
/// have no answer.
async fn check(bench: TrialEnvironment, seeds: Vec<u64>, is_asked: impl Fn(&str) -> bool) {
    let again = |at| at < SETS_JUDGED_AGAIN;
    let all = stream::iter(seeds.iter().enumerate())
        .map(|(at, seed)| there_and_back(&bench, *seed, again(at)));
    let all: Vec<_> = all.buffered(bench.lanes).collect().await;
    for (seed, (answers, loaded)) in seeds.into_iter().zip(all) {
        let loaded = serde_json::to_value(loaded).expect("plain data");
        for (id, drawn) in drawn(seed).into_iter().filter(|(id, _)| is_asked(id)) {
            // An observed lag is only a bound, and no lag cannot be observed.
            if id == LIST_LAG {
                continue;
            }
            let is_decided = UNDECIDABLE.iter().all(|(other, _)| *other != id);
            let expected = is_decided.then_some(&drawn);
            assert_eq!(answers.get(&id), expected, "random:{seed} {id}");
            assert!(
                !is_decided || loaded.get(&id) == Some(&drawn),
                "random:{seed} {id} is loaded otherwise"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn drawn_sets_come_back_as_they_were_drawn() {
    let light = bench(|file, at| !is_of_limits(file, at));
    check(light, covering(SETS), |id| !OF_LIMITS.contains(&id)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_come_back_as_they_were_drawn() {
    let limits = bench(is_of_limits);
    check(limits, (1..=SETS_OF_LIMITS).collect(), |id| OF_LIMITS.contains(&id)).await;
}
