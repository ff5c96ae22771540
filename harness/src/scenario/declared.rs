//! What a scenario declares that it will verify, before anything is sent.

use std::collections::BTreeSet;

use crate::scenario::model::{Action, Check, Observation, Step};

/// The explicit checks of one step, without those of steps inside it.
pub fn checks(step: &Step) -> Vec<&Check> {
    match &step.action {
        Action::Request(request) => {
            let pages = request.each_page.iter().flat_map(|pages| &pages.expect);
            pages.chain(&request.expect).collect()
        }
        Action::Burst(burst) => burst.expect.iter().collect(),
        Action::Receive(receive) => receive.expect.iter().collect(),
        Action::Admin(admin) => admin.expect.iter().collect(),
        Action::ForEach(..) | Action::Let(_) | Action::Assume { .. } => Vec::new(),
    }
}

/// The observations of one step, without those of steps inside it.
pub fn observations(step: &Step) -> &[Observation] {
    match &step.action {
        Action::Request(request) => &request.observe,
        Action::Burst(burst) => &burst.observe,
        Action::Receive(receive) => &receive.observe,
        Action::Admin(_) | Action::ForEach(..) | Action::Let(_) | Action::Assume { .. } => &[],
    }
}

/// The steps inside a step: of a loop, and those that always run after it.
pub fn inner(step: &Step) -> &[Step] {
    match &step.action {
        Action::ForEach(_, steps) => steps,
        Action::Request(request) => &request.finally,
        Action::Burst(_)
        | Action::Receive(_)
        | Action::Admin(_)
        | Action::Let(_)
        | Action::Assume { .. } => &[],
    }
}

/// Ids of all requirements that these steps verify explicitly.
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
