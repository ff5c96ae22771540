//! Services with the default answers to all open questions but one.
//!
//! They show false failures that need default answers to the other questions. Each round tries every question once, on
//! the scenarios that observe it and on a sample of the others.

use std::collections::BTreeMap;

use moot_fixtures::answers;
use serde_json::Value;

use super::drawn_services::{AnswerDraw, DrawnService, try_answers};
use super::trial::{TrialEnvironment, is_heavy, of_shard, side_by_side};
use crate::run::environment::Shard;
use crate::scenario::declared;

/// The number of seeds for each round.
const SEEDS_A_ROUND: u64 = 40;

/// The number of random sets of answers that are searched for answers other than the default.
const DRAWS: u64 = 200;

/// Tries the services of a shard.
pub(super) async fn alone(
    bench: &TrialEnvironment,
    seeds: u64,
    is_thorough: bool,
    shard: Shard,
) -> Vec<DrawnService> {
    let trials = of_shard(draws(seeds), shard).map(|(turn, (question, draw))| {
        let files = bench.sample(turn, is_thorough, |scenario| {
            declared::questions(&scenario.steps).contains(&question) && !is_heavy(scenario)
        });
        try_answers(bench, draw, files.into())
    });
    side_by_side(trials, bench.lanes).await
}

/// The names of the trials.
pub(super) fn alone_names(seeds: u64) -> Vec<String> {
    draws(seeds).into_iter().map(|(_, draw)| draw.name).collect()
}

/// The answers of all rounds, each with the question whose answer is not the default.
fn draws(seeds: u64) -> Vec<(String, AnswerDraw)> {
    let others = other_answers();
    let mut found = Vec::new();
    for round in 0..seeds.div_ceil(SEEDS_A_ROUND) {
        for (question, values) in &others {
            let turn = usize::try_from(round).unwrap_or_default();
            let Some(value) = values.get(turn % values.len().max(1)) else { continue };
            if let Ok(answers) = answers::with_answer(answers::default(), question, value.clone()) {
                let name = format!("{question}: {value}");
                found.push((question.clone(), AnswerDraw { name, seed: round + 1, answers }));
            }
        }
    }
    found
}

/// The answers other than the default that occur in random sets, by question.
fn other_answers() -> BTreeMap<String, Vec<Value>> {
    let default = answers::to_map(answers::default());
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for seed in 1..=DRAWS {
        for (question, value) in answers::to_map(&answers::draw(seed)) {
            let known = found.entry(question.clone()).or_default();
            if default.get(&question) != Some(&value) && !known.contains(&value) {
                known.push(value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use moot_fixtures::{answers, questions};

    use super::draws;

    #[test]
    fn one_question_differs_from_the_default_and_no_other() {
        let default = answers::to_map(answers::default());
        let drawn = draws(80);
        for (question, draw) in &drawn {
            let all = answers::to_map(&draw.answers);
            let differing: Vec<_> =
                all.iter().filter(|(id, value)| default[*id] != **value).collect();
            assert_eq!(differing.len(), 1, "{}", draw.name);
            assert_eq!(differing[0].0, question);
            assert_eq!(answers::validate(&draw.answers), Ok(()), "{}", draw.name);
        }
        assert_eq!(drawn.len() % 2, 0, "both rounds draw the same questions");
        assert!(drawn.len() / 2 * 10 >= questions::all().len() * 8, "{}", drawn.len());
    }
}
