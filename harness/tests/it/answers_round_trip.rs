//! What a run observed of a service, loaded by the mock, gives a service of which a run observes the
//! same: over fifty drawn sets of answers, in process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use moot_harness::answers::Observed;
use moot_harness::run::declared;
use moot_harness::scenario::load;
use moot_harness::scenario::model::{Action, Step};
use moot_harness::selftest::Bench;
use moot_harness::target::{TargetChoice, TargetOptions};
use serde_json::Value;

/// Drawn sets.
const SETS: u64 = 50;

/// Questions that a run over the scenarios that observe answers for every set.
const ANSWERED_MIN: usize = 25;

/// Some questions of which one observation tells all, so that what comes back is what was drawn.
const WHOLE: [&str; 8] = [
    "list_order",
    "other_company",
    "per_page",
    "request_name",
    "timestamps",
    "upload_success_status",
    "url_document_name",
    "workflow_types",
];

/// Rows that a loop is taken to have.
const ROWS: usize = 5;

/// For each question the shortest scenario that observes it; those that send hundreds of calls to see
/// how a limit answers are left out.
fn bench() -> Bench {
    let files = load::bundled().expect("the bundled suite is sound");
    let all = Bench { files, lanes: 4, jobs: 2, tell: Arc::new(|_| ()) };
    let mut shortest: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let light = all.files.iter().filter(|file| file.section != "8");
    for scenario in light.flat_map(|file| &file.scenarios) {
        if scenario.tags.iter().any(|tag| tag == "heavy") {
            continue;
        }
        let rows = if scenario.for_each.is_some() { ROWS } else { 1 };
        let key = (rows * length(&scenario.steps), scenario.id.clone());
        for question in declared::questions(&scenario.steps) {
            let known = shortest.entry(question).or_insert_with(|| key.clone());
            *known = key.clone().min(known.clone());
        }
    }
    let chosen: BTreeSet<String> = shortest.into_values().map(|(_, id)| id).collect();
    Bench { files: all.only(|file, at| chosen.contains(&file.scenarios[at].id)), ..all }
}

fn length(steps: &[Step]) -> usize {
    let one = |step: &Step| match &step.action {
        Action::ForEach(_, steps) => ROWS * length(steps),
        _ => 1 + length(declared::inner(step)),
    };
    steps.iter().map(one).sum()
}

/// What a run observes of a mock with these answers.
async fn observed(bench: &Bench, seed: u64, answers: Answers) -> Observed {
    let options = TargetOptions { seed, answers: Some(answers), ..TargetOptions::default() };
    let result = bench.run("random", TargetChoice::InProcess, bench.files.clone(), options).await;
    assert_eq!(result.exit_code, 0, "{seed}: {:?}", result.trouble);
    Observed::of_run(&result.answers)
}

/// What was observed of a drawn set, after it came back the same.
async fn there_and_back(bench: &Bench, seed: u64) -> BTreeMap<String, Value> {
    let first = observed(bench, seed, answers::draw(seed)).await;
    let text = first.to_text();
    let loaded = answers::parse(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
    let second = observed(bench, seed, loaded).await;
    assert_eq!(first.answers, second.answers, "random:{seed}");
    first.answers
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_drawn_sets_come_back_as_they_were_observed() {
    let bench = bench();
    let all = stream::iter(1..=SETS).map(|seed| there_and_back(&bench, seed));
    let all: Vec<_> = all.buffered(bench.lanes).collect().await;
    for (seed, answers) in (1..).zip(all) {
        assert!(answers.len() >= ANSWERED_MIN, "random:{seed}: {:?}", answers.keys());
        let drawn = serde_json::to_value(answers::draw(seed)).expect("plain data");
        for id in WHOLE {
            assert_eq!(answers.get(id), drawn.get(id), "random:{seed} {id}");
        }
    }
}
