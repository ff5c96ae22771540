//! Latitude, one question at a time: that question drawn, every other answered as by default.
//!
//! A fail that only shows where nothing else differs would hide among drawn services. Each round draws
//! every question once, and runs what observes it and a part of the other scenarios; the parts turn
//! from round to round.

use std::collections::BTreeMap;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use serde_json::{Map, Value};

use super::Bench;
use super::defects::SAMPLE_EVERY;
use super::latitude::{Draw, Drawn, tried};
use super::trial::{is_heavy, side_by_side};
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;

/// One round for so many seeds, and for what is left of them.
const SEEDS_A_ROUND: u64 = 40;

/// Draws in which answers are looked for that are not the default ones.
const DRAWS: u64 = 200;

/// Tries every question that a draw can answer in another way than the default, in each round.
pub async fn alone(bench: &Bench, seeds: u64, is_thorough: bool) -> Vec<Drawn> {
    let draws = draws(seeds);
    let trials = draws.into_iter().enumerate().map(|(turn, (question, draw))| {
        tried(bench, draw, chosen(bench, &question, is_thorough, turn).into())
    });
    side_by_side(trials, bench.lanes).await
}

/// How many trials that will be.
pub fn alone_count(seeds: u64) -> usize {
    draws(seeds).len()
}

/// What is drawn, round by round, each with its question.
fn draws(seeds: u64) -> Vec<(String, Draw)> {
    let others = others();
    let mut found = Vec::new();
    for round in 0..seeds.div_ceil(SEEDS_A_ROUND) {
        for (question, values) in &others {
            let turn = usize::try_from(round).unwrap_or_default();
            let Some(value) = values.get(turn % values.len().max(1)) else { continue };
            if let Some(answers) = with(question, value) {
                let name = format!("{question}: {value}");
                found.push((question.clone(), Draw { name, seed: round + 1, answers }));
            }
        }
    }
    found
}

/// By question the answers that draws give and the default does not, in the order of the draws.
fn others() -> BTreeMap<String, Vec<Value>> {
    let own = members(answers::default());
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for seed in 1..=DRAWS {
        for (question, value) in members(&answers::draw(seed)) {
            let known = found.entry(question.clone()).or_default();
            if own.get(&question) != Some(&value) && !known.contains(&value) {
                known.push(value);
            }
        }
    }
    found
}

fn members(answers: &Answers) -> Map<String, Value> {
    match serde_json::to_value(answers) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// The default answers but for this one.
fn with(question: &str, value: &Value) -> Option<Answers> {
    let mut all = members(answers::default());
    all.insert(question.to_owned(), value.clone());
    serde_json::from_value(Value::Object(all)).ok()
}

/// What observes the question, and every so-manieth of the others; all where that is asked for.
fn chosen(bench: &Bench, question: &str, is_thorough: bool, turn: usize) -> Vec<ScenarioFile> {
    let mut others = turn;
    let mut names = Vec::new();
    for file in &bench.files {
        for (at, scenario) in file.scenarios.iter().enumerate() {
            let is_asked = declared::questions(&scenario.steps).contains(question);
            others += usize::from(!is_asked);
            let is_kept = is_asked || is_thorough || others.is_multiple_of(SAMPLE_EVERY);
            if is_kept && !is_heavy(file, at) {
                names.push((file.stem.clone(), at));
            }
        }
    }
    bench.only(|file, at| names.iter().any(|(stem, kept)| *stem == file.stem && *kept == at))
}

#[cfg(test)]
mod tests {
    use moot_fixtures::{answers, questions};

    use super::{draws, members};

    #[test]
    fn one_question_differs_from_the_default_and_no_other() {
        let own = members(answers::default());
        let drawn = draws(80);
        for (question, draw) in &drawn {
            let all = members(&draw.answers);
            let differing: Vec<_> = all.iter().filter(|(id, value)| own[*id] != **value).collect();
            assert_eq!(differing.len(), 1, "{}", draw.name);
            assert_eq!(differing[0].0, question);
            assert_eq!(answers::validate(&draw.answers), Ok(()), "{}", draw.name);
        }
        assert_eq!(drawn.len() % 2, 0, "both rounds draw the same questions");
        assert!(drawn.len() / 2 * 10 >= questions::all().len() * 8, "{}", drawn.len());
    }
}
