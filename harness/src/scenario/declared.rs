//! Requirements and questions that a scenario checks, known before anything is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::Requirement;

use crate::scenario::model::{Check, Observation, OwnRequirement, ScenarioFile, Step, StepAction};

/// The requirements that scenario files state themselves, by id.
pub type OwnRows = BTreeMap<String, Arc<Requirement>>;

/// The requirements that these files state themselves.
pub fn own_rows(files: &[ScenarioFile]) -> OwnRows {
    let rows = |file: &'_ ScenarioFile| {
        let row = |own: &OwnRequirement| (own.id.clone(), Arc::new(own.row(&file.section)));
        file.requirements.iter().map(row).collect::<Vec<_>>()
    };
    files.iter().flat_map(rows).collect()
}

/// The explicit checks of one step, without those of steps inside it.
pub fn checks(step: &Step) -> Vec<&Check> {
    parts(step).0
}

/// The observations of one step, without those of steps inside it.
pub fn observations(step: &Step) -> &[Observation] {
    parts(step).1
}

/// The steps inside a step: the steps of a loop, or the `finally` steps of a request.
pub fn inner(step: &Step) -> &[Step] {
    parts(step).2
}

fn parts(step: &Step) -> (Vec<&Check>, &[Observation], &[Step]) {
    match &step.action {
        StepAction::Request(request) => {
            let pages = request.each_page.iter().flat_map(|pages| &pages.expect);
            let checks = pages.chain(&request.expect).collect();
            (checks, &request.observe, &request.finally)
        }
        StepAction::Burst(burst) => (burst.expect.iter().collect(), &burst.observe, &[]),
        StepAction::Receive(receive) => (receive.expect.iter().collect(), &receive.observe, &[]),
        StepAction::Admin(admin) => (admin.expect.iter().collect(), &[], &[]),
        StepAction::ForEach(_, steps) => (Vec::new(), &[], steps),
        StepAction::Operator(_) | StepAction::Let(_) | StepAction::Assume(_) => {
            (Vec::new(), &[], &[])
        }
    }
}

/// Ids of all requirements in the `expect` keys of these steps.
pub fn requirements(steps: &[Step]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    collect(steps, &mut |step| {
        ids.extend(checks(step).into_iter().map(|check| check.requirement.clone()));
    });
    ids
}

/// Ids of all questions that these steps observe.
pub fn questions(steps: &[Step]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    collect(steps, &mut |step| {
        ids.extend(observations(step).iter().map(|observation| observation.question.clone()));
    });
    ids
}

pub(crate) fn collect<'a>(steps: &'a [Step], visit: &mut impl FnMut(&'a Step)) {
    for step in steps {
        visit(step);
        collect(inner(step), visit);
    }
}
