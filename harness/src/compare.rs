//! Compares two targets: runs the same plan on both, and reports every difference once, in its class.
//!
//! 1. [`RunReadings`] collects the responses of a run, without values that differ in each run (`reading`, `flatten`).
//! 2. `pairs` pairs the scenarios, steps and checks of the two runs.
//! 3. `exchanges` finds differences between responses, `checks` finds differences between verdicts.
//! 4. `cause` and `explain` find the violation or the open question behind a difference.
//! 5. `gather` collects the differences, and [`compare()`] returns a [`TargetComparison`]. [`text`] and [`page`]
//!    render it.
//!
//! Of lists and reads only the shape is compared, because the values are stored data. Errors, and responses to actions
//! and token requests, are compared completely. This module judges nothing: a violation is a failed check of one run.

mod cause;
mod checks;
mod comparison;
mod exchanges;
mod explain;
mod flatten;
mod gather;
mod name_pairs;
pub mod page;
mod pairs;
mod reading;
mod rows;
mod side;
pub mod text;

use std::collections::BTreeSet;

use moot_fixtures::contract::INTERFACE_VERSION;

pub use comparison::{DifferenceClass, SCHEMA, SCHEMA_VERSION, TargetComparison};
use explain::AnswerChanges;
pub use reading::RunReadings;
pub use side::SideRun;

use crate::client::answers::{self, AnswersEvidence};

/// The plan that both sides ran.
#[derive(Debug, Clone)]
pub struct ComparisonPlan {
    /// The seed of both runs.
    pub seed: u64,
    /// The selectors; empty means all scenarios.
    pub selectors: Vec<String>,
    /// The command that repeats the comparison.
    pub reproduce: String,
}

/// Compares two sides.
pub fn compare(a: &SideRun, b: &SideRun, plan: ComparisonPlan) -> TargetComparison {
    let (first, second) =
        (AnswersEvidence::of_run(&a.result.answers), AnswersEvidence::of_run(&b.result.answers));
    let (mut changed, mut answered_by_one) = (AnswerChanges::new(), Vec::new());
    for one in answers::diff(&first.answers, &second.answers) {
        match (&one.a, &one.b) {
            (Some(a), Some(b)) => {
                changed.insert(one.question, (a.clone(), b.clone()));
            }
            _ => answered_by_one.push(one),
        }
    }
    let (mut differences, not_compared, compared) = gather::collect(a, b, &changed);
    for one in differences.iter_mut().filter(|one| one.places.is_empty()) {
        let seen = [&first, &second].map(|side| side.evidence.get(&one.subject));
        let seen = seen.into_iter().flatten().flat_map(|evidence| &evidence.seen_in);
        one.places = seen.cloned().collect::<BTreeSet<_>>().into_iter().collect();
    }
    let (a, b) = (a.to_compared(), b.to_compared());
    let outcome = comparison::outcome([&a, &b], &differences, &not_compared, compared);
    TargetComparison {
        schema_version: SCHEMA_VERSION,
        moot_version: env!("CARGO_PKG_VERSION"),
        interface_version: INTERFACE_VERSION,
        outcome,
        exit_code: outcome.exit_code(),
        meaning: comparison::meaning(outcome, [&a, &b], &differences),
        a,
        b,
        seed: plan.seed,
        selectors: plan.selectors,
        reproduce: plan.reproduce,
        compared,
        differences,
        answered_by_one,
        not_compared,
    }
}
