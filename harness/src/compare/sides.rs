//! Two sides and what they were asked, put together as a comparison.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::INTERFACE_VERSION;

use super::comparison::{self, Comparison, OneSidedAnswer, SCHEMA_VERSION, SideView};
use super::gather::{self, Changed};
use super::reading::{StepReading, Told};
use crate::answers::{self, Observed};
use crate::result::{ExpectedState, RunResult};

/// One side: its run, and what that was told.
pub struct Side {
    /// As on the command line.
    pub(super) word: String,
    pub(super) result: RunResult,
    pub(super) told: BTreeMap<String, Vec<StepReading>>,
}

/// What both sides were asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The seed of both runs.
    pub seed: u64,
    /// What was selected; everything where empty.
    pub selectors: Vec<String>,
    /// The command line that does it again.
    pub reproduce: String,
}

impl Side {
    /// Of a run, and what its events told.
    pub fn new(word: &str, result: RunResult, told: &Told) -> Self {
        Self { word: word.to_owned(), result, told: told.take() }
    }

    /// Its run.
    pub fn result(&self) -> &RunResult {
        &self.result
    }

    fn view(&self) -> SideView {
        SideView {
            word: self.word.clone(),
            base_url: self.result.target.base_url.clone(),
            class: self.result.target.class.clone(),
            started_at: self.result.started_at.clone(),
            exit_code: self.result.exit_code,
            trouble: self.result.trouble.clone(),
            requests_sent: self.result.requests_sent,
            stale: self
                .result
                .expected
                .iter()
                .filter(|one| one.state == ExpectedState::Stale)
                .map(|one| one.id.clone())
                .collect(),
        }
    }
}

/// Holds two sides against each other.
pub fn compare(a: &Side, b: &Side, asked: Asked) -> Comparison {
    let (first, second) =
        (Observed::of_run(&a.result.answers), Observed::of_run(&b.result.answers));
    let (mut changed, mut answered_by_one) = (Changed::new(), Vec::new());
    for one in answers::diff(&first.answers, &second.answers) {
        match (one.first, one.second) {
            (Some(a), Some(b)) => {
                changed.insert(one.id, (a, b));
            }
            (a, b) => answered_by_one.push(OneSidedAnswer { question: one.id, a, b }),
        }
    }
    let gathered = gather::gather(a, b, &changed);
    let compared = gathered.compared;
    let (mut differences, not_compared) = gathered.into_parts();
    for one in differences.iter_mut().filter(|one| one.places.is_empty()) {
        let seen = [&first, &second].map(|side| side.evidence.get(&one.subject));
        let seen = seen.into_iter().flatten().flat_map(|evidence| &evidence.seen_in);
        one.places = seen.cloned().collect::<BTreeSet<_>>().into_iter().collect();
    }
    let (a, b) = (a.view(), b.view());
    let exit_code = comparison::exit_code([&a, &b], &differences, &not_compared, compared);
    Comparison {
        schema_version: SCHEMA_VERSION,
        moot_version: env!("CARGO_PKG_VERSION"),
        interface_version: INTERFACE_VERSION,
        exit_code,
        meaning: comparison::meaning(exit_code, [&a, &b], &differences),
        a,
        b,
        seed: asked.seed,
        selectors: asked.selectors,
        reproduce: asked.reproduce,
        compared,
        differences,
        answered_by_one,
        not_compared,
    }
}
